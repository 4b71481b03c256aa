/** The results of each policy for certificates in use. */

import { sql } from "drizzle-orm";
import { type Context, visible } from "../../auth/mod.ts";
import { formatDatetime, type Millis } from "../../base/clock.ts";
import { readBatch, where } from "../../db/mod.ts";
import { isEverything } from "../../filters/mod.ts";
import { listCondition } from "../../resource/mod.ts";
import { checks } from "./checks.ts";
import { type DayScore, readTrend, selectPolicyTrends, withToday } from "./daily_score.ts";
import { readReportQuery } from "./report/mod.ts";
import { type CheckCounts, checkCounts } from "./evaluate.ts";

/** The results of a policy that the caller may view. */
export interface PolicyResults extends CheckCounts {
  /** Time of the latest check; null if there is none. */
  readonly checked_at: string | null;
  /** Daily scores until now; empty for a caller who may not view all checks. */
  readonly trend: readonly DayScore[];
}

interface Counted {
  readonly policy_id: number;
  readonly passed: number;
  readonly failed: number;
  readonly checked_at: Millis;
}

/**
 * Returns the results of policies by their ids, as the report counts them: disabled policies, too. Two statements,
 * whatever the number of policies. Errors: forbidden.
 */
export async function policyResults(
  { ctx, policyIds }: { ctx: Context; policyIds: readonly number[] },
): Promise<ReadonlyMap<number, PolicyResults>> {
  const query = readReportQuery(new URLSearchParams(policyIds.map((id) => ["policy_id", String(id)])), ctx);
  const condition = await listCondition({ ctx, resource: checks, filter: query.filter });
  const now = ctx.clock.now();
  const sees = isEverything(visible(ctx, checks.map));
  const [counted, days] = await readBatch(ctx.database, [
    sql`SELECT policy_id, sum(result = 'pass') AS passed, sum(result = 'fail') AS failed, max(checked_at) AS checked_at
      FROM compliance_checks${where(condition)} GROUP BY policy_id`,
    selectPolicyTrends(sees ? policyIds : [], now),
  ]);
  const trends = Map.groupBy(days, ({ policy_id }) => policy_id);
  const counts = new Map((counted as unknown as Counted[]).map((one) => [one.policy_id, one]));
  return new Map(policyIds.map((id) => {
    const { passed = 0, failed = 0, checked_at } = counts.get(id) ?? {};
    const sum = checkCounts({ passed, failed });
    return [id, {
      ...sum,
      checked_at: checked_at === undefined ? null : formatDatetime(checked_at),
      trend: withToday(readTrend(trends.get(id) ?? []), sum, now),
    }];
  }));
}
