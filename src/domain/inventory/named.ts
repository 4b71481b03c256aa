/** Small resources that have a name and a slug, of which NetBox has many. */

import { finding } from "../../base/findings.ts";
import { sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import {
  type Brief,
  columnOf,
  customFieldsField,
  defineResource,
  expression,
  type Field,
  type Labelled,
  labelledChoice,
  type ObjectOf,
  type OnDelete,
  reference,
  refuseCycles,
  type Resource,
  type ResourceOptions,
  text,
  type Values,
  type WithTimes,
} from "../../resource/mod.ts";
import { commentsField, slugField, tagsField } from "./common_fields.ts";
import type { RowOf } from "../../db/mod.ts";

export function statusField(values: readonly string[]): Field<"status", Labelled> {
  const choices = Object.fromEntries(values.map((value) => [value, capitalized(value)]));
  return labelledChoice("status", { description: "Operational status.", choices, fallback: "active" });
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Defines a reference to a small resource, by id, slug or name. */
export function detailField<const Name extends string>(
  name: Name,
  { description, target, onDelete, required = false, keys = ["slug", "name"] }: {
    description: string;
    target: () => Resource;
    onDelete: OnDelete;
    required?: boolean;
    keys?: readonly string[];
  },
): Field<Name, Brief | null> {
  return reference(name, { description, target, keys, onDelete, required, nullable: !required });
}

type NamedField =
  | Field<"name", string>
  | Field<"slug", string>
  | Field<"description", string>
  | Field<"comments", string>
  | Field<"tags", Brief[]>
  | Field<"custom_fields", Values>;

type NestedField = Field<"parent", Brief | null> | Field<"_depth", number>;

interface Named<Of extends Field, Table extends SQLiteTable>
  extends Partial<Omit<ResourceOptions, "fields" | "table">> {
  readonly objectType: string;
  readonly path: string;
  readonly label: string;
  readonly table: Table;
  /** Fields between the slug and the description. */
  readonly more?: readonly Of[];
  /** What the description is about. */
  readonly about?: string;
  /** The field within whose object names and slugs are unique; by default they are unique everywhere. */
  readonly uniqueWithin?: string;
}

/** Defines a resource with a name and a slug, a description, comments, tags and custom fields. */
export function namedResource<Of extends Field = never, Table extends SQLiteTable = SQLiteTable>(
  { more = [], about = "What it is.", uniqueWithin, ...options }: Named<Of, Table>,
): Resource<ObjectOf<WithTimes<NamedField | Of, Table>>, RowOf<Table>> {
  const { objectType, label } = options;
  return defineResource<NamedField | Of, Table>({
    brief: ["name", "slug", "description"],
    search: { fields: ["name", "slug", "description"] },
    unique: ["name", "slug"].map((column) => ({
      columns: uniqueWithin === undefined ? [column] : [`${uniqueWithin}_id`, column],
      field: uniqueWithin === undefined ? column : "__all__",
      finding: finding("not_unique", {
        object: label,
        fields: uniqueWithin === undefined ? column : `${uniqueWithin} and ${column}`,
      }),
    })),
    ...options,
    fields: [
      text("name", {
        description: uniqueWithin === undefined
          ? "Name; unique."
          : `Name; unique within its ${uniqueWithin}.`,
        required: true,
        max: 100,
      }),
      slugField(),
      ...more,
      text("description", { description: about, max: 200 }),
      commentsField(),
      tagsField(objectType),
      customFieldsField(objectType),
    ],
  });
}

/** Defines a named resource whose objects contain each other, such as NetBox's nested groups. */
export function nestedResource<Of extends Field = never, Table extends SQLiteTable = SQLiteTable>(
  options: Named<Of, Table>,
): Resource<ObjectOf<WithTimes<NamedField | NestedField | Of, Table>>, RowOf<Table>> {
  const { label, table, more = [] } = options;
  const resource = namedResource<NestedField | Of, Table>({
    ...options,
    more: [
      reference("parent", {
        description:
          `The ${label} that contains it, by id, slug or name. Deleting it deletes those inside it.`,
        target: (): Resource => resource,
        keys: ["slug", "name"],
        onDelete: "cascade",
      }),
      depthField(table),
      ...more,
    ],
    hooks: {
      prepare: ({ tx, drafts }) =>
        refuseCycles(tx, drafts, {
          table,
          field: "parent",
          column: "parent_id",
          itself: finding("no_parent_of_itself", { object: label }),
          cycle: finding("no_inside_of_itself", { object: label }),
        }),
    },
  });
  return resource;
}

/** Defines `_depth`, which NetBox's clients read to indent a tree. */
function depthField(table: SQLiteTable): Field<"_depth", number> {
  const field = expression("_depth", {
    description: "Number of objects that contain it, directly or through others.",
    output: z.int(),
    sql: ({ alias }) =>
      sql`(WITH RECURSIVE above (id) AS (
          SELECT ${columnOf(alias, "parent_id")}
          UNION SELECT parent_id FROM above JOIN ${table} AS step USING (id)
        ) SELECT count(id) FROM above)`,
  });
  return { ...field, shown: { alias: true } };
}
