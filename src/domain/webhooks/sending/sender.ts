/** Sends messages concurrently up to a limit, and starts the next one when one has ended. */

import type { Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import type { Reader, Transaction } from "../../../db/mod.ts";
import { type DeliveryUpdate, planUpdates, type RandomSource, type StoredOutcome } from "./settle.ts";

/** The lease under which a process sends a message. */
export interface Lease {
  readonly owner: string;
  readonly now: Millis;
}

/**
 * A kind of message: where messages are stored, and how they are sent. There are two: messages to webhooks,
 * and notices.
 */
export interface MessageKind<Due, Claimed extends { readonly id: number }, Outcome extends StoredOutcome> {
  /** Selects due messages for which there are free slots. */
  readonly choose: (reader: Reader, options: { now: Millis; inFlight: readonly Claimed[] }) => Promise<Due[]>;
  /** Leases messages to this process. Returns those that no other process has leased in the meantime. */
  readonly claim: (tx: Transaction, chosen: readonly Due[], lease: Lease) => Promise<Claimed[]>;
  /** Sends a message once. Never throws. */
  readonly attempt: (ctx: Context, message: Claimed) => Promise<Outcome>;
  /** Returns whether no further attempt would succeed. */
  readonly isFinal: (outcome: Outcome) => boolean;
  /** Stores outcomes. */
  readonly settle: (
    tx: Transaction,
    ctx: Context,
    options: { updates: readonly DeliveryUpdate<Outcome>[]; random: RandomSource } & Lease,
  ) => Promise<void>;
  /** Returns what is logged about an outcome. `error` is empty if it succeeded. */
  readonly describe: (outcome: Outcome) => { readonly error: string } & Record<string, unknown>;
}

/** How messages are sent. */
export interface SenderOptions {
  readonly context: () => Context;
  /** Must be called when an attempt has ended. Resolves after the turn that stores its outcome. */
  readonly onEnded: () => Promise<void>;
  /** Called when another attempt was stored. */
  readonly retry: (id: number, delayMs: number) => void;
  readonly random: RandomSource;
}

/** Sends the messages of one kind. Calls of `turn` must not overlap. */
export interface Sender {
  /** Attempts until their outcome is stored. */
  readonly running: readonly Promise<void>[];
  /**
   * Stores the outcomes of ended attempts. Also claims and sends as many due messages as there are free slots,
   * but at most `most`. Returns their number. Both happen in one transaction, or in none if there is nothing to
   * do.
   */
  turn(most: number): Promise<number>;
}

/** Creates the sender of one kind of message. */
export type SenderOf = (options: SenderOptions) => Sender;

/** Returns a function that creates senders for a kind of message. */
export function senderOf<Due, Claimed extends { readonly id: number }, Outcome extends StoredOutcome>(
  kind: MessageKind<Due, Claimed, Outcome>,
): SenderOf {
  return (options) => new KindSender(kind, options);
}

class KindSender<Due, Claimed extends { readonly id: number }, Outcome extends StoredOutcome>
  implements Sender {
  /** The owner of this process's leases. */
  readonly #owner = crypto.randomUUID();
  readonly #kind: MessageKind<Due, Claimed, Outcome>;
  readonly #options: SenderOptions;
  readonly #inFlight = new Map<number, Claimed>();
  readonly #running = new Set<Promise<void>>();
  #ended: Outcome[] = [];

  constructor(kind: MessageKind<Due, Claimed, Outcome>, options: SenderOptions) {
    this.#kind = kind;
    this.#options = options;
  }

  get running(): Promise<void>[] {
    return [...this.#running];
  }

  async turn(most: number): Promise<number> {
    const ctx = this.#options.context();
    const { random, retry } = this.#options;
    const { database } = ctx;
    const now = ctx.clock.now();
    const lease: Lease = { owner: this.#owner, now };
    const choose = async (reader: Reader): Promise<Due[]> =>
      most > 0
        ? (await this.#kind.choose(reader, { now, inFlight: [...this.#inFlight.values()] })).slice(0, most)
        : [];
    // More attempts may end while these are stored.
    const ended = this.#ended.length;
    if (ended === 0 && (await choose(database)).length === 0) return 0;
    const updates = planUpdates(this.#ended, { isFinal: this.#kind.isFinal, now, random });
    const claimed = await database.write(async (tx) => {
      if (ended > 0) await this.#kind.settle(tx, ctx, { updates, random, ...lease });
      return await this.#kind.claim(tx, await choose(tx), lease);
    });
    // Only after the commit: if the transaction fails, the next turn stores them.
    this.#ended = this.#ended.slice(ended);
    for (const { outcome, nextAttempt } of updates) {
      if (nextAttempt !== null) retry(outcome.message.id, nextAttempt - now);
    }
    for (const message of claimed) {
      const running = this.#deliver(ctx, message).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
    return claimed.length;
  }

  async #deliver(ctx: Context, message: Claimed): Promise<void> {
    this.#inFlight.set(message.id, message);
    const outcome = await this.#kind.attempt(ctx, message);
    this.#inFlight.delete(message.id);
    this.#ended.push(outcome);
    const { error, ...values } = this.#kind.describe(outcome);
    ctx.log.log(error === "" ? "debug" : "warn", "delivery", {
      delivery: message.id,
      ...values,
      ...(error === "" ? {} : { error }),
    });
    await this.#options.onEnded();
  }
}
