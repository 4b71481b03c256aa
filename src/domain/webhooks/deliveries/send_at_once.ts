/** Sends a message with priority, for test messages and redelivery. */

import { and, eq, gt, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { type Transaction, update } from "../../../db/mod.ts";
import { webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";
import { announce } from "../../../changes/mod.ts";

/** Refuses a disabled webhook, whose messages would not be sent. Errors: conflict. */
export function refuseDisabled(enabled: unknown): void {
  if (enabled !== 1) throw new AppError("conflict", "The webhook is disabled. Enable it first.");
}

/**
 * Moves a pending message ahead of all others of its webhook, and wakes the sender after the commit. If the
 * webhook is paused after many failures, it is tried now with this message, because the caller wants to know
 * whether it works again. Two statements.
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
    update(webhooks).set({ probe_at: now }).where(and(eq(webhooks.id, webhook), gt(webhooks.probe_at, now))),
  ]);
  announce(tx, ctx.database);
}
