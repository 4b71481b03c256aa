/** Descriptions for the API document that zod cannot derive from a schema. */

import { z } from "zod";
import { memoize } from "../../../base/memoize.ts";

/** Part of a JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Attaches a JSON Schema for the API document to a schema with checks in code. The schema must accept all
 * values that `json` allows. A function is called only when the document is made, so that it does not delay
 * the start.
 */
export function documented<Schema extends z.ZodType>(
  schema: Schema,
  json: JsonSchema | (() => JsonSchema),
): Schema {
  return schema.meta({ documented: json });
}

const shared = new Map<string, z.ZodType>();

/**
 * Returns the schema for a key that contains all its settings; creates it at the first call. Fields of the
 * same kind share their schemas, because hundreds of schemas would take a fifth of the time and memory of a
 * start.
 */
export function sharedSchema<Schema extends z.ZodType>(key: string, make: () => Schema): Schema {
  const known = shared.get(key) as Schema | undefined;
  if (known !== undefined) return known;
  const made = make();
  shared.set(key, made);
  return made;
}

/** Returns the schema that also allows null. It is shared if the schema itself is. */
export function orNull<Schema extends z.ZodType>(schema: Schema): z.ZodNullable<Schema> {
  return nullable(schema) as z.ZodNullable<Schema>;
}

const nullable = memoize((schema: z.ZodType) => schema.nullable());

/** The type of values that may be null. `Nullable` is the option of a field. */
export type OrNull<Value, Nullable extends boolean> = Nullable extends false ? Value : Value | null;

/** Returns the schema of a field whose values may be null if `isNullable`. */
export function outputOf<Value, Nullable extends boolean>(
  schema: z.ZodType<Value>,
  isNullable: boolean,
): z.ZodType<OrNull<Value, Nullable>> {
  // The type of a condition on a type parameter cannot be derived.
  return (isNullable ? orNull(schema) : schema) as z.ZodType<OrNull<Value, Nullable>>;
}

/** Returns the default of a field: the given one, else null if its values may be null. */
export function fallbackOf<Value, Nullable extends boolean>(
  given: Value | undefined,
  isNullable: boolean,
): OrNull<Value, Nullable> | undefined {
  // As above.
  return (given ?? (isNullable ? null : undefined)) as OrNull<Value, Nullable> | undefined;
}

/** The output schemas of fields. */
export const TEXT_OUTPUT = z.string();
export const INTEGER_OUTPUT = z.int();
export const BOOLEAN_OUTPUT = z.boolean();
export const DATETIME_OUTPUT = z.iso.datetime();

function noted(schema: unknown): JsonSchema | (() => JsonSchema) | undefined {
  const meta = (schema as Partial<Pick<z.ZodType, "meta">>).meta?.();
  return meta?.documented as JsonSchema | (() => JsonSchema) | undefined;
}

/** Copies the description of `original` to a schema that is derived from it. */
export function documentedAs<Schema extends z.ZodType>(original: z.ZodType, schema: Schema): Schema {
  const json = noted(original);
  return json === undefined ? schema : documented(schema, json);
}

/** The `override` of `z.toJSONSchema` that inserts the descriptions of {@link documented}. */
function asDocumented(
  { zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Record<string, unknown> },
): void {
  const json = noted(zodSchema);
  if (json === undefined) return;
  for (const name of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, name);
  Object.assign(jsonSchema, typeof json === "function" ? json() : json);
}

/** Returns a schema of input as JSON Schema, without the dialect's name. */
export function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: asDocumented,
  });
  return rest;
}

/** A datetime: RFC 3339 without leap seconds, with at most nanoseconds. */
export const DATETIME: JsonSchema = {
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:[0-5]\\d(?:\\.\\d{1,9})?(?:[Zz]|[+-]\\d{2}:\\d{2})$",
};
/** Text without null characters. */
export const TEXT_PATTERN = "^[^\\u0000]*$";
/** Text without null characters and with at least one character other than white space. */
export const NOT_BLANK_PATTERN = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
