/** What the API document says of a value, where the schema that checks it says less. */

import type { z } from "zod";

/** Part of a JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The same schema, described in the API document by `json`: checks in code are not seen there otherwise. What `json`
 * allows, the schema accepts.
 */
export function documented<Schema extends z.ZodType>(schema: Schema, json: JsonSchema): Schema {
  return schema.meta({ documented: json });
}

function noted(schema: unknown): JsonSchema | undefined {
  const meta = (schema as Partial<Pick<z.ZodType, "meta">>).meta?.();
  return meta?.documented as JsonSchema | undefined;
}

/** A schema that was made from `original`, with the same description. */
export function documentedAs<Schema extends z.ZodType>(original: z.ZodType, schema: Schema): Schema {
  const json = noted(original);
  return json === undefined ? schema : documented(schema, json);
}

/** The `override` of `z.toJSONSchema` that puts in what {@link documented} has noted. */
export function asDocumented(
  { zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Record<string, unknown> },
): void {
  const json = noted(zodSchema);
  if (json === undefined) return;
  for (const name of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, name);
  Object.assign(jsonSchema, json);
}

/** A datetime as every client can write it: RFC 3339, no leap second, at most nanoseconds. */
export const DATETIME: JsonSchema = {
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:[0-5]\\d(?:\\.\\d{1,9})?(?:[Zz]|[+-]\\d{2}:\\d{2})$",
};
/** A text without null characters. */
export const TEXT_PATTERN = "^[^\\u0000]*$";
/** The same with at least one character that is not white space. */
export const NOT_BLANK_PATTERN = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
