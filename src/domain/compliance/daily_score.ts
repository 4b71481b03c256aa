/** The whole inventory's score, kept day by day. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { DAY_MS, formatDate, type Millis, startOfDay } from "../../base/clock.ts";
import { forbidden } from "../../base/errors.ts";
import { COMPLIANCE_TREND_DAYS } from "../../base/limits.ts";
import { insertRows, type Row } from "../../db/mod.ts";
import { compliance_scores } from "../../db/schema/mod.ts";
import { IN_USE_STATUSES } from "../certificates/mod.ts";
import { type Tally, tally } from "./score.ts";

/** The score of one day. */
export interface DayScore extends Tally {
  /** UTC day, `2026-11-20`. */
  readonly date: string;
}

/**
 * Keeps today's (UTC) score of enabled policies on certificates in use; run again on the same day, it takes the newest. For the
 * service itself and superusers. Errors: forbidden.
 */
export async function storeDailyScore({ ctx }: { ctx: Context }): Promise<DayScore> {
  if (!ctx.actor.isSuperuser) throw forbidden();
  const day = startOfDay(ctx.clock.now());
  const inUse = sql.join(IN_USE_STATUSES.map((status) => sql`${status}`), sql`, `);
  return await ctx.database.write(async (tx) => {
    const [counts] = await tx.all<{ passed: number; failed: number }>(
      sql`SELECT coalesce(sum(result = 'pass'), 0) AS passed, coalesce(sum(result = 'fail'), 0) AS failed
        FROM compliance_checks WHERE policy_id IN (SELECT id FROM compliance_policies WHERE enabled = 1)
          AND certificate_id IN (SELECT id FROM certificates WHERE status IN (${inUse}))`,
    );
    const { passed, failed } = counts as { passed: number; failed: number };
    const sum = tally({ passed, failed });
    await tx.run(
      sql`${
        insertRows(compliance_scores, [{ day, passed, failed, score: sum.compliance_score }])
      } ON CONFLICT (day) DO UPDATE SET passed = excluded.passed, failed = excluded.failed, score = excluded.score`,
    );
    return { date: formatDate(day), ...sum };
  });
}

/**
 * Selects the kept scores of the last {@link COMPLIANCE_TREND_DAYS} days, today's included, oldest first. Days to come,
 * which a clock that was ahead has stored, are left out until they come, and then have their own score.
 */
export function trendSql(now: Millis): SQL {
  const first = startOfDay(now) - (COMPLIANCE_TREND_DAYS - 1) * DAY_MS;
  return sql`SELECT day, passed, failed FROM ${compliance_scores} WHERE day BETWEEN ${first} AND ${now} ORDER BY day`;
}

/** The rows of {@link trendSql} as they are answered. */
export function readTrend(rows: readonly Row[]): DayScore[] {
  return rows.map(({ day, passed, failed }) => ({
    date: formatDate(day as number),
    ...tally({ passed: passed as number, failed: failed as number }),
  }));
}
