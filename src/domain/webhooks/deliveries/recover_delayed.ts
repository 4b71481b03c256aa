/** Recovers messages that were delayed for too long because a clock was ahead. */

import { and, gt, isNotNull } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { MAX_DELIVERY_DELAY_MS } from "../limits.ts";
import { update } from "../../../db/mod.ts";
import { webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";

/**
 * Makes messages due whose pause is longer than the longest possible one. Returns their number. Two
 * statements.
 */
export async function recoverDelayed({ ctx }: { ctx: Context }): Promise<{ recovered: number }> {
  const now = ctx.clock.now();
  const latest = now + MAX_DELIVERY_DELAY_MS;
  return await ctx.database.write(async (tx) => {
    await tx.run(update(webhooks).set({ probe_at: null }).where(gt(webhooks.probe_at, latest)));
    const recovered = await tx.run(
      update(webhook_deliveries)
        .set({ next_attempt: now })
        // IS NOT NULL is the condition of the partial index.
        .where(and(isNotNull(webhook_deliveries.next_attempt), gt(webhook_deliveries.next_attempt, latest))),
    );
    return { recovered };
  });
}
