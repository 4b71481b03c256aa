/** Parses the parameters of an export. */

import type { Context } from "../../../auth/mod.ts";
import { addError, type FieldErrors } from "../../../base/errors.ts";
import { MAX_FIELD_NAMES } from "../../../base/limits.ts";
import { type Format, FORMATS } from "../../../formats/mod.ts";
import { MAX_FILTER_VALUES, nearest } from "../../../filters/mod.ts";
import { CUSTOM_COLUMN, CUSTOM_PREFIX, customFieldsOf, quote } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { DEFAULT_FIELDS, EXPORT_FIELDS } from "./fields.ts";

/** Parameters of an export that are not filters. */
export const EXPORT_PARAMETERS = ["format", "ids", "fields", "include_pem", "include_chain"] as const;

export interface ExportQuery {
  readonly format: Format;
  /** Exports only these certificates; undefined exports all. An empty list selects none. */
  readonly ids: readonly number[] | undefined;

  readonly fields: readonly string[];
}

/**
 * Parses and validates all parameters, including those that have no effect in the chosen format.
 * `include_pem` has an effect only in json and yaml, `include_chain` only in pem, and `fields` in all but
 * pem.
 */
export function readExportQuery(
  params: URLSearchParams,
  { ctx, errors }: { ctx: Context | undefined; errors: FieldErrors },
): ExportQuery {
  const format = readFormat(params, errors);
  const named = readFields(params, { ctx, errors });
  const pem = readFlag(params, "include_pem", errors) ?? false;
  const chain = readFlag(params, "include_chain", errors) ?? true;
  const fields = new Set(named.length === 0 ? DEFAULT_FIELDS : named);
  if (pem && format.takesPem) fields.add("pem_content");
  return { format, ids: readIds(params, errors), fields: format.fields?.({ chain }) ?? [...fields] };
}

function readFormat(params: URLSearchParams, errors: FieldErrors): Format {
  const name = params.get("format") || "json";
  const formats: Readonly<Record<string, Format>> = FORMATS;
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format !== undefined) return format;
  addError(errors, "format", `Expected one of ${Object.keys(formats).join(", ")}, not ${quote(name)}.`);
  return FORMATS.json;
}

function readFields(
  params: URLSearchParams,
  { ctx, errors }: { ctx: Context | undefined; errors: FieldErrors },
): string[] {
  const fields = ctx === undefined ? [] : customFieldsOf(ctx.database, certificates.objectType);
  const custom = fields.map(({ name }) => CUSTOM_PREFIX + name);
  const known = [...EXPORT_FIELDS, ...custom];
  // `custom_fields` means one column for each custom field.
  const named = listOf(params, "fields").flatMap((name) => name === CUSTOM_COLUMN ? custom : [name]);
  if (named.length > MAX_FIELD_NAMES) {
    addError(errors, "fields", `Expected at most ${MAX_FIELD_NAMES} fields, not ${named.length}.`);
    return [];
  }
  for (const field of named) {
    if (known.includes(field)) continue;
    const near = nearest(field, known);
    const hint = near === undefined ? "" : ` Did you mean “${near}”?`;
    addError(errors, "fields", `Unknown field ${quote(field)}.${hint}`);
  }
  return named;
}

function readIds(params: URLSearchParams, errors: FieldErrors): number[] | undefined {
  if (!params.has("ids")) return undefined;
  const given = listOf(params, "ids");
  const wrong = given.find((id) => !/^\d{1,15}$/.test(id));
  if (wrong !== undefined) addError(errors, "ids", `Expected whole numbers, not ${quote(wrong)}.`);
  if (given.length > MAX_FILTER_VALUES) {
    addError(errors, "ids", `Expected at most ${MAX_FILTER_VALUES} ids, not ${given.length}.`);
  }
  return given.map(Number);
}

/** Returns the values of a parameter that is repeated or separated by commas, without duplicates. */
function listOf(params: URLSearchParams, name: string): string[] {
  const values = params.getAll(name).flatMap((value) => value.split(",")).map((value) => value.trim());
  return [...new Set(values.filter((value) => value !== ""))];
}

function readFlag(params: URLSearchParams, name: string, errors: FieldErrors): boolean | undefined {
  const given = params.get(name) || undefined;
  if (given === undefined) return undefined;
  const value = given.toLowerCase();
  if (["true", "1"].includes(value)) return true;
  // Quotes the value as given: `quote` does not recognize a private key in lower case.
  if (!["false", "0"].includes(value)) addError(errors, name, `Expected true or false, not ${quote(given)}.`);
  return false;
}
