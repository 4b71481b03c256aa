/** Small resources that have a name and a slug, as NetBox has many. */

import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  customFieldsField,
  defineResource,
  type Field,
  id,
  labelledChoice,
  type OnDelete,
  reference,
  type Resource,
  type ResourceOptions,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { commentsField, slugField } from "./common_fields.ts";
import { tagsField } from "./tags.ts";

/** The color of a label. */
export function colorField(): Field {
  return {
    ...text("color", {
      description: "Six hexadecimal digits.",
      pattern: { regex: /^[0-9a-f]{6}$/, expected: "six lower-case hexadecimal digits" },
    }),
    fallback: "9e9e9e",
  };
}

/** A status. */
export function statusField(values: readonly string[]): Field {
  const choices = Object.fromEntries(values.map((value) => [value, capitalized(value)]));
  return labelledChoice("status", { description: "Operational status.", choices, fallback: "active" });
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A reference to a small resource, by id, slug or name. */
export function detailField(
  name: string,
  { description, target, onDelete, required = false, keys = ["slug", "name"] }: {
    description: string;
    target: () => Resource;
    onDelete: OnDelete;
    required?: boolean;
    keys?: readonly string[];
  },
): Field {
  return reference(name, { description, target, keys, onDelete, required, nullable: !required });
}

interface Named extends Partial<Omit<ResourceOptions, "fields" | "table">> {
  readonly objectType: string;
  readonly path: string;
  readonly label: string;
  readonly table: SQLiteTable;
  /** Fields between the slug and the description. */
  readonly more?: readonly Field[];
  /** The field within whose object names and slugs are unique; default: unique everywhere. */
  readonly uniqueWithin?: string;
}

/** Defines a resource with a name and a slug, a description, comments, tags and custom fields. */
export function namedResource({ more = [], uniqueWithin, ...options }: Named): Resource {
  const { objectType, label } = options;
  return defineResource({
    ...options,
    fields: [
      id(),
      text("name", {
        description: uniqueWithin === undefined
          ? "Name; unique."
          : `Name; unique within its ${uniqueWithin}.`,
        required: true,
        max: 100,
      }),
      slugField(),
      ...more,
      text("description", { description: "What it is.", max: 200 }),
      commentsField(),
      tagsField(objectType),
      customFieldsField(objectType),
      ...timestamps(),
    ],
    brief: ["name", "slug", "description"],
    searchFields: ["name", "slug", "description"],
    order: [{ field: "name", descending: false }],
    unique: ["name", "slug"].map((column) => ({
      columns: uniqueWithin === undefined ? [column] : [`${uniqueWithin}_id`, column],
      field: uniqueWithin === undefined ? column : "__all__",
      message: uniqueWithin === undefined
        ? `${label} with this ${column} already exists.`
        : `${label} with this ${uniqueWithin} and ${column} already exists.`,
    })),
  });
}
