/** Describes the values of fields, for generic forms and tables. */

import { z } from "zod";
import { memoize } from "../../base/memoize.ts";
import type { Field, Values } from "./field.ts";
import { toJsonSchema } from "./fields/documented.ts";
import { isDictionary } from "../../filters/mod.ts";

/** The kind of a field's values. */
export type ShapeKind =
  | "string"
  | "choice"
  | "datetime"
  | "date"
  | "url"
  | "integer"
  | "decimal"
  | "boolean"
  | "list"
  | "object"
  | "reference"
  | "references";

/** Description of a field's values. */
export interface FieldShape {
  readonly kind: ShapeKind;
  /** All values of a choice or of a list of choices, including the empty text if it is allowed. */
  readonly choices?: readonly string[];
  /** Maximum number of characters. */
  readonly maxLength?: number;
  readonly nullable: boolean;
}

type Schema = Values;

/** Returns a schema and its alternatives. */
function formsOf(schema: Schema): Schema[] {
  return [schema, ...(Array.isArray(schema.anyOf) ? schema.anyOf : [])];
}

/** Returns the description of a field. Cached. */
export const shapeOf: (field: Field) => FieldShape = memoize(describe);

function describe(field: Field): FieldShape {
  const schema = z.toJSONSchema(field.output, { io: "input", unrepresentable: "any" });
  const forms = formsOf(schema).flatMap(byType);
  const nullable = forms.some((one) =>
    one.type === "null" || (Array.isArray(one.enum) && one.enum.includes(null))
  );
  if (field.shown?.labels !== undefined) {
    return { kind: field.many ? "list" : "choice", choices: Object.keys(field.shown?.labels), nullable };
  }
  if (isReference(field)) return { kind: field.many ? "references" : "reference", nullable };
  const choices = forms.map((one) => one.enum).find(Array.isArray)?.filter((value) => value !== null);
  if (choices !== undefined) return { kind: "choice", choices: choices.map(String), nullable };
  const listed = forms.map(({ items }) => isDictionary(items) ? items.enum : undefined).find(Array.isArray);
  if (listed !== undefined) return { kind: "list", choices: listed.map(String), nullable };
  const kind = kindOf(forms);
  const maxLength = kind === "string" || kind === "url" ? maxLengthOf(field) : undefined;
  return { kind, nullable, ...(maxLength === undefined ? {} : { maxLength }) };
}

/** Returns the maximum length of a text, which only its input has; undefined without a maximum. */
function maxLengthOf({ input }: Field): number | undefined {
  if (input === undefined) return undefined;
  return formsOf(toJsonSchema(input)).map((one) => one.maxLength).find((length) =>
    typeof length === "number"
  );
}

/** Splits `{type: ["boolean", "null"]}` into a schema per type. */
function byType(schema: Schema): Schema[] {
  return Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [schema];
}

/**
 * Returns whether a field is a reference in forms. A reference that is returned as an id is a number in its
 * output schema.
 */
function isReference({ refers: { target, shows, targets } = {} }: Field): boolean {
  return target !== undefined || shows !== undefined || targets !== undefined;
}

function kindOf(forms: readonly Schema[]): ShapeKind {
  for (const one of forms) {
    if (one.format === "date-time") return "datetime";
    if (one.format === "date") return "date";
    if (one.format === "uri") return "url";
    if (one.type === "number") return "decimal";
    if (one.type === "string" || one.type === "integer" || one.type === "boolean") return one.type;
    if (one.type === "array") return "list";
  }
  return "object";
}
