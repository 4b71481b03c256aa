/** The delivery of a process that runs on: woken by hints, and by a timer for what they missed. */

import type { Context } from "../../../auth/mod.ts";
import { DELIVERY_SWEEP_MS, DISPATCH_BATCH } from "../../../base/limits.ts";
import { logFailure } from "../../../base/log_failure.ts";
import type { Send } from "../../../http/mod.ts";
import { onCommittedEvents } from "../../../changes/mod.ts";
import { WakeSignal } from "./wake_signal.ts";
import { Sender } from "./sender.ts";
import { dispatchEvents } from "./dispatch.ts";
import type { Queue } from "./queue.ts";

/** A running delivery. */
export interface Delivery {
  /** Begins nothing more, and waits until what is on its way has ended and been noted: ten seconds at the most. */
  stop(): Promise<void>;
}

/** Starts to hand out events and to send messages; `context` makes the service's own context. Closes the queue at the end. */
export function startDelivery(
  { context, queue, send, sweepMs = DELIVERY_SWEEP_MS }: {
    context: () => Context;
    queue: Queue;
    send: Send;
    sweepMs?: number;
  },
): Delivery {
  const bell = new WakeSignal();
  const courier = new Sender({ context, send, onEnded: () => bell.ring() });
  const hints = hintOnce({ context, queue, bell });
  let stopping = false;

  /** One look at everything. */
  async function look(): Promise<void> {
    // Between two batches of events messages are sent.
    if (!stopping && await dispatchEvents(context()) === DISPATCH_BATCH) bell.ring();
    await courier.turn({ claiming: !stopping });
  }

  async function run(): Promise<void> {
    while (!stopping || courier.busy > 0) {
      try {
        await look();
      } catch (error) {
        logFailure(context().log, "delivery failed", { error });
        // The database may be away for a while; a lease that ends meanwhile is only another attempt.
        if (stopping) return;
        await new WakeSignal().heard(Math.min(sweepMs, 1_000));
      }
      if (stopping && courier.busy === 0) return;
      if (!await bell.heard(sweepMs)) hints.renew();
    }
  }

  const running = run();
  return {
    async stop(): Promise<void> {
      stopping = true;
      bell.ring();
      await running;
      await hints.stop();
    },
  };
}

/** Puts one hint into the queue for any number of commits until it has been heard. */
function hintOnce(
  { context, queue, bell }: { context: () => Context; queue: Queue; bell: WakeSignal },
): { renew: () => void; stop: () => Promise<void> } {
  let sent = false;
  const forget = onCommittedEvents(context().database, (id) => {
    if (sent) return;
    sent = true;
    queue.send({ id }).catch((error) => {
      sent = false;
      context().log.log("warn", "hint lost", { error: String(error) });
    });
  });
  queue.listen(() => {
    sent = false;
    bell.ring();
  });
  return {
    // One that was never heard must not keep others away.
    renew: () => {
      sent = false;
    },
    async stop(): Promise<void> {
      forget();
      await queue.close();
    },
  };
}
