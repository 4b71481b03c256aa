/** Counts certificates without a current result. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, viewRestrictions } from "../../auth/mod.ts";
import { where } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { listCondition } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { checks } from "./checks.ts";

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
