/** What sending a message by hand has in common, whether it is a new one or an old one. */

import { sql } from "drizzle-orm";
import type { Context } from "../../access/mod.ts";
import { AppError } from "../../base/errors.ts";
import type { Transaction } from "../../db/mod.ts";
import { announce } from "../../outbox/mod.ts";

/** Refuses to send to a webhook for which everything would wait. Errors: conflict. */
export function refuseDisabled({ enabled }: { readonly enabled: number }): void {
  if (enabled !== 1) throw new AppError("conflict", "The webhook is disabled; enable it first.");
}

/**
 * Has whoever sends messages look for new ones after the commit. A webhook that failed many times in a row is tried
 * now, not when its pause is over: somebody wants to know whether it works again. One statement.
 */
export async function sendAtOnce(tx: Transaction, ctx: Context, webhookId: number): Promise<void> {
  const now = ctx.clock.now();
  await tx.run(sql`UPDATE webhooks SET probe_at = ${now} WHERE id = ${webhookId} AND probe_at > ${now}`);
  announce(tx, ctx.database);
}
