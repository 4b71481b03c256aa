/** Exports the certificates that the caller may view and that ids and filters select, as a stream of text. */

import { type SQL, sql } from "drizzle-orm";
import { authorize, type Context } from "../../../auth/mod.ts";
import type { Download } from "../../../base/download.ts";
import { invalid, notFound } from "../../../base/errors.ts";
import { addFinding, type Finding, finding } from "../../../base/findings.ts";
import { MAX_FIELD_NAMES } from "../../../base/limits.ts";
import { andAll, idsIn } from "../../../db/mod.ts";
import {
  type Condition,
  EVERYTHING,
  mapIn,
  MAX_FILTER_VALUES,
  nearest,
  parseQuery,
} from "../../../filters/mod.ts";
import { type ExportRow, type Format, FORMATS, writeDocument } from "../../../formats/mod.ts";
import {
  CUSTOM_COLUMN,
  CUSTOM_PREFIX,
  customFieldsOf,
  listCondition,
  quote,
  tooManyNames,
  unexpected,
  withoutSetAside,
} from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { DEFAULT_FIELDS, EXPORT_FIELDS, readPages, requireExportSize } from "./fields.ts";

/** Parameters of an export that are not filters. */
export const EXPORT_PARAMETERS = ["format", "ids", "fields", "include_pem", "include_chain"] as const;

interface ExportQuery {
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
function readExportQuery(
  params: URLSearchParams,
  { ctx, errors }: { ctx: Context | undefined; errors: Finding[] },
): ExportQuery {
  const format = readFormat(params, errors);
  const named = readFields(params, { ctx, errors });
  const pem = readFlag(params, "include_pem", errors) ?? false;
  const chain = readFlag(params, "include_chain", errors) ?? true;
  const fields = new Set(named.length === 0 ? DEFAULT_FIELDS : named);
  if (pem && format.takesPem) fields.add("pem_content");
  return { format, ids: readIds(params, errors), fields: format.fields?.({ chain }) ?? [...fields] };
}

function readFormat(params: URLSearchParams, errors: Finding[]): Format {
  const name = params.get("format") || "json";
  const formats: Readonly<Record<string, Format>> = FORMATS;
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format !== undefined) return format;
  addFinding(
    errors,
    "format",
    finding("expected_one_of", { choices: Object.keys(formats), value: quote(name) }),
  );
  return FORMATS.json;
}

function readFields(
  params: URLSearchParams,
  { ctx, errors }: { ctx: Context | undefined; errors: Finding[] },
): string[] {
  const fields = ctx === undefined ? [] : customFieldsOf(ctx.database, certificates.objectType);
  const custom = fields.map(({ name }) => CUSTOM_PREFIX + name);
  const known = [...EXPORT_FIELDS, ...custom];
  // `custom_fields` means one column for each custom field.
  const named = listOf(params, "fields").flatMap((name) => name === CUSTOM_COLUMN ? custom : [name]);
  if (named.length > MAX_FIELD_NAMES) {
    addFinding(errors, "fields", tooManyNames(named.length));
    return [];
  }
  for (const field of named) {
    if (known.includes(field)) continue;
    const near = nearest(field, known);
    addFinding(errors, "fields", finding("unknown_field_name", { value: quote(field), suggestion: near }));
  }
  return named;
}

function readIds(params: URLSearchParams, errors: Finding[]): number[] | undefined {
  if (!params.has("ids")) return undefined;
  const given = listOf(params, "ids");
  const wrong = given.find((id) => !/^\d{1,15}$/.test(id));
  if (wrong !== undefined) addFinding(errors, "ids", unexpected("whole numbers", wrong));
  if (given.length > MAX_FILTER_VALUES) {
    addFinding(
      errors,
      "ids",
      finding("unexpected", { expected: `at most ${MAX_FILTER_VALUES} ids`, value: given.length }),
    );
  }
  return given.map(Number);
}

/** Returns the values of a parameter that is repeated or separated by commas, without duplicates. */
function listOf(params: URLSearchParams, name: string): string[] {
  const values = params.getAll(name).flatMap((value) => value.split(",")).map((value) => value.trim());
  return [...new Set(values.filter((value) => value !== ""))];
}

function readFlag(params: URLSearchParams, name: string, errors: Finding[]): boolean | undefined {
  const given = params.get(name) || undefined;
  if (given === undefined) return undefined;
  const value = given.toLowerCase();
  if (["true", "1"].includes(value)) return true;
  // Quotes the value as given: `quote` does not recognize a private key in lower case.
  if (!["false", "0"].includes(value)) addFinding(errors, name, unexpected("true or false", given));
  return false;
}

/** Parameters that NetBox's clients may send with any request; an export ignores them. */
const WITHOUT_EFFECT = ["brief", "exclude"];

/**
 * Exports the certificates that `params` select (lists as repeated parameters, or separated by commas).
 * Errors: forbidden, invalid (parameters; more certificates than the limit).
 * @param options.unlimited Without the API's limit, for people at a page or a command line.
 */
export async function exportCertificates(
  { ctx, params, unlimited = false }: { ctx: Context; params: URLSearchParams; unlimited?: boolean },
): Promise<Download> {
  authorize(ctx, "view", certificates.map);
  const { filter, query: { format, ids, fields }, errors } = readExport(params, ctx);
  if (errors.length > 0) throw invalid(errors);
  const condition = andAll(
    await listCondition({
      ctx,
      resource: certificates,
      filter: ids === undefined ? withoutSetAside(certificates, filter, params.keys()) : filter,
    }),
    ids === undefined ? undefined : among(ids),
  );
  if (!unlimited) await requireExportSize(ctx, condition);
  return {
    mediaType: format.mediaType,
    fileName: `certificates.${format.extension}`,
    text: writeDocument(format.writer(fields), readPages({ ctx, condition, fields })),
  };
}

/**
 * Reads the parameters of an export: its filters and its content. Without a context, no custom fields are
 * known.
 */
export function readExport(
  params: URLSearchParams,
  ctx?: Context,
): { filter: Condition; query: ExportQuery; errors: Finding[] } {
  const { condition: filter, errors: unknown } = parseQuery(
    params,
    ctx === undefined ? certificates.map : mapIn(ctx, certificates.map),
    {
      reserved: new Set([...EXPORT_PARAMETERS, ...WITHOUT_EFFECT]),
    },
  );
  const errors: Finding[] = [...unknown];
  return { filter, query: readExportQuery(params, { ctx, errors }), errors };
}

/** Exports one certificate, in a file named after its common name. Errors: forbidden, not_found, invalid. */
export async function exportCertificate(
  { ctx, id, params }: { ctx: Context; id: number; params: URLSearchParams },
): Promise<Download> {
  const errors: Finding[] = [];
  for (const name of new Set(params.keys())) {
    if (!EXPORT_PARAMETERS.some((one) => one === name) || name === "ids") {
      addFinding(errors, name, finding("unknown_parameter"));
    }
  }
  const { format, fields } = readExportQuery(params, { ctx, errors });
  if (errors.length > 0) throw invalid(errors);
  const visible = await listCondition({ ctx, resource: certificates, filter: EVERYTHING });
  const condition = andAll(visible, among([id]));
  const named = [...new Set([...fields, "common_name"])];
  const { value: page } = await readPages({ ctx, condition, fields: named }).next();
  const [row] = page ?? [];
  if (row === undefined) throw notFound();
  const { common_name } = row;
  const shown = Object.fromEntries(fields.map((name) => [name, row[name] ?? null]));
  return {
    mediaType: format.mediaType,
    fileName: `${common_name}.${format.extension}`,
    text: writeDocument(format.writer(fields), pageOf(shown)),
  };
}

function among(ids: readonly number[]): SQL {
  return sql`certificates.id IN ${idsIn(ids)}`;
}

async function* pageOf(row: ExportRow): AsyncGenerator<ExportRow[]> {
  yield await Promise.resolve([row]);
}
