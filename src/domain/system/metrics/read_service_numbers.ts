/** Reads numbers about the whole service. */

import { count, inArray, max, min, type SQL, sql } from "drizzle-orm";
import { authorize, type Context } from "../../../auth/mod.ts";
import { DAY_MS, type Millis, startOfDay } from "../../../base/clock.ts";
import { forbidden } from "../../../base/errors.ts";
import { type Database, perDatabase, readBatch, type Row, select } from "../../../db/mod.ts";
import { endpoints, leases, outbox, webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";
import { isEverything } from "../../../filters/mod.ts";
import { certificates, STATUSES, unarchived } from "../../certificates/mod.ts";
import { ENDPOINT_STATES } from "../../endpoints/mod.ts";
import { DELIVERY_STATES } from "../../webhooks/deliveries/resource.ts";
import { JOBS } from "../jobs/jobs.ts";

/** Counts by name, including zeros. */
type Counts = Readonly<Record<string, number>>;

interface CertificateNumbers {
  readonly byStatus: Counts;
  /** Certificates that are neither replaced nor revoked, each in one bucket. */
  readonly byExpiry: Counts;
}

/** Upper limits of the buckets in calendar days from today (UTC), counted like `days_remaining`. */
const WITHIN_DAYS = [7, 14, 30, 90] as const;
const BUCKETS: readonly string[] = ["expired", ...WITHIN_DAYS.map((days) => `within_${days}d`), "later"];
/** Statuses whose expiry does not matter. */
const OUT_OF_USE = new Set(["replaced", "revoked"]);

/**
 * Returns a statement with a row per status and a column per bucket. It reads ranges of an index: 40 ms for a
 * million certificates; GROUP BY takes ten times as long.
 */
function certificateCountsSql(now: Millis): SQL<Row> {
  const past = Math.floor(now / 1000) * 1000;
  const ends = [past, ...WITHIN_DAYS.map((days) => startOfDay(now) + (days + 1) * DAY_MS)];
  const counts = BUCKETS.map((bucket, index) => {
    const from = index === 0 ? sql`` : sql` AND valid_to >= ${ends[index - 1]}`;
    const to = index === ends.length ? sql`` : sql` AND valid_to < ${ends[index]}`;
    return sql`(SELECT count(*) FROM certificates INDEXED BY certificates_status_valid_to
      WHERE status = statuses.value${from}${to} AND ${unarchived("certificates")}) AS ${
      sql.identifier(bucket)
    }`;
  });
  return sql<Row>`SELECT value AS status, ${sql.join(counts, sql`, `)} FROM json_each(${
    JSON.stringify(STATUSES)
  }) AS statuses`;
}

/** Converts the rows of {@link certificateCountsSql}. */
function certificateNumbers(rows: readonly Row[]): CertificateNumbers {
  const used = rows.filter(({ status }) => !OUT_OF_USE.has(String(status)));
  return {
    byStatus: Object.fromEntries(
      rows.map((row) => [row.status, BUCKETS.reduce((sum, bucket) => sum + Number(row[bucket]), 0)]),
    ),
    byExpiry: Object.fromEntries(
      BUCKETS.map((bucket) => [bucket, used.reduce((sum, row) => sum + Number(row[bucket]), 0)]),
    ),
  };
}

interface QueueNumbers {
  /** Number of events that are not dispatched yet. */
  readonly outbox: number;
  /** Age of the oldest of these events in milliseconds; 0 if there is none. */
  readonly outboxAge: Millis;
  /** Number of deliveries in the log, by state. */
  readonly deliveries: Counts;
  /**
   * How long the oldest due delivery has been due, in milliseconds; 0 if there is none. Deliveries of disabled
   * webhooks are not due.
   */
  readonly overdue: Millis;
  /** Last start of each job, by name; jobs that never ran are absent. */
  readonly jobs: Readonly<Record<string, Millis>>;
}

const NO_DELIVERIES: Counts = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0]));

interface EndpointNumbers {
  readonly endpoints: Counts;
  /** Number of endpoints that are due or being probed. */
  readonly probesDue: number;
  readonly probesRunning: number;
  /**
   * How long the longest waiting endpoint has been due, in milliseconds. Endpoints with requested probes are
   * left out.
   */
  readonly probesLate: Millis;
  /** Time of the last probe or report, in milliseconds since the epoch; 0 if there was none. */
  readonly lastProbe: Millis;
}

const NO_ENDPOINTS: Counts = Object.fromEntries(ENDPOINT_STATES.map((state) => [state, 0]));

interface RevocationNumbers {
  /** Certificates that are revoked, unknown to their authority, or without an answer that can be used. */
  readonly revocation: Counts;
  /** How long the certificate that has waited longest has been due, in milliseconds; 0 if none is. */
  readonly revocationLate: Millis;
  readonly renewalInfoLate: Millis;
  /** How long a certificate has had no answer at most, in milliseconds. */
  readonly unanswered: Millis;
  /** Lists whose last request failed. */
  readonly failingLists: number;
}

const REVOCATION = ["revoked", "unknown", "unavailable"] as const;

/** Returns one statement with a row, which reads only indexes. */
function revocationCountsSql(): SQL<Row> {
  const first = (column: "revocation_due" | "renewal_info_due"): SQL => {
    const [name, index] = [sql.identifier(column), sql.identifier(`certificates_${column}`)];
    // Those with 0 have just entered.
    return sql`(SELECT min(${name}) FROM certificates INDEXED BY ${index} WHERE ${name} IS NOT NULL AND ${name} > 0)`;
  };
  const counts = REVOCATION.map((status) =>
    sql`(SELECT count(*) FROM certificates INDEXED BY certificates_revocation_status
      WHERE revocation_status IN ('revoked', 'unknown', 'unavailable') AND revocation_status = ${status}) AS ${
      sql.identifier(status)
    }`
  );
  return sql<Row>`SELECT ${sql.join(counts, sql`, `)}, ${first("revocation_due")} AS revocation_due,
    ${first("renewal_info_due")} AS renewal_info_due, (SELECT min(revocation_unanswered) FROM certificates
      INDEXED BY certificates_unanswered WHERE revocation_unanswered IS NOT NULL) AS unanswered,
    (SELECT count(*) FROM revocation_lists INDEXED BY revocation_lists_failing WHERE failures > 0) AS failing`;
}

/** Converts the row of {@link revocationCountsSql}. */
function revocationNumbers(row: Row | undefined, now: Millis): RevocationNumbers {
  const since = (name: string): Millis => Math.max(0, now - Number(row?.[name] ?? now));
  return {
    revocation: Object.fromEntries(REVOCATION.map((status) => [status, Number(row?.[status] ?? 0)])),
    revocationLate: since("revocation_due"),
    renewalInfoLate: since("renewal_info_due"),
    unanswered: since("unanswered"),
    failingLists: Number(row?.failing ?? 0),
  };
}

/** Time for which numbers are cached for the metrics, because counting a million certificates takes 40 ms. */
export const METRICS_MEMORY_MS = 10_000;

export interface ServiceNumbers
  extends CertificateNumbers, QueueNumbers, EndpointNumbers, RevocationNumbers {}

const cacheOf = perDatabase((): { known?: { at: Millis; numbers: ServiceNumbers } } => ({}));

/**
 * Returns the numbers, cached for a short time. Requires `view` on certificates without constraints, because
 * the numbers include all certificates and the requests of all users. A fixed number of statements, in one
 * round trip. Errors: forbidden.
 */
export async function readServiceNumbers({ ctx }: { ctx: Context }): Promise<ServiceNumbers> {
  if (!isEverything(authorize(ctx, "view", certificates.map))) throw forbidden();
  const { database, clock } = ctx;
  const now = clock.now();
  const cache = cacheOf(database);
  const { known } = cache;
  if (known !== undefined && now - known.at < METRICS_MEMORY_MS && now >= known.at) return known.numbers;
  const numbers = await readNumbers(database, now);
  cache.known = { at: now, numbers };
  return numbers;
}

/** Reads the numbers in one round trip. Each statement uses an index. */
async function readNumbers(database: Database, now: Millis): Promise<ServiceNumbers> {
  const [certificateCounts, [revocation], states, [work], [latest], [open], deliveries, [next], runs] =
    await readBatch(
      database,
      [
        certificateCountsSql(now),
        revocationCountsSql(),
        select({ state: endpoints.state, n: count() }).from(endpoints).groupBy(endpoints.state),
        sql<{ due: number; running: number; oldest: Millis | null }>`
        SELECT count(*) FILTER (WHERE next_probe <= ${now}) AS due,
          count(*) FILTER (WHERE next_probe > ${now} AND lease_owner IS NOT NULL) AS running,
          min(next_probe) FILTER (WHERE next_probe > 0) AS oldest
        FROM endpoints INDEXED BY endpoints_due WHERE next_probe IS NOT NULL AND next_probe <= ${
          now + 60_000
        }`,
        select({ last: max(endpoints.last_probed) }).from(endpoints),
        // A literal, because SQLite does not use the partial index for a bound value.
        select({ n: count(), oldest: min(outbox.created) }).from(outbox)
          .where(sql`${outbox.state} = 'pending'`),
        select({ state: webhook_deliveries.state, n: count() }).from(webhook_deliveries)
          .groupBy(webhook_deliveries.state),
        sql<{ due: Millis | null }>`SELECT min((SELECT min(next_attempt)
          FROM ${webhook_deliveries} INDEXED BY webhook_deliveries_due
          WHERE webhook_id = ${webhooks}.id AND next_attempt IS NOT NULL)) AS due
        FROM ${webhooks} WHERE enabled = 1`,
        select({ name: leases.name, until: leases.until }).from(leases)
          .where(inArray(leases.name, JOBS.map(({ name }) => name))),
      ],
    );
  const intervals = new Map(JOBS.map(({ name, intervalMs }) => [name, intervalMs]));
  return {
    ...certificateNumbers(certificateCounts),
    ...revocationNumbers(revocation, now),
    endpoints: { ...NO_ENDPOINTS, ...Object.fromEntries(states.map(({ state, n }) => [state, n])) },
    probesDue: work?.due ?? 0,
    probesRunning: work?.running ?? 0,
    probesLate: Math.max(0, now - (work?.oldest ?? now)),
    lastProbe: latest?.last ?? 0,
    outbox: open?.n ?? 0,
    outboxAge: Math.max(0, now - (open?.oldest ?? now)),
    deliveries: { ...NO_DELIVERIES, ...Object.fromEntries(deliveries.map(({ state, n }) => [state, n])) },
    overdue: Math.max(0, now - (next?.due ?? now)),
    // A run is claimed until the next one is due.
    jobs: Object.fromEntries(runs.map(({ name, until }) => [name, until - (intervals.get(name) ?? 0)])),
  };
}
