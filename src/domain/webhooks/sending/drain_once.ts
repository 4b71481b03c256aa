/** Sends what is due, and then ends: for places where nothing runs between requests. */

import type { Context } from "../../../auth/mod.ts";
import { DELIVERY_TIMEOUT_MS, DISPATCH_BATCH } from "../../../base/limits.ts";
import type { Send } from "../../../http/mod.ts";
import type { Chance } from "./backoff.ts";
import { WakeSignal } from "./wake_signal.ts";
import { Sender } from "./sender.ts";
import { dispatchEvents } from "./dispatch.ts";

/**
 * Hands out all events, and sends what is due until nothing is, or `limit` messages have been begun; waits for the
 * last of them. Gives how many were sent, arrived or not. May run in several places at once.
 */
export async function drainOnce(
  ctx: Context,
  limit: number,
  { send, chance = Math.random }: { send: Send; chance?: Chance },
): Promise<number> {
  while (await dispatchEvents(ctx) === DISPATCH_BATCH);
  const bell = new WakeSignal();
  const courier = new Sender({ context: () => ctx, send, chance, onEnded: () => bell.ring() });
  let begun = 0;
  for (;;) {
    begun += await courier.turn({ claiming: begun < limit, most: limit - begun });
    if (courier.busy === 0) return begun;
    await bell.heard(2 * DELIVERY_TIMEOUT_MS);
  }
}
