/** Descriptions for the API document that zod cannot derive from a schema. */

import type { z } from "zod";

/** Part of a JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Attaches a JSON Schema for the API document to a schema with checks in code. The schema must accept all values that
 * `json` allows.
 */
export function documented<Schema extends z.ZodType>(schema: Schema, json: JsonSchema): Schema {
  return schema.meta({ documented: json });
}

function noted(schema: unknown): JsonSchema | undefined {
  const meta = (schema as Partial<Pick<z.ZodType, "meta">>).meta?.();
  return meta?.documented as JsonSchema | undefined;
}

/** Copies the description of `original` to a schema that was derived from it. */
export function documentedAs<Schema extends z.ZodType>(original: z.ZodType, schema: Schema): Schema {
  const json = noted(original);
  return json === undefined ? schema : documented(schema, json);
}

/** The `override` of `z.toJSONSchema` that inserts the descriptions of {@link documented}. */
export function asDocumented(
  { zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Record<string, unknown> },
): void {
  const json = noted(zodSchema);
  if (json === undefined) return;
  for (const name of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, name);
  Object.assign(jsonSchema, json);
}

/** A datetime: RFC 3339 without leap seconds, with at most nanoseconds. */
export const DATETIME: JsonSchema = {
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:[0-5]\\d(?:\\.\\d{1,9})?(?:[Zz]|[+-]\\d{2}:\\d{2})$",
};
/** Text without null characters. */
export const TEXT_PATTERN = "^[^\\u0000]*$";
/** The same with at least one character other than white space. */
export const NOT_BLANK_PATTERN = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
