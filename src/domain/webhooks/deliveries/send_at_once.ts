/** What sending a message by hand has in common, whether it is a new one or an old one. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import type { Transaction } from "../../../db/mod.ts";
import { webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";
import { announce } from "../../../changes/mod.ts";

/** Refuses to send to a webhook for which everything would wait. Errors: conflict. */
export function refuseDisabled(enabled: unknown): void {
  if (enabled !== 1) throw new AppError("conflict", "The webhook is disabled; enable it first.");
}

/**
 * Puts a pending message before all others of its webhook, and has whoever sends messages look for it after the commit.
 * A webhook that failed many times in a row is tried now, not when its pause is over: somebody wants to know whether it
 * works again, and not by what has waited longest. Two statements.
 */
export async function sendAtOnce(
  tx: Transaction,
  ctx: Context,
  { webhook, delivery }: { webhook: number; delivery: number },
): Promise<void> {
  const now = ctx.clock.now();
  await tx.runAll([
    sql`UPDATE ${webhook_deliveries} SET next_attempt = min(${now}, coalesce((
        SELECT other.next_attempt - 1 FROM ${webhook_deliveries} AS other
        WHERE other.webhook_id = ${webhook} AND other.next_attempt IS NOT NULL AND other.id <> ${delivery}
        ORDER BY other.next_attempt LIMIT 1
      ), ${now})) WHERE id = ${delivery}`,
    sql`UPDATE ${webhooks} SET probe_at = ${now} WHERE id = ${webhook} AND probe_at > ${now}`,
  ]);
  announce(tx, ctx.database);
}
