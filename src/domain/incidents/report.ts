/**
 * The impact of an incident before it is opened, its burn-down chart, and its end report: when each certificate was
 * replaced and first seen deployed.
 */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, restrictionSql, visible, visibleSql } from "../../auth/mod.ts";
import { addDays, DAY_MS, formatDate, type Millis, startOfDay } from "../../base/clock.ts";
import type { Download } from "../../base/download.ts";
import { invalid } from "../../base/errors.ts";
import { addFinding, finding } from "../../base/findings.ts";
import { pacer } from "../../base/pace.ts";
import { where } from "../../db/mod.ts";
import { matchesNothing } from "../../filters/mod.ts";
import { type ExportRow, FORMATS, writeDocument } from "../../formats/mod.ts";
import { objectBody, operation } from "../../operation/mod.ts";
import { BRIEF, groupsByObject, loadBriefs, quote } from "../../resource/mod.ts";
import { assignments } from "../assignments/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { contacts, ownerIdSql } from "../contacts/mod.ts";
import { devices, services, sites, tenants, virtualMachines } from "../inventory/mod.ts";
import { Criteria, criteriaSql, readCriteria } from "./criteria.ts";
import { incidents } from "./resource.ts";
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

/** Maximum number of groups; the others are counted together under null. */
const MAX_GROUPS = 200;

const Impact = z.object({
  affected: z.int(),
  by_tenant: z.array(z.object({ tenant: BRIEF.nullable(), affected: z.int() })),
  by_owner: z.array(z.object({ owner: BRIEF.nullable(), affected: z.int() })),
  by_issuer: z.array(z.object({ issuer: z.string().nullable(), affected: z.int() })),
  by_site: z.array(z.object({ site: BRIEF.nullable(), affected: z.int() }))
    .describe("By the sites of devices and virtual machines; a certificate at two sites counts for both."),
});
export type Impact = z.infer<typeof Impact>;

/**
 * Counts the certificates that criteria select and that the caller may view. One statement in the background, and three
 * for names. Errors: forbidden, invalid.
 */
export const previewIncident = operation({
  needs: [["manage_incidents", incidents], ["view", certificates]],
  input: objectBody({ criteria: Criteria }),
  output: Impact,
  run: async ({ ctx, input: { criteria }, allowed }) => {
    const matching = where(
      await criteriaSql(ctx, await readCriteria(criteria)),
      restrictionSql(ctx, allowed(certificates), { map: certificates.map }),
    );
    const groups = await ctx.database.all<Group>(
      sql`WITH placed AS MATERIALIZED (${placesSql(ctx)}), matching AS MATERIALIZED (
          SELECT certificates.id, certificates.tenant_id, certificates.issuer,
            ${ownerIdSql(ctx, "certificates")} AS owner_id FROM certificates${matching}
        ) SELECT 'tenant' AS by, tenant_id AS key, count(*) AS n FROM matching GROUP BY 2
        UNION ALL SELECT 'owner', owner_id, count(*) FROM matching GROUP BY 2
        UNION ALL SELECT 'issuer', issuer, count(*) FROM matching GROUP BY 2
        UNION ALL SELECT 'site', placed.site_id, count(*)
          FROM matching LEFT JOIN placed ON placed.certificate_id = matching.id GROUP BY 2`,
      { long: true, owner: ctx.actor.userId },
    );
    const largestBy = (by: string): Group[] =>
      groups.filter((group) => group.by === by).sort((a, b) => b.n - a.n);
    const [byTenant, byOwner] = [largestBy("tenant"), largestBy("owner")];
    const [byIssuer, bySite] = [largestBy("issuer"), largestBy("site")];
    const [tenantsById, ownersById, sitesById] = await Promise.all([
      loadBriefs(ctx, tenants, idsOf(byTenant)),
      loadBriefs(ctx, contacts, idsOf(byOwner)),
      loadBriefs(ctx, sites, idsOf(bySite)),
    ]);
    const named = <Of>(all: readonly Group[], objectOf: (key: Group["key"]) => Of | undefined) =>
      groupsByObject(all.map(({ key, n }) => [key, n] as const), {
        objectOf,
        add: (one, other) => one + other,
        most: MAX_GROUPS,
      });
    return {
      affected: byIssuer.reduce((total, { n }) => total + n, 0),
      by_tenant: named(byTenant, (key) => tenantsById.get(Number(key)))
        .map(([tenant, affected]) => ({ tenant, affected })),
      by_owner: named(byOwner, (key) => ownersById.get(Number(key)))
        .map(([owner, affected]) => ({ owner, affected })),
      by_issuer: named(byIssuer, String).map(([issuer, affected]) => ({ issuer, affected })),
      by_site: named(bySite, (key) => sitesById.get(Number(key)))
        .map(([site, affected]) => ({ site, affected })),
    };
  },
});

/** Returns the pairs of certificates and sites that follow from the assignments and systems that the caller may view. */
function placesSql(ctx: Context): SQL {
  const hosts = sql.join(
    [devices, virtualMachines].map(({ objectType, map }) =>
      sql`SELECT ${objectType} AS type, id, site_id FROM ${sql.identifier(map.table)}${
        where(sql`site_id IS NOT NULL`, visibleSql(ctx, map))
      }`
    ),
    sql` UNION ALL `,
  );
  return sql`WITH host AS (${hosts}), system AS (SELECT * FROM host UNION ALL
      SELECT ${services.objectType}, services.id, host.site_id FROM services
      JOIN host ON host.type = services.parent_object_type AND host.id = services.parent_object_id${
    where(visibleSql(ctx, services.map))
  })
    SELECT DISTINCT certificate_assignments.certificate_id, system.site_id FROM certificate_assignments
    JOIN system ON system.type = certificate_assignments.assigned_object_type
      AND system.id = certificate_assignments.assigned_object_id${where(visibleSql(ctx, assignments.map))}`;
}

interface Group {
  readonly by: string;
  readonly key: number | string | null;
  readonly n: number;
}

function idsOf(groups: readonly Group[]): number[] {
  return groups.slice(0, MAX_GROUPS).flatMap(({ key }) => typeof key === "number" ? [key] : []);
}
