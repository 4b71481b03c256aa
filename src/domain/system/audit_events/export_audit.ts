/** Exports the audit log as a stream of CSV or JSON. */

import { addFinding, finding } from "../../../base/findings.ts";
import { and, gt, type SQL, sql } from "drizzle-orm";
import { authorize, type Context } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import type { Download } from "../../../base/download.ts";
import { AppError, invalid } from "../../../base/errors.ts";
import { select, where } from "../../../db/mod.ts";
import { audit_events } from "../../../db/schema/mod.ts";
import { parseQuery } from "../../../filters/mod.ts";
import { type ExportRow, FORMATS, writeDocument } from "../../../formats/mod.ts";
import { listCondition } from "../../../resource/mod.ts";
import { auditEvents } from "./resource.ts";

/** The formats of the export. */
export const AUDIT_FORMATS = ["csv", "json"] as const;
const COLUMNS = ["id", "time", "event", "user_id", "username", "address", "user_agent", "detail"] as const;
/** Number of rows that are read at once. */
const PAGE_ROWS = 500;

/**
 * Exports the audit events that the filters select, oldest first. Errors: forbidden, invalid (parameters;
 * more events than an export may contain).
 */
export async function exportAudit(
  { ctx, params }: { ctx: Context; params: URLSearchParams },
): Promise<Download> {
  authorize(ctx, "view", auditEvents.map);
  const { condition: filter, errors } = parseQuery(params, auditEvents.map, {
    reserved: new Set(["format"]),
  });
  const given = params.get("format") ?? "csv";
  const name = AUDIT_FORMATS.find((one) => one === given);
  if (name === undefined) {
    const value = JSON.stringify(given.slice(0, 50));
    addFinding(errors, "format", finding("unexpected", { expected: "csv or json", value }));
  }
  if (name === undefined || errors.length > 0) throw invalid(errors);
  const condition = await listCondition({ ctx, resource: auditEvents, filter });
  await requireSize(ctx, condition);
  const { mediaType, extension, writer } = FORMATS[name];
  return {
    mediaType,
    fileName: `audit-events.${extension}`,
    text: writeDocument(writer(COLUMNS), pagesOf(ctx, condition)),
  };
}

async function requireSize(
  { database, settings: { maxExportSize } }: Context,
  condition: SQL | undefined,
): Promise<void> {
  const rows = sql`SELECT 1 FROM ${audit_events}${where(condition)} LIMIT ${maxExportSize + 1}`;
  const [{ n = 0 } = {}] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM (${rows})`);
  if (n <= maxExportSize) return;
  throw new AppError(
    "invalid",
    `Export size exceeds maximum of ${maxExportSize} audit events (CERTMGR_MAX_EXPORT_SIZE). Narrow it with filters such ` +
      "as time__gte, or export in parts.",
  );
}

async function* pagesOf(ctx: Context, condition: SQL | undefined): AsyncGenerator<ExportRow[]> {
  const { id, time, event, user_id, username, address, user_agent, detail } = audit_events;
  for (let after = 0;;) {
    const rows = await ctx.database.all(
      select({ id, time, event, user_id, username, address, user_agent, detail }).from(audit_events)
        .where(and(condition, gt(id, after))).orderBy(id).limit(PAGE_ROWS),
    );
    if (rows.length > 0) yield rows.map((row) => ({ ...row, time: formatDatetime(row.time) }));
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.id ?? after;
  }
}
