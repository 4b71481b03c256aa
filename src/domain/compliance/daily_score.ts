/** The daily score of the whole inventory. */

import { and, asc, between, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { DAY_MS, formatDate, type Millis, startOfDay } from "../../base/clock.ts";
import { forbidden } from "../../base/errors.ts";
import { insertInto, select, type TypedQuery } from "../../db/mod.ts";
import {
  certificates,
  compliance_checks,
  compliance_policies,
  compliance_scores,
} from "../../db/schema/mod.ts";
import { inUseSql } from "../certificates/mod.ts";
import { type CheckCounts, checkCounts } from "./evaluate.ts";

/** Number of days in the trend of a compliance report. */
const COMPLIANCE_TREND_DAYS = 90;

/** The score of a day. */
export interface DayScore extends CheckCounts {
  /** UTC day, `2026-11-20`. */
  readonly date: string;
}

/**
 * Stores today's (UTC) score of enabled policies for certificates in use. A later run on the same day replaces it. Only for the service itself and superusers. Errors: forbidden.
 */
export async function storeDailyScore({ ctx }: { ctx: Context }): Promise<DayScore> {
  if (!ctx.actor.isSuperuser) throw forbidden();
  const now = ctx.clock.now();
  const day = startOfDay(now);
  const countOf = (result: "pass" | "fail"): SQL<number> =>
    sql`coalesce(sum(${compliance_checks.result} = ${result}), 0)`;
  const enabled = select({ id: compliance_policies.id })
    .from(compliance_policies)
    .where(eq(compliance_policies.enabled, 1));
  const live = select({ id: certificates.id })
    .from(certificates)
    .where(inUseSql("certificates"));
  const counted = and(
    inArray(compliance_checks.policy_id, enabled),
    inArray(compliance_checks.certificate_id, live),
  );
  return await ctx.database.write(async (tx) => {
    const [{ passed, failed } = { passed: 0, failed: 0 }] = await tx.all(
      select({ passed: countOf("pass"), failed: countOf("fail") }).from(compliance_checks).where(counted),
    );
    const sum = checkCounts({ passed, failed });
    const score = { passed, failed, score: sum.compliance_score };
    await tx.run(
      insertInto(compliance_scores)
        .values({ day, ...score })
        .onConflictDoUpdate({ target: compliance_scores.day, set: score }),
    );
    return { date: formatDate(day), ...sum };
  });
}

/** The counts of a day; `day` is its first millisecond (UTC). */
interface TrendRow {
  day: Millis;
  passed: number;
  failed: number;
}

/**
 * Selects the scores of the last {@link COMPLIANCE_TREND_DAYS} days including today, oldest first. Scores of
 * future days, which were stored while the clock was ahead, are left out.
 */
export function selectTrend(now: Millis): TypedQuery<TrendRow> {
  const { day, passed, failed } = compliance_scores;
  return select({ day, passed, failed }).from(compliance_scores).where(between(day, firstDay(now), now))
    .orderBy(asc(day));
}

/** Returns the first day of trends. */
function firstDay(now: Millis): Millis {
  return startOfDay(now) - (COMPLIANCE_TREND_DAYS - 1) * DAY_MS;
}

/** Returns the rows of {@link selectTrend} as the API shows them. */
export function readTrend(rows: readonly TrendRow[]): DayScore[] {
  return rows.map(({ day, ...counts }) => ({ date: formatDate(day), ...checkCounts(counts) }));
}

/**
 * Returns a trend whose last day is today (UTC) with the current counts, so that it agrees with other numbers of the
 * same page. Without current results, today has no score.
 */
export function withToday(days: readonly DayScore[], counts: CheckCounts, now: Millis): readonly DayScore[] {
  const date = formatDate(now);
  const before = days.filter((day) => day.date !== date);
  if (days.length === 0 || counts.total_checks === 0) return before;
  const { total_checks, passed, failed, compliance_score } = counts;
  return [...before, { date, total_checks, passed, failed, compliance_score }];
}
