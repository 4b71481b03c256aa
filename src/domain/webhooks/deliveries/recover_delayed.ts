/** Messages that a clock which was ahead put off for too long. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { MAX_DELIVERY_DELAY_MS } from "../../../base/limits.ts";
import { webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";

/** Makes due what waits longer than any pause lasts. Returns how many messages. Two statements. */
export async function recoverDelayed({ ctx }: { ctx: Context }): Promise<{ recovered: number }> {
  const now = ctx.clock.now();
  const latest = now + MAX_DELIVERY_DELAY_MS;
  return await ctx.database.write(async (tx) => {
    await tx.run(sql`UPDATE ${webhooks} SET probe_at = NULL WHERE probe_at > ${latest}`);
    const recovered = await tx.run(
      sql`UPDATE ${webhook_deliveries} SET next_attempt = ${now}
        WHERE next_attempt IS NOT NULL AND next_attempt > ${latest}`,
    );
    return { recovered };
  });
}
