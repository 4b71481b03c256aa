/** Sends all due messages and returns, for platforms where nothing runs between requests. */

import type { Context } from "../../../auth/mod.ts";
import { DELIVERY_TIMEOUT_MS, DISPATCH_BATCH } from "../limits.ts";
import type { Send } from "../../../http/mod.ts";
import type { RandomSource } from "./backoff.ts";
import { WakeSignal } from "./wake_signal.ts";
import type { SenderOf } from "./sender.ts";
import { webhookSender } from "./webhook_messages.ts";
import { dispatchEvents } from "./dispatch.ts";

/**
 * Dispatches all events, and sends due messages until there are none left or `limit` attempts were started.
 * Waits for the last of them. Returns the number of attempts, successful or not. May run in several processes
 * at the same time.
 */
export async function drainOnce(
  ctx: Context,
  limit: number,
  { send, more = [], random = Math.random }: {
    send: Send;
    more?: readonly SenderOf[];
    random?: RandomSource;
  },
): Promise<number> {
  while (await dispatchEvents(ctx) === DISPATCH_BATCH);
  const wake = new WakeSignal();
  const senders = [webhookSender(send), ...more].map((senderOf) =>
    senderOf({ context: () => ctx, random, onEnded: () => wake.notify() })
  );
  const sending = (): boolean => senders.some(({ busy }) => busy > 0);
  let started = 0;
  for (;;) {
    // After the last outcome is stored, a message that waited for it may be due, even if another process
    // dispatched it in the meantime.
    const last = !sending();
    const before = started;
    for (const sender of senders) {
      started += await sender.turn({ claiming: started < limit, most: limit - started });
    }
    if (last && started === before) return started;
    if (sending()) await wake.wait(2 * DELIVERY_TIMEOUT_MS);
  }
}
