/** Forecasts renewals month by month, with the rules in force now and those that come. */

import { and, count, gt, inArray, lte, max, type SQL, sql } from "drizzle-orm";
import type { Context, ValidityRule } from "../../auth/mod.ts";
import { DAY_MS, type Millis, MINUTE_MS, parseDatetime } from "../../base/clock.ts";
import type { Download } from "../../base/download.ts";
import { dropOldest } from "../../base/memoize.ts";
import { pacer } from "../../base/pace.ts";
import { perDatabase, readBatch, select } from "../../db/mod.ts";
import { certificates as table } from "../../db/schema/mod.ts";
import { isEverything } from "../../filters/mod.ts";
import { FORMATS, writeDocument } from "../../formats/mod.ts";
import { type Brief, groupsByObject, listCondition, loadBriefs, viewKey } from "../../resource/mod.ts";
import type { Usage } from "../../x509/mod.ts";
import { BY_HAND, certificates, inUseSql } from "../certificates/mod.ts";
import { contacts, ownerIdSql } from "../contacts/mod.ts";
import { tenants } from "../inventory/mod.ts";
import { isLifetime } from "../rules/mod.ts";
import {
  type Forecast,
  type ForecastQuery,
  monthName,
  monthNumber,
  monthStart,
  readForecastQuery,
} from "./query.ts";

/** The most days that a certificate may last that is issued at `from` or later; the earliest first. */
interface LifetimeLimit {
  readonly from: Millis;
  readonly days: number;
}

/** A certificate that is renewed again and again. */
interface ForecastCertificate {
  readonly validFrom: Millis;
  readonly validTo: Millis;
  /** Empty unless it is publicly trusted. */
  readonly limits: readonly LifetimeLimit[];
}

/**
 * Yields the times at which a certificate and its successors are renewed, from `now` on and before `end`, each with the
 * lifetime of the new certificate. A renewal that is late happens now.
 */
export function* renewalsOf(
  { validFrom, validTo, limits }: ForecastCertificate,
  { now, end, renewAt }: { now: Millis; end: Millis; renewAt: number },
): Generator<{ readonly at: Millis; readonly lifetime: Millis }> {
  const first = Math.max(DAY_MS, validTo - validFrom + 1_000);
  let at = Math.max(now, validFrom + first * renewAt);
  while (at < end) {
    const limit = limits.findLast(({ from }) => from <= at);
    const lifetime = limit === undefined ? first : Math.min(first, limit.days * DAY_MS);
    yield { at, lifetime };
    at += Math.max(DAY_MS, lifetime * renewAt);
  }
}

/** Returns the limits for a publicly trusted certificate with these usages. Where two apply, the stricter one counts. */
export function lifetimeLimits(rules: readonly ValidityRule[], usages: readonly Usage[]): LifetimeLimit[] {
  if (usages.includes("ca")) return [];
  const own = rules.flatMap(({ name, applies_to, from, max_days }) =>
    isLifetime(name) && max_days !== null && usages.includes(applies_to)
      ? [{ name, from: parseDatetime(from) ?? 0, days: max_days }]
      : []
  ).sort((a, b) => a.from - b.from);
  return own.map(({ from }) => {
    const inForce = new Map(own.filter((one) => one.from <= from).map(({ name, days }) => [name, days]));
    return { from, days: Math.min(...inForce.values()) };
  });
}

/** Number of ids of a statement: groups have few equal certificates, so that its result has a row for nearly each id. */
const [PAGE_IDS, GROUPED_PAGE_IDS] = [50_000, 10_000];
/** Maximum number of groups; the others are counted together. */
const MAX_GROUPS = 200;

/** The id of an owner or tenant, or an issuer. */
type Key = number | string | null;

interface Sum {
  due: number;
  renewals: number;
  manual: number;
}

/** Forecasts the renewals of the certificates in use that the filters select. Statements read some ids each. */
export async function forecast({ ctx, query }: { ctx: Context; query: ForecastQuery }): Promise<Forecast> {
  const { first, months, by, renewAt } = query;
  const condition = await listCondition({ ctx, resource: certificates, filter: query.filter });
  const { rules } = ctx.settings;
  const now = ctx.clock.now();
  const starts = Array.from({ length: months + 1 }, (_, index) => monthStart(first + index));
  const end = monthStart(first + months);
  const periods = Array.from({ length: months }, (): Sum => ({ due: 0, renewals: 0, manual: 0 }));
  const groups = new Map<Key, Sum>();
  const limitsOf = new Map<string, readonly LifetimeLimit[]>();
  const pause = pacer();
  const ids = by === "month" ? PAGE_IDS : GROUPED_PAGE_IDS;
  const long = { long: true, owner: ctx.actor.userId };
  const [[newest]] = await readBatch(ctx.database, [select({ id: max(table.id) }).from(table)], long);
  for (let after = 0; after < (newest?.id ?? 0); after += ids) {
    const page = pageSql(condition, { after, ids, grouped: groupedSql(ctx, by) });
    const [rows] = await readBatch(ctx.database, [page], long);
    for (const row of rows) {
      await pause();
      const group = groups.get(row.grouped) ?? { due: 0, renewals: 0, manual: 0 };
      groups.set(row.grouped, group);
      const limits = limitsOf.getOrInsertComputed(
        row.usages,
        (usages) => lifetimeLimits(rules, JSON.parse(usages)),
      );
      const add = (at: Millis, name: keyof Sum): void => {
        const period = periods[monthOf(starts, at)];
        if (period === undefined) return;
        period[name] += row.n;
        group[name] += row.n;
      };
      add(row.to_day * DAY_MS, "due");
      const validFrom = row.from_day * DAY_MS;
      const certificate = { validFrom, validTo: validFrom + row.days * DAY_MS - 1_000, limits };
      for (const { at } of renewalsOf(certificate, { now, end, renewAt })) {
        add(at, "renewals");
        if (row.by_hand === 1) add(at, "manual");
      }
    }
  }
  const rates = ratesOf(periods, { first, now, rules });
  // The dashboard shows what the page of the forecast has just shown.
  if (isEverything(query.filter) && isDefault(query, ctx)) keepRates(ctx, Promise.resolve(rates));
  return {
    renew_at: renewAt,
    rates,
    periods: periods.map((sum, index) => ({
      period: monthName(first + index),
      ...sum,
    })),
    groups: by === "month" ? [] : await namedGroups(ctx, by, groups),
  };
}

/**
 * Returns how many certificates are renewed per month, before and after each change of a rule about lifetimes. The
 * current month, which has the renewals that are late, is left out.
 */
function ratesOf(
  periods: readonly Sum[],
  { first, now, rules }: { first: number; now: Millis; rules: readonly ValidityRule[] },
): Forecast["rates"] {
  const current = monthNumber(now);
  const changes = rules.filter(({ name }) => isLifetime(name)).map(({ from }) =>
    monthNumber(parseDatetime(from) ?? 0)
  );
  const starts = [...new Set([Math.max(first, current + 1), ...changes.filter((one) => one > current + 1)])]
    .filter((one) => one >= first && one < first + periods.length).sort((a, b) => a - b);
  return starts.map((start, index) => {
    const months = periods.slice(start - first, (starts[index + 1] ?? Infinity) - first);
    const perMonth = (name: "renewals" | "manual"): number =>
      Math.round(months.reduce((sum, month) => sum + month[name], 0) / months.length);
    return { from: monthName(start), renewals: perMonth("renewals"), manual: perMonth("manual") };
  });
}

/** How long the rates of the dashboard are kept, because they need all certificates, in milliseconds. */
const RATES_MS = 60 * MINUTE_MS;
/** Maximum number of callers whose rates are kept. */
const MAX_KEPT = 200;
const ratesIn = perDatabase(() =>
  new Map<string, { readonly until: Millis; readonly rates: Promise<Forecast["rates"]> }>()
);

/** Returns the rates for all certificates that the caller may view, at most an hour old. Errors: forbidden. */
export async function renewalRates(ctx: Context): Promise<Forecast["rates"]> {
  const query = readForecastQuery(new URLSearchParams(), ctx);
  const [kept, key, now] = [ratesIn(ctx.database), viewKey(ctx, "rates"), ctx.clock.now()];
  const known = kept.get(key);
  if (known !== undefined && now < known.until) return await known.rates;
  const rates = forecast({ ctx, query }).then((made) => made.rates);
  keepRates(ctx, rates);
  rates.catch(() => kept.delete(key));
  return await rates;
}

function keepRates(ctx: Context, rates: Promise<Forecast["rates"]>): void {
  const [kept, key] = [ratesIn(ctx.database), viewKey(ctx, "rates")];
  kept.delete(key);
  kept.set(key, { until: ctx.clock.now() + RATES_MS, rates });
  dropOldest(kept, MAX_KEPT);
}

/** Returns whether a query has the months and the part of the lifetime that the dashboard has. */
function isDefault({ first, months, renewAt }: ForecastQuery, ctx: Context): boolean {
  const usual = readForecastQuery(new URLSearchParams(), ctx);
  return first === usual.first && months === usual.months && renewAt === usual.renewAt;
}

/** Returns the index of the month with a time; -1 before all. A date would take a third of the whole forecast. */
function monthOf(starts: readonly Millis[], at: Millis): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function groupedSql(ctx: Context, by: ForecastQuery["by"]): SQL {
  switch (by) {
    case "month":
      return sql`NULL`;
    case "owner":
      return ownerIdSql(ctx, "certificates");
    case "tenant":
      return sql`certificates.tenant_id`;
    case "issuer":
      return sql`certificates.issuer`;
  }
}

/**
 * Counts certificates in use that are valid from and to the same days, for as many days (rounded up), and are equal in
 * everything else that matters; `grouped` is the key of the group.
 */
// deno-lint-ignore explicit-function-return-type -- the type of the rows follows from the statement
function pageSql(
  condition: SQL | undefined,
  { after, ids, grouped }: { after: number; ids: number; grouped: SQL },
) {
  const { id, valid_from, valid_to, publicly_trusted } = table;
  const keys = {
    from_day: sql<number>`${valid_from} / ${sql.raw(String(DAY_MS))}`,
    to_day: sql<number>`${valid_to} / ${sql.raw(String(DAY_MS))}`,
    days: sql<number>`(${valid_to} - ${valid_from} + 1000 + ${sql.raw(String(DAY_MS - 1))}) / ${
      sql.raw(String(DAY_MS))
    }`,
    by_hand: sql<number>`${inArray(table.automation, [...BY_HAND])}`,
    usages: sql<string>`CASE WHEN ${publicly_trusted} = 1 THEN ${table.usages} ELSE '[]' END`,
    grouped: sql<Key>`${grouped}`,
  };
  return select({ ...keys, n: count() }).from(table)
    .where(and(gt(id, after), lte(id, after + ids), inUseSql("certificates"), condition))
    .groupBy(sql`1, 2, 3, 4, 5, 6`);
}

const COLUMNS = ["section", "id", "name", "due", "renewals", "manual"] as const;

/** Returns the months and the groups as a CSV file. */
export function forecastDocument({ periods, groups }: Forecast): Download {
  const { mediaType, extension, writer } = FORMATS.csv;
  const rows = [
    ...periods.map(({ period, ...sum }) => ({ section: "month", id: null, name: period, ...sum })),
    ...groups.map(({ owner, tenant, issuer, ...sum }) => {
      const object = owner ?? tenant;
      const section = owner === undefined ? tenant === undefined ? "issuer" : "tenant" : "owner";
      return { section, id: object?.id ?? null, name: object?.display ?? issuer ?? "", ...sum };
    }),
  ];
  return {
    mediaType,
    fileName: `forecast.${extension}`,
    text: writeDocument(writer(COLUMNS), ReadableStream.from([rows])),
  };
}

/** Returns the groups under the objects that the caller may view; the others are summed up under null. */
async function namedGroups(
  ctx: Context,
  by: "owner" | "tenant" | "issuer",
  sums: ReadonlyMap<Key, Sum>,
): Promise<Forecast["groups"]> {
  const largest = [...sums].sort(([, a], [, b]) => b.renewals - a.renewals);
  const shown = largest.slice(0, MAX_GROUPS);
  const ids = shown.flatMap(([key]) => typeof key === "number" ? [key] : []);
  const briefs = by === "issuer"
    ? undefined
    : await loadBriefs(ctx, by === "owner" ? contacts : tenants, ids);
  const add = (one: Sum, other: Sum): Sum => ({
    due: one.due + other.due,
    renewals: one.renewals + other.renewals,
    manual: one.manual + other.manual,
  });
  const objectOf = (key: Key): Brief | string | undefined =>
    typeof key === "string" ? key : briefs?.get(key ?? 0);
  return groupsByObject(largest, { objectOf, add, most: MAX_GROUPS })
    .filter(([object, { due, renewals }]) => object !== null || due + renewals > 0)
    .map(([object, sum]) => ({ [by]: object, ...sum }));
}
