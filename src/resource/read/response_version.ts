/**
 * Versions of what a caller reads, for conditional requests. They are determined without reading a row of the
 * response.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Actor, Context } from "../../auth/mod.ts";
import { sha256Hex } from "../../base/bytes.ts";
import { DAY_MS, type Millis, startOfDay } from "../../base/clock.ts";
import { memoize } from "../../base/memoize.ts";
import { perDatabase } from "../../db/mod.ts";
import { allResources } from "../model/registry.ts";

/** Number of hexadecimal digits of the hash, which is compared only for the same URL. */
const VIEW_DIGITS = 24;

/** A period in which no row changes by itself. */
interface UnchangedPeriod {
  readonly changes: string;
  readonly from: Millis;
  /** Rows change after this time. */
  readonly until: Millis;
}

const latestPeriodOf = perDatabase((): { period?: UnchangedPeriod } => ({}));

/**
 * Returns a text that changes when a response to this caller may change: with every commit of any process,
 * with the day and the expiry of certificates, and with the caller's permissions and the URL of the service.
 * Undefined if the database does not track commits. It is read before the response, so that a concurrent
 * commit makes the response look older than it is, never newer. One statement after a commit or an expiry,
 * otherwise none.
 * @param options.uses Whether the response may show when something was last used.
 */
export async function responseVersion(
  ctx: Context,
  { uses }: { uses: boolean },
): Promise<string | undefined> {
  const version = ctx.database.version;
  if (version === undefined) return undefined;
  const { until } = await unchangedPeriodOf(ctx, version.changes);
  return `${uses ? version.commits : version.changes}-${until}-${viewOf(ctx.actor)} ${ctx.baseUrl}`;
}

async function unchangedPeriodOf({ database, clock }: Context, changes: string): Promise<UnchangedPeriod> {
  const now = clock.now();
  const latest = latestPeriodOf(database);
  const known = latest.period;
  if (known?.changes === changes && now >= known.from && now < known.until) return known;
  const times = allResources().flatMap(({ nextChange }) => nextChange === undefined ? [] : [nextChange(now)]);
  const [row] = await database.all<{ next: Millis | null }>(
    sql`SELECT min(value) AS next FROM (${sql.join(times.map(selected), sql` UNION ALL `)})`,
  );
  const until = Math.min(startOfDay(now) + DAY_MS, row?.next ?? Infinity);
  const period: UnchangedPeriod = { changes, from: now, until };
  latest.period = period;
  return period;
}

function selected(time: SQL): SQL {
  return sql`SELECT (${time}) AS value`;
}

/** Returns a hash of everything that decides which rows a caller may view. */
const viewOf = memoize((actor: Actor) => sha256Hex(JSON.stringify(actor)).slice(0, VIEW_DIGITS));
