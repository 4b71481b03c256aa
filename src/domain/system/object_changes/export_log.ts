/** Exports the audit log and the change log as streams of CSV or JSON. */

import { type SQL, sql } from "drizzle-orm";
import { authorize, type Context } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import type { Download } from "../../../base/download.ts";
import { AppError, invalid } from "../../../base/errors.ts";
import { addFinding, finding } from "../../../base/findings.ts";
import { pacer } from "../../../base/pace.ts";
import { changedNames, readSnapshots, SNAPSHOTS, type Snapshots } from "../../../changes/mod.ts";
import { andAll, where } from "../../../db/mod.ts";
import { parseQuery } from "../../../filters/mod.ts";
import { type ExportRow, FORMATS, writeDocument } from "../../../formats/mod.ts";
import { listCondition, type Resource } from "../../../resource/mod.ts";
import { auditEvents } from "../audit_events/resource.ts";
import { objectChanges } from "./resource.ts";

/** The formats of the export. */
export const LOG_FORMATS = ["csv", "json"] as const;
/** Number of rows that are read at once, and maximum length of a value in the list of changes. */
const [PAGE_ROWS, MAX_VALUE_CHARS] = [100, 100];

/** Columns by type, as the table has them. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  "core.auditevent": ["id", "time", "event", "user_id", "username", "address", "user_agent", "detail"],
  "core.objectchange": [
    "id",
    "time",
    "username",
    "action",
    "object_type",
    "object_id",
    "object_repr",
    "message",
    "request_id",
  ],
};

/** The logs that can be exported. */
export const LOGS = [auditEvents, objectChanges] as const;

/**
 * Exports the entries of a log that the filters select, oldest first. Errors: forbidden, invalid (parameters; more
 * entries than an export may contain, unless it is `unlimited`).
 */
export async function exportLog(
  { ctx, log, params, unlimited = false }: {
    ctx: Context;
    log: typeof LOGS[number];
    params: URLSearchParams;
    unlimited?: boolean;
  },
): Promise<Download> {
  authorize(ctx, "view", log.map);
  const { condition: filter, errors } = parseQuery(params, log.map, { reserved: new Set(["format"]) });
  const given = params.get("format") ?? "csv";
  const name = LOG_FORMATS.find((one) => one === given);
  if (name === undefined) {
    const value = JSON.stringify(given.slice(0, 50));
    addFinding(errors, "format", finding("unexpected", { expected: "csv or json", value }));
  }
  if (name === undefined || errors.length > 0) throw invalid(errors);
  const condition = await listCondition({ ctx, resource: log, filter });
  if (!unlimited) await requireSize(ctx, log, condition);
  const { mediaType, extension, writer } = FORMATS[name];
  return {
    mediaType,
    fileName: `${log.path.split("/").at(-1)}.${extension}`,
    text: writeDocument(
      writer([...COLUMNS[log.objectType] ?? [], ...log === objectChanges ? ["changes"] : []]),
      pagesOf(ctx, log, condition),
    ),
  };
}

async function requireSize(
  { database, settings: { maxExportSize } }: Context,
  { table, labelPlural }: Pick<Resource, "table" | "labelPlural">,
  condition: SQL | undefined,
): Promise<void> {
  // Along the ids, as the rows are read later.
  const rows = sql`SELECT 1 FROM ${table}${where(andAll(condition, sql`id > 0`))} ORDER BY id
    LIMIT ${maxExportSize + 1}`;
  const [{ n = 0 } = {}] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM (${rows})`);
  if (n <= maxExportSize) return;
  throw new AppError(
    "invalid",
    `Export size exceeds maximum of ${maxExportSize} ${labelPlural} (CERTMGR_MAX_EXPORT_SIZE). Narrow it with filters such ` +
      "as time__gte, or export in parts.",
  );
}

async function* pagesOf(
  ctx: Context,
  log: typeof LOGS[number],
  condition: SQL | undefined,
): AsyncGenerator<ExportRow[]> {
  const names: SQL[] = (COLUMNS[log.objectType] ?? []).map((name) => sql`${sql.identifier(name)}`);
  if (log === objectChanges) names.push(sql`${SNAPSHOTS} AS changes`);
  const columns = sql.join(names, sql`, `);
  const pause = pacer();
  for (let after = 0;;) {
    const rows = await ctx.database.all<
      Omit<ExportRow, "id"> & { id: number; time: number; changes?: string }
    >(
      sql`SELECT ${columns} FROM ${log.table}${
        where(andAll(condition, sql`id > ${after}`))
      } ORDER BY id LIMIT ${PAGE_ROWS}`,
    );
    const shown: ExportRow[] = [];
    for (const { changes, ...row } of rows) {
      await pause();
      const more = changes === undefined ? {} : { changes: changeTexts(readSnapshots(changes)) };
      shown.push({ ...row, time: formatDatetime(row.time), ...more });
    }
    if (shown.length > 0) yield shown;
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.id ?? after;
  }
}

/** Returns `status: active → replaced` for each field that an update changed. */
function changeTexts(snapshots: Snapshots): string[] {
  const text = (value: unknown): string => {
    if (value === null || value === undefined || value === "") return "–";
    const full = typeof value === "string" ? value : JSON.stringify(value);
    return full.length <= MAX_VALUE_CHARS ? full : `${full.slice(0, MAX_VALUE_CHARS)}…`;
  };
  const { prechange, postchange } = snapshots;
  return changedNames(snapshots).map((name) =>
    `${name}: ${text(prechange?.[name])} → ${text(postchange?.[name])}`
  );
}
