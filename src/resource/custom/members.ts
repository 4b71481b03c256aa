/**
 * Custom fields as the single fields that pages show: `cf_<name>`. Only `custom_fields` is read and written.
 */

import { z } from "zod";
import { memoize } from "../../base/memoize.ts";
import type { Database } from "../../db/mod.ts";
import type { Field, Shown } from "../model/field.ts";
import { fieldBase } from "../model/fields/column.ts";
import { resourceOfType } from "../model/registry.ts";
import { type CustomField, customFieldsOf } from "./definitions.ts";
import { CUSTOM_COLUMN, CUSTOM_PREFIX } from "./filters.ts";
import { MAX_CHARS } from "./validate.ts";
import { isDictionary } from "../../filters/mod.ts";

/** A custom field as a separate field. */
export interface CustomMember extends Field {
  readonly shown: Shown & { readonly label: string };
  readonly custom: CustomField;
}

/**
 * Returns the custom fields of an object type: first those without a group, then by group, weight and name.
 */
export function customMembersOf(database: Database, objectType: string): readonly CustomMember[] {
  return membersOf(customFieldsOf(database, objectType));
}

const membersOf = memoize((fields: readonly CustomField[]): readonly CustomMember[] =>
  fields.toSorted((a, b) => a.group.localeCompare(b.group, "en")).map(memberOf)
);

/** Returns the custom fields that pages show. */
export function visibleMembersOf(database: Database, objectType: string): readonly CustomMember[] {
  return customMembersOf(database, objectType).filter(({ custom }) => custom.visible !== "hidden");
}

/** Returns whether a field is a custom field. */
export function isCustomMember(field: Field): field is CustomMember {
  return "custom" in field;
}

/** Returns the value in an object, in the format of the API. */
export function memberValue(object: object, { custom }: CustomMember): unknown {
  const values = CUSTOM_COLUMN in object ? object[CUSTOM_COLUMN] : undefined;
  return isDictionary(values) ? values[custom.name] ?? null : null;
}

function memberOf(custom: CustomField): CustomMember {
  const { name, label, description, required, initial } = custom;
  const schema = schemaOf(custom).nullable();
  const kind = kindOf(custom);
  return {
    ...fieldBase(`${CUSTOM_PREFIX}${name}`, { description, required }),
    input: schema,
    output: schema,
    select: () => [],
    read: () => undefined,
    fallback: initial,
    filters: {},
    custom,
    ...kind,
    shown: { ...kind.shown, label },
  };
}

function schemaOf({ type }: CustomField): z.ZodType {
  switch (type) {
    case "text":
    case "longtext":
      return z.string().max(MAX_CHARS);
    case "url":
      return z.url();
    case "integer":
      return z.int();
    case "decimal":
      return z.number();
    case "date":
      return z.iso.date();
    case "datetime":
      return z.iso.datetime();
    default:
      return z.unknown();
  }
}

/**
 * Returns the properties of a field's kind: long text, choice or reference. A boolean is a choice, because it
 * can be empty.
 */
function kindOf({ type, choices, relatedType }: CustomField): Partial<Field> {
  const target = resourceOfType(relatedType ?? "");
  if (type === "longtext") return { shown: { markdown: true } };
  if (type === "boolean") return { shown: { labels: { true: "Yes", false: "No" } } };
  if (type === "object" && target !== undefined) return { refers: { target: () => target } };
  if (choices === null) return {};
  return {
    shown: { labels: Object.fromEntries(choices) },
    ...(type === "multiselect" ? { many: true } : {}),
  };
}
