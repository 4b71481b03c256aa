/** Fields of exports, how their values are written, and how pages of rows are read. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { objectMaker, type Row, where } from "../../../db/mod.ts";
import type { ExportRow, ExportValue } from "../../../formats/mod.ts";
import { isDictionary } from "../../../filters/mod.ts";
import {
  CUSTOM_COLUMN,
  CUSTOM_PREFIX,
  type NameOf,
  parseNested,
  requireField,
  selectList,
} from "../../../resource/mod.ts";
import { type Certificate, certificates, readFindings } from "../mod.ts";

/** Number of rows per statement. */
export const EXPORT_PAGE_ROWS = 500;
/** Number of rows per statement if they have long texts: each row may have two of 1 MiB. */
export const EXPORT_LONG_PAGE_ROWS = 50;

/** Refuses an export that exceeds the limit, because exports are never truncated. Errors: invalid. */
export async function requireExportSize(
  { database, settings: { maxExportSize } }: Context,
  condition: SQL | undefined,
): Promise<void> {
  const matching = sql`SELECT 1 FROM ${certificates.table}${where(condition)}`;
  if (await count(database, sql`${matching} LIMIT ${maxExportSize + 1}`) <= maxExportSize) return;
  const all = await count(database, matching);
  throw new AppError(
    "invalid",
    `Export size exceeds maximum of ${maxExportSize} certificates. The export would contain ${all}. Narrow it with filters or ` +
      "ids, or export in parts.",
  );
}

async function count(database: Context["database"], rows: SQL): Promise<number> {
  const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM (${rows})`);
  return row?.n ?? 0;
}

/**
 * Reads rows in the order of their ids, with one statement per page, so that memory does not grow with the
 * export.
 */
export async function* readPages(
  { ctx, condition, fields }: { ctx: Context; condition: SQL | undefined; fields: readonly string[] },
): AsyncGenerator<ExportRow[]> {
  const sources = [...new Set(fields.map(exportedField))];
  const selection = { brief: false, omit: ["display"], fields: sources, long: true };
  const packed = selectList(certificates, selection, ctx);
  const readers = fields.map((name) => [name, exportReader(name)] as const);
  const shape = objectMaker<Record<string, ExportValue>>(fields);
  const toExport = (row: Row): ExportRow => {
    const values = shape();
    for (const [name, read] of readers) values[name] = read(row, ctx);
    return values;
  };
  const long = sources.some((name) => requireField(certificates, name).long);
  const limit = long ? EXPORT_LONG_PAGE_ROWS : EXPORT_PAGE_ROWS;
  for (let after = 0;;) {
    const page = sql`SELECT ${packed.list} FROM ${certificates.table}${
      where(condition, sql`certificates.id > ${after}`)
    } ORDER BY certificates.id LIMIT ${limit}`;
    const rows = packed.unpack(await ctx.database.all<Row>(packed.grouped(page, limit)));
    if (rows.length > 0) yield rows.map(toExport);
    if (rows.length < limit) return;
    after = rows.at(-1)?.id ?? after;
  }
}

/** Fields of an export by default. */
export const DEFAULT_FIELDS = [
  "id",
  "common_name",
  "serial_number",
  "fingerprint_sha256",
  "issuer",
  "valid_from",
  "valid_to",
  "days_remaining",
  "algorithm",
  "key_size",
  "status",
  "tenant",
  "sans",
] as const;

/** Additional fields that `fields` may select. */
export const EXTENDED_FIELDS = [
  "is_expired",
  "is_expiring_soon",
  "expiry_status",
  "private_key_location",
  "assignment_count",
  "created",
  "last_updated",
] as const satisfies readonly NameOf<Certificate>[];

/** All names that `fields` may contain, including those of long texts. */
export const EXPORT_FIELDS: readonly string[] = [
  ...DEFAULT_FIELDS,
  ...EXTENDED_FIELDS,
  "issuing_ca",
  "is_acme",
  "acme_provider",
  "acme_auto_renewal",
  "automation",
  "chain_status",
  "chain_is_valid",
  "chain_depth",
  "chain_errors",
  "chain_validation_message",
  "chain_validated_at",
  "publicly_trusted",
  "usages",
  "post_quantum",
  "kind",
  "pem_matches",
  "replaced_by",
  "replacement_reason",
  "revocation_status",
  "revoked_at",
  "revocation_reason",
  "revocation_checked_at",
  "renewal_window_start",
  "renewal_window_end",
  "renewal_explanation_url",
  "renewal_info_checked_at",
  "expiry_notices",
  "findings",
  "owner",
  "discovered_via",
  "endpoint_count",
  "first_seen",
  "last_seen",
  "lifetime_days",
  "key_algorithm",
  "signature_algorithm",
  "description",
  "comments",
  "renewal_note",
  "archived",
  "pinned",
  "tags",
  "pem_content",
  "issuer_chain",
];

/**
 * Returns the function that reads a field's value: tenants, authorities and owners by name, tags by slug,
 * successors by id, datetimes in UTC without a zone.
 */
function exportReader(name: string): (row: Row, ctx: Context) => ExportValue {
  if (name.startsWith(CUSTOM_PREFIX)) return customReader(name.slice(CUSTOM_PREFIX.length));
  const { read } = requireField(certificates, name);
  switch (name) {
    case "tenant":
    case "issuing_ca":
      return (row) => parseNested<{ name: string }>(row[name])?.name ?? null;
    case "owner":
      return (row) =>
        parseNested<{ name: string }>(parseNested<{ contact: unknown }>(row[name])?.contact)?.name ?? null;
    case "tags":
      return (row) => (parseNested<{ slug: string }[]>(row[name]) ?? []).map(({ slug }) => slug);
    case "findings":
      return (row) =>
        readFindings(row[name]).map(({ code, message, section }) => `${code}: ${message} (${section})`);
    case "replaced_by":
      return (row) => parseNested<{ id: number }>(row[name])?.id ?? null;
    default:
      if (!isTime(name)) return (row, ctx) => plainValue(read(row, ctx));
      return (row, ctx) => {
        const time = read(row, ctx);
        return typeof time === "string" ? time.slice(0, -1) : null;
      };
  }
}

function isTime(name: string): boolean {
  return ["first_seen", "last_seen"].includes(name) || certificates.map.fields[name]?.kind === "datetime";
}

/** Returns the field from which an exported column is read. */
function exportedField(name: string): string {
  return name.startsWith(CUSTOM_PREFIX) ? CUSTOM_COLUMN : name;
}

/**
 * Returns the function that reads the value of a custom field: objects by id, as imports accept them, and
 * JSON as text.
 */
function customReader(name: string): (row: Row, ctx: Context) => ExportValue {
  const { read } = requireField(certificates, CUSTOM_COLUMN);
  return (row, ctx) => {
    const values = read(row, ctx);
    const value = isDictionary(values) ? values[name] : null;
    return isDictionary(value) && "url" in value ? plainValue(value.id) : plainValue(value);
  };
}

/** Returns plain values and lists of texts as they are, others as JSON. */
function plainValue(value: unknown): ExportValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  return JSON.stringify(value);
}
