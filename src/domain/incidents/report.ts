/** The burn-down chart of an incident, and its end report: when each certificate was replaced and first seen deployed. */

import { sql } from "drizzle-orm";
import { type Context, restrictionSql, visible } from "../../auth/mod.ts";
import { addDays, DAY_MS, formatDate, type Millis, startOfDay } from "../../base/clock.ts";
import type { Download } from "../../base/download.ts";
import { invalid } from "../../base/errors.ts";
import { addFinding, finding } from "../../base/findings.ts";
import { pacer } from "../../base/pace.ts";
import { where } from "../../db/mod.ts";
import { matchesNothing } from "../../filters/mod.ts";
import { type ExportRow, FORMATS, writeDocument } from "../../formats/mod.ts";
import { quote } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { listMembers, type MemberPage } from "./list_members.ts";

/** Maximum number of columns of a chart; longer ones have several days. */
const MAX_COLUMNS = 40;

/** The certificates that were left at the end of a part of the time. */
export interface Left {
  /** The first day, and the one after the last. */
  readonly from: string;
  readonly before: string;
  readonly open: number;
  /** With a successor that was not deployed. */
  readonly replaced: number;
}

interface DayRow {
  readonly day: Millis;
  readonly joined: number;
  readonly replaced: number;
  readonly deployed: number;
}

/**
 * Returns what was left day by day from the start of an incident until its end or today, of the certificates that the
 * caller may view; without those that are excluded. One statement.
 */
export async function burnDown(
  ctx: Context,
  { id, began, ended }: { id: number; began: Millis; ended: Millis | null },
): Promise<Left[]> {
  const seen = visible(ctx, certificates.map);
  if (matchesNothing(seen)) return [];
  const rows = await ctx.database.all<DayRow>(
    sql`WITH member AS MATERIALIZED (
        SELECT joined_at, replaced_at, iif(state = 'deployed', coalesce(deployed_at, ${ctx.clock.now()}), NULL) AS deployed_at
        FROM incident_certificates AS own CROSS JOIN certificates ON certificates.id = own.certificate_id${
      where(
        sql`own.incident_id = ${id} AND own.state <> 'excluded'`,
        restrictionSql(ctx, seen, { map: certificates.map }),
      )
    })
      SELECT at / ${DAY_MS} * ${DAY_MS} AS day, sum(joined) AS joined, sum(replaced) AS replaced, sum(deployed) AS deployed
      FROM (SELECT joined_at AS at, 1 AS joined, 0 AS replaced, 0 AS deployed FROM member
        UNION ALL SELECT max(joined_at, replaced_at), 0, 1, 0 FROM member WHERE replaced_at IS NOT NULL
        UNION ALL SELECT max(joined_at, deployed_at), 0, 0, 1 FROM member WHERE deployed_at IS NOT NULL)
      GROUP BY 1`,
    { long: true, owner: ctx.actor.userId },
  );
  const first = startOfDay(began);
  const days = Math.max(1, Math.round((startOfDay(ended ?? ctx.clock.now()) - first) / DAY_MS) + 1);
  const step = Math.ceil(days / MAX_COLUMNS);
  return Array.from({ length: Math.ceil(days / step) }, (_, index) => {
    const from = addDays(first, index * step);
    const before = addDays(from, step);
    const until = rows.filter(({ day }) => day < before);
    const sum = (name: "joined" | "replaced" | "deployed"): number =>
      until.reduce((total, row) => total + row[name], 0);
    return {
      from: formatDate(from),
      before: formatDate(before),
      open: sum("joined") - sum("replaced"),
      replaced: sum("replaced") - sum("deployed"),
    };
  });
}

export const REPORT_COLUMNS = [
  "id",
  "common_name",
  "serial_number",
  "issuer",
  "tenant",
  "owner",
  "state",
  "overdue",
  "reason",
  "joined_at",
  "told_at",
  "replaced_at",
  "deployed_at",
  "successor",
  "successor_serial_number",
] as const;

export const INCIDENT_REPORT_FORMATS = ["json", "csv"] as const;

/** Number of rows per statement. */
const PAGE_ROWS = 500;
/** The fields of certificates that a report reads. */
const FIELDS =
  "id,common_name,serial_number,issuer,tenant,owner,replaced_by,state,reason,joined_at,told_at,replaced_at,deployed_at";

/** Returns the report as a file that is read page by page. Errors: forbidden, not_found, invalid. */
export async function incidentReport(
  { ctx, id, params }: { ctx: Context; id: number; params: URLSearchParams },
): Promise<Download> {
  const errors: ReturnType<typeof finding>[] = [];
  for (const name of params.keys()) {
    if (name !== "format") addFinding(errors, name, finding("unknown_parameter", { names: ["format"] }));
  }
  const format = INCIDENT_REPORT_FORMATS.find((one) => one === (params.get("format") ?? "json"));
  if (format === undefined) {
    const value = quote(params.get("format"));
    addFinding(errors, "format", finding("expected_one_of", { choices: INCIDENT_REPORT_FORMATS, value }));
  }
  if (format === undefined || errors.length > 0) throw invalid(errors);
  const { mediaType, extension, writer } = FORMATS[format];
  const [found] = await ctx.database.all<{ ids: string }>(
    sql`SELECT json_group_array(certificate_id) AS ids FROM (
      SELECT certificate_id FROM incident_certificates WHERE incident_id = ${id} ORDER BY 1)`,
    { long: true, owner: ctx.actor.userId },
  );
  const pages = rowsFrom(ctx, { id, ids: JSON.parse(found?.ids ?? "[]") });
  return {
    mediaType,
    fileName: `incident-${id}.${extension}`,
    text: writeDocument(writer(REPORT_COLUMNS), pages),
  };
}

/** Yields the rows of a report page by page; the first page also if there are none, so that rights are checked. */
async function* rowsFrom(
  ctx: Context,
  { id, ids }: { id: number; ids: readonly number[] },
): AsyncGenerator<ExportRow[]> {
  const size = Math.min(ctx.settings.maxPageSize, PAGE_ROWS);
  const pause = pacer();
  const params = new URLSearchParams({ start: "0", fields: FIELDS, limit: `${size}` });
  for (let from = 0; from === 0 || from < ids.length; from += size) {
    yield reportRows(await listMembers({ ctx, id, params, among: ids.slice(from, from + size) }));
    await pause();
  }
}

/** Returns the rows of the report for a page of certificates. */
export function reportRows({ incident, results }: Pick<MemberPage, "incident" | "results">): ExportRow[] {
  const isOverdue = incident.counts.overdue > 0;
  return results.map(({ tenant, owner, replaced_by: successor, ...one }) => ({
    id: one.id ?? null,
    common_name: one.common_name ?? "",
    serial_number: one.serial_number ?? "",
    issuer: one.issuer ?? "",
    tenant: tenant?.display ?? null,
    owner: owner?.contact.display ?? null,
    state: one.state ?? "",
    overdue: isOverdue && one.state === "open",
    reason: one.reason ?? "",
    joined_at: one.joined_at ?? null,
    told_at: one.told_at ?? null,
    replaced_at: one.replaced_at ?? null,
    deployed_at: one.deployed_at ?? null,
    successor: successor?.id ?? null,
    successor_serial_number: successor === null || successor === undefined
      ? null
      : String(successor.serial_number),
  }));
}
