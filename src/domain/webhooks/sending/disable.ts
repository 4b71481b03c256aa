/** Disables a webhook whose receiver no longer exists. */

import type { Context } from "../../../auth/mod.ts";
import type { Transaction } from "../../../db/mod.ts";
import { webhooks } from "../mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { changeDraft, loadForChange, storeDrafts, type WriteCall } from "../../../resource/mod.ts";

/** Disables a webhook, with a change record. Does nothing if it is already deleted or disabled. */
export async function disableWebhook(
  tx: Transaction,
  ctx: Context,
  { id, reason }: { id: number; reason: string },
): Promise<void> {
  const call: WriteCall = { ctx, tx, resource: webhooks, allowed: EVERYTHING };
  const before = (await loadForChange(call, [id])).get(id);
  if (before === undefined || before.enabled === 0) return;
  const row = { enabled: 0, disabled_reason: reason };
  await storeDrafts(call, [changeDraft(before, { row })]);
  ctx.log.log("warn", "webhook disabled", { webhook: id, reason });
}
