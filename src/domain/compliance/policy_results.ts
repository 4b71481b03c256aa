/** The results of each policy for certificates in use, and the certificates without a current result. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, viewRestrictions } from "../../auth/mod.ts";
import { formatDatetime, type Millis } from "../../base/clock.ts";
import { where } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { listCondition } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { checks } from "./checks.ts";
import { readReportQuery } from "./report/read_query.ts";
import { type CheckCounts, checkCounts } from "./evaluate.ts";

/** The results of a policy that the caller may view. */
export interface PolicyResults extends CheckCounts {
  /** Time of the latest check; null if there is none. */
  readonly checked_at: string | null;
}

interface Counted {
  readonly policy_id: number;
  readonly passed: number;
  readonly failed: number;
  readonly checked_at: Millis;
}

/**
 * Returns the results of policies by their ids, as the report counts them: disabled policies, too. One statement,
 * whatever the number of policies. Errors: forbidden.
 */
export async function policyResults(
  { ctx, policyIds }: { ctx: Context; policyIds: readonly number[] },
): Promise<ReadonlyMap<number, PolicyResults>> {
  const query = readReportQuery(new URLSearchParams(policyIds.map((id) => ["policy_id", String(id)])), ctx);
  const condition = await listCondition({ ctx, resource: checks, filter: query.filter });
  const counted = await ctx.database.all<Counted>(
    sql`SELECT policy_id, sum(result = 'pass') AS passed, sum(result = 'fail') AS failed, max(checked_at) AS checked_at
      FROM compliance_checks${where(condition)} GROUP BY policy_id`,
  );
  const counts = new Map(counted.map((one) => [one.policy_id, one]));
  return new Map(policyIds.map((id) => {
    const { passed = 0, failed = 0, checked_at } = counts.get(id) ?? {};
    return [id, {
      ...checkCounts({ passed, failed }),
      checked_at: checked_at === undefined ? null : formatDatetime(checked_at),
    }];
  }));
}

/** Numbers of certificates without a current result. */
export interface UncheckedNumbers {
  readonly count: number;
  /** Those without any result of the policies: the others have changed since. */
  readonly never: number;
}

/**
 * Counts the certificates that a filter selects, and those of them without a result of the policies (of enabled ones
 * if `policyIds` is empty). One statement. Errors: forbidden.
 */
export async function countUnchecked(
  { ctx, filter, policyIds }: { ctx: Context; filter: Condition; policyIds: readonly number[] },
): Promise<UncheckedNumbers> {
  const listed = await listCondition({ ctx, resource: certificates, filter });
  const result = where(
    sql`compliance_checks.certificate_id = certificates.id`,
    sql`compliance_checks.policy_id IN (${policiesSql(policyIds)})`,
    viewRestrictions(ctx)(checks.map, "compliance_checks"),
  );
  const [counts] = await ctx.database.all<UncheckedNumbers>(
    sql`SELECT count(*) AS count, coalesce(sum(NOT EXISTS (SELECT 1 FROM compliance_checks${result})), 0) AS never
      FROM certificates${where(listed)}`,
    { owner: ctx.actor.userId },
  );
  return counts ?? { count: 0, never: 0 };
}

function policiesSql(ids: readonly number[]): SQL {
  return ids.length === 0
    ? sql`SELECT id FROM compliance_policies WHERE enabled = 1`
    : sql`SELECT value FROM json_each(${JSON.stringify(ids)})`;
}
