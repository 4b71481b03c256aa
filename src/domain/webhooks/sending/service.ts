/** The delivery loop of a long-running process: woken by hints, and by a timer in case a hint is lost. */

import type { Context } from "../../../auth/mod.ts";
import { DELIVERY_SWEEP_MS, DISPATCH_BATCH } from "../limits.ts";
import { logFailure } from "../../../base/log_failure.ts";
import type { Send } from "../../../http/mod.ts";
import { onCommittedEvents } from "../../../changes/mod.ts";
import { WakeSignal } from "./wake_signal.ts";
import type { SenderOf } from "./sender.ts";
import { webhookSender } from "./webhook_messages.ts";
import { dispatchEvents } from "./dispatch.ts";
import type { Queue } from "./queue.ts";

/** A running delivery. */
export interface Delivery {
  /**
   * Starts no new attempts, and waits until the running ones have ended and are stored, for at most ten
   * seconds.
   */
  stop(): Promise<void>;
}

/**
 * Starts to dispatch events and send messages. `context` returns a new context of the service itself for each
 * statement. Stopping also closes the queue.
 */
export function startDelivery(
  { context, queue, send, more = [], sweepMs = DELIVERY_SWEEP_MS }: {
    context: () => Context;
    queue: Queue;
    send: Send;
    /** Senders of messages other than those to webhooks. */
    more?: readonly SenderOf[];
    sweepMs?: number;
  },
): Delivery {
  const wake = new WakeSignal();
  const senders = [webhookSender(send), ...more].map((senderOf) =>
    senderOf({ context, onEnded: () => wake.notify() })
  );
  const isBusy = (): boolean => senders.some(({ busy }) => busy > 0);
  const hints = hintOnce({ context, queue, wake });
  let stopping = false;

  async function deliverOnce(): Promise<void> {
    // Send messages between two batches of events.
    if (!stopping && await dispatchEvents(context()) === DISPATCH_BATCH) wake.notify();
    for (const sender of senders) await sender.turn({ claiming: !stopping });
  }

  async function run(): Promise<void> {
    while (!stopping || isBusy()) {
      try {
        await deliverOnce();
      } catch (error) {
        logFailure(context().log, "delivery failed", { error });
        // The database may be unavailable for a while. If a lease expires in the meantime, there is only one
        // more attempt.
        if (stopping) return;
        await new WakeSignal().wait(Math.min(sweepMs, 1_000));
      }
      if (stopping && !isBusy()) return;
      if (!await wake.wait(sweepMs)) hints.renew();
    }
  }

  const running = run();
  return {
    async stop(): Promise<void> {
      stopping = true;
      wake.notify();
      await running;
      await hints.stop();
    },
  };
}

/** Sends one hint for any number of commits, until it is received. */
function hintOnce(
  { context, queue, wake }: { context: () => Context; queue: Queue; wake: WakeSignal },
): { renew: () => void; stop: () => Promise<void> } {
  let sent = false;
  const unsubscribe = onCommittedEvents(context().database, (id) => {
    if (sent) return;
    sent = true;
    queue.send({ id }).catch((error) => {
      sent = false;
      context().log.log("warn", "hint lost", { error: String(error) });
    });
  });
  queue.listen(() => {
    sent = false;
    wake.notify();
  });
  return {
    // A lost hint must not prevent the next ones.
    renew: () => {
      sent = false;
    },
    async stop(): Promise<void> {
      unsubscribe();
      await queue.close();
    },
  };
}
