/** Exports certificates: what the caller may see, narrowed by ids and filters, as a stream of text. */

import { sql } from "drizzle-orm";
import type { Context } from "../../access/mod.ts";
import { addError, AppError, type FieldErrors, invalid, notFound } from "../../base/errors.ts";
import { EXPORT_PAGE_ROWS, MAX_LOOKUP_VALUES } from "../../base/limits.ts";
import { idsIn, type Row } from "../../db/mod.ts";
import { type Format, FORMATS } from "../../formats/mod.ts";
import { nearest, parseQuery } from "../../lookup/mod.ts";
import { both, fieldMap, listCondition, quote, selectList, where } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { DEFAULT_FIELDS, EXPORT_FIELDS, exportValue } from "./fields.ts";

/** A document on its way out. */
export interface ExportDocument {
  readonly mediaType: string;
  readonly fileName: string;
  readonly text: AsyncIterable<string>;
}

/** Parameters that are no filters. */
export const EXPORT_PARAMETERS = ["format", "ids", "fields", "include_pem", "include_chain"] as const;

interface ExportQuery {
  readonly format: Format;
  readonly ids: readonly number[] | undefined;
  readonly fields: readonly string[];
}

/**
 * Exports the certificates that `params` describe (lists as repeated parameters, or joined by commas).
 * Errors: forbidden, invalid (parameters; more certificates than an export may hold).
 */
export async function exportCertificates(
  { ctx, params }: { ctx: Context; params: URLSearchParams },
): Promise<ExportDocument> {
  const errors: FieldErrors = {};
  const { lookup, errors: bad } = parseQuery(params, fieldMap(certificates), {
    reserved: new Set(EXPORT_PARAMETERS),
  });
  Object.assign(errors, bad);
  const query = readParameters(params, errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const condition = await listCondition({ ctx, resource: certificates, filter: lookup });
  const { format } = query;
  const matching = narrowed(condition, query.ids);
  await requireSize(ctx, matching);
  return {
    mediaType: format.mediaType,
    fileName: `certificates.${format.extension}`,
    text: format.write(pages(ctx, matching, query.fields), query.fields),
  };
}

/** Exports one certificate. Errors: forbidden, not_found, invalid. */
export async function exportCertificate(
  { ctx, id, params }: { ctx: Context; id: number; params: URLSearchParams },
): Promise<ExportDocument> {
  const errors: FieldErrors = {};
  for (const name of new Set(params.keys())) {
    if (!(EXPORT_PARAMETERS as readonly string[]).includes(name) || name === "ids") {
      addError(errors, name, "Unknown parameter.");
    }
  }
  const { format, fields } = readParameters(params, errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const condition = await listCondition({ ctx, resource: certificates, filter: { kind: "and", terms: [] } });
  const rows: Record<string, unknown>[] = [];
  for await (const row of pages(ctx, narrowed(condition, [id]), [...new Set([...fields, "common_name"])])) {
    rows.push(row);
  }
  const [row] = rows;
  if (row === undefined) throw notFound();
  const shown = Object.fromEntries(fields.map((name) => [name, row[name]]));
  return {
    mediaType: format.mediaType,
    fileName: `${row.common_name}.${format.extension}`,
    text: format.write(one(shown), fields),
  };
}

async function* one(row: Record<string, unknown>): AsyncGenerator<Record<string, unknown>> {
  yield await Promise.resolve(row);
}

type Condition = Awaited<ReturnType<typeof listCondition>>;

function narrowed(condition: Condition, ids: readonly number[] | undefined): Condition {
  return both(condition, ids === undefined ? undefined : sql`certificates.id IN ${idsIn(ids)}`);
}

function readParameters(params: URLSearchParams, errors: FieldErrors): ExportQuery {
  const name = params.get("format") ?? "json";
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format === undefined) {
    addError(errors, "format", `Expected one of ${Object.keys(FORMATS).join(", ")}, not ${quote(name)}.`);
  }
  const ids = readIds(params, errors);
  const named = listOf(params, "fields");
  for (const field of named) {
    if (EXPORT_FIELDS.includes(field)) continue;
    const near = nearest(field, EXPORT_FIELDS);
    addError(
      errors,
      "fields",
      `Unknown field ${quote(field)}.${near === undefined ? "" : ` Did you mean “${near}”?`}`,
    );
  }
  const fields = named.length === 0 ? [...DEFAULT_FIELDS] : named;
  if (readFlag(params, "include_pem", errors) && !fields.includes("pem_content")) fields.push("pem_content");
  readFlag(params, "include_chain", errors);
  return { format: format ?? (FORMATS.json as Format), ids, fields };
}

function readIds(params: URLSearchParams, errors: FieldErrors): number[] | undefined {
  if (!params.has("ids")) return undefined;
  const given = listOf(params, "ids");
  const wrong = given.find((id) => !/^\d{1,15}$/.test(id));
  if (wrong !== undefined) addError(errors, "ids", `Expected whole numbers, not ${quote(wrong)}.`);
  if (given.length > MAX_LOOKUP_VALUES) {
    addError(errors, "ids", `Expected at most ${MAX_LOOKUP_VALUES} ids, not ${given.length}.`);
  }
  return given.map(Number);
}

function listOf(params: URLSearchParams, name: string): string[] {
  const values = params.getAll(name).flatMap((value) => value.split(",")).map((value) => value.trim());
  return [...new Set(values.filter((value) => value !== ""))];
}

function readFlag(params: URLSearchParams, name: string, errors: FieldErrors): boolean {
  const given = (params.get(name) ?? "").toLowerCase();
  if (!["", "true", "false", "1", "0"].includes(given)) {
    addError(errors, name, `Expected true or false, not ${quote(given)}.`);
  }
  return given === "true" || given === "1";
}

/** Never a silent cut: more than may be exported is refused. */
async function requireSize({ database, settings }: Context, condition: Condition): Promise<void> {
  const limit = settings.maxExportSize;
  const [row] = await database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM (SELECT 1 FROM ${certificates.table}${where(condition)} LIMIT ${
      limit + 1
    })`,
  );
  if ((row?.n ?? 0) <= limit) return;
  throw new AppError(
    "invalid",
    `Export size exceeds maximum of ${limit} certificates. Narrow it with filters or ids, or fetch it in parts.`,
  );
}

/** Rows in the order of their ids, a page at a time: memory does not grow with the export. */
async function* pages(
  ctx: Context,
  condition: Condition,
  fields: readonly string[],
): AsyncGenerator<Record<string, unknown>> {
  const packed = selectList(certificates, { brief: false, omit: ["display"], fields, long: true }, ctx);
  for (let after = 0, last = 0;;) {
    const rows = await ctx.database.all<Row>(
      sql`SELECT ${packed.list} FROM ${certificates.table}${
        where(condition, sql`certificates.id > ${after}`)
      } ORDER BY certificates.id LIMIT ${EXPORT_PAGE_ROWS}`,
    );
    for (const row of packed.unpack(rows)) {
      last = row.id as number;
      yield Object.fromEntries(fields.map((name) => [name, exportValue(name, row, ctx)]));
    }
    if (rows.length < EXPORT_PAGE_ROWS) return;
    after = last;
  }
}
