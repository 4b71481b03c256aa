/** Delivery: dispatches events and sends due messages, whenever a hint of the queue says so. */

import type { Context } from "../../../auth/mod.ts";
import { logFailure } from "../../../base/log_failure.ts";
import { onCommittedEvents } from "../../../changes/mod.ts";
import type { Send } from "../../../http/mod.ts";
import { attemptDelivery, type DeliveryOutcome } from "./attempt.ts";
import {
  chooseMessages,
  type ClaimedMessage,
  claimMessages,
  DELIVERY_SLOTS,
  type DueMessage,
  dueMessages,
} from "./claim.ts";
import { DISPATCH_BATCH, dispatchEvents } from "./dispatch.ts";
import { type MessageKind, type Sender, type SenderOf, senderOf } from "./sender.ts";
import { isFinal, type RandomSource, settle } from "./settle.ts";

/** Interval of the search for due messages without a hint, such as those of other processes. */
const DELIVERY_SWEEP_MS = 5_000;

/**
 * A queue brings hints that there is something to send. The messages themselves are only in the database, and a
 * process leases the row of a message before it sends it. So a lost hint delays a message until the next sweep, and
 * a repeated one costs a query.
 */
export interface Queue {
  /**
   * Sends a hint with the id of a row of the outbox, or of a message that is due after the delay; 0 for any.
   * Never throws or waits.
   */
  send(id: number, delayMs?: number): void;
  /** Registers the function that hints call. It must not throw. Must be called only once per queue. */
  listen(listener: (id: number) => Promise<void>): void;
  /** Drops all hints, and ends when the last one was received. Idempotent. */
  close(): Promise<void>;
}

interface DeliveryOptions {
  readonly send: Send;
  /** Senders of messages other than those to webhooks. */
  readonly more?: readonly SenderOf[];
  /** For tests. */
  readonly random?: RandomSource;
}

/**
 * Dispatches all events, and sends due messages until there are none left or `limit` attempts were started.
 * Waits for the last of them. Returns the number of attempts, successful or not. May run in several processes
 * at the same time.
 */
export async function drainOnce(ctx: Context, limit: number, options: DeliveryOptions): Promise<number> {
  return await new Deliverer({ ...options, context: () => ctx, limit, retry: () => {} }).drain();
}

/** A running delivery. */
export interface Delivery {
  /**
   * Starts no new attempts, and waits until the running ones have ended and are stored, for at most ten
   * seconds. Closes the queue.
   */
  stop(): Promise<void>;
}

/**
 * Starts to dispatch events and send messages: after commits of this process, when an attempt must be repeated,
 * and in a sweep, which also finds the messages of other processes, and those of paused webhooks. `context`
 * returns a new context of the service itself for each statement.
 */
export function startDelivery(
  { context, queue, sweepMs = DELIVERY_SWEEP_MS, ...options }: DeliveryOptions & {
    readonly context: () => Context;
    readonly queue: Queue;
    readonly sweepMs?: number;
  },
): Delivery {
  const retry = (id: number, delayMs: number): void => queue.send(id, delayMs);
  const deliverer = new Deliverer({ ...options, context, limit: Infinity, retry });
  const unsubscribe = onCommittedEvents(context().database, (id) => queue.send(id));
  queue.listen(() => deliverer.turn());
  void deliverer.turn();
  const sweep = setInterval(() => void deliverer.turn(), sweepMs);
  return {
    async stop(): Promise<void> {
      clearInterval(sweep);
      unsubscribe();
      deliverer.isStopping = true;
      await queue.close();
      await deliverer.drain();
    },
  };
}

class Deliverer {
  isStopping = false;
  readonly #context: () => Context;
  readonly #limit: number;
  readonly #senders: readonly Sender[];
  #started = 0;
  /** The latest turn, and the one after it if it has been requested. */
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(
    { context, limit, retry, send, more = [], random = Math.random }: DeliveryOptions & {
      readonly context: () => Context;
      readonly limit: number;
      readonly retry: (id: number, delayMs: number) => void;
    },
  ) {
    this.#context = context;
    this.#limit = limit;
    const onEnded = (): Promise<void> => this.turn();
    this.#senders = [webhookSender(send), ...more].map((senderOf) =>
      senderOf({ context, onEnded, retry, random })
    );
  }

  /** Sends what is due, and waits until everything that was due in the meantime is sent, too. */
  async drain(): Promise<number> {
    let last = this.turn();
    const attempts = (): Promise<void>[] => this.#senders.flatMap(({ running }) => running);
    do {
      last = this.#last;
      await Promise.all([last, ...attempts()]);
    } while (last !== this.#last || attempts().length > 0);
    return this.#started;
  }

  /** Stores ended attempts and begins due ones. Turns do not overlap; calls during one share the next. */
  turn(): Promise<void> {
    return this.#next ??= this.#last = this.#last.then(() => {
      this.#next = undefined;
      return this.#turn();
    });
  }

  async #turn(): Promise<void> {
    try {
      // Messages are sent between two batches of events.
      if (!this.isStopping && await dispatchEvents(this.#context()) === DISPATCH_BATCH) void this.turn();
      for (const sender of this.#senders) {
        this.#started += await sender.turn(this.isStopping ? 0 : this.#limit - this.#started);
      }
    } catch (error) {
      // The next sweep tries again. If a lease expires in the meantime, there is only one more attempt.
      logFailure(this.#context().log, "delivery failed", { error });
    }
  }
}

/** Returns a function that creates the senders of messages to webhooks. */
function webhookSender(send: Send): SenderOf {
  const kind: MessageKind<DueMessage, ClaimedMessage, DeliveryOutcome> = {
    choose: async (reader, { now, inFlight }) =>
      inFlight.length < DELIVERY_SLOTS ? chooseMessages(await dueMessages(reader, now), inFlight) : [],
    claim: claimMessages,
    attempt: (ctx, message) => attemptDelivery(ctx, message, send),
    isFinal,
    settle,
    describe: ({ message, status, error, durationMs }) => ({
      webhook: message.webhookId,
      attempt: message.attempts,
      status,
      duration_ms: durationMs,
      error,
    }),
  };
  return senderOf(kind);
}
