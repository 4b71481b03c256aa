/** Sends messages concurrently up to a limit, and starts the next one when one has ended. */

import type { Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import type { Reader, Transaction } from "../../../db/mod.ts";
import type { RandomSource } from "./backoff.ts";

/** The lease under which a process sends a message. */
export interface Lease {
  readonly owner: string;
  readonly now: Millis;
}

/**
 * A kind of message: where messages are stored, and how they are sent. There are two: messages to webhooks,
 * and notices.
 */
export interface MessageKind<Due, Claimed extends { readonly id: number }, Outcome> {
  /** Selects due messages for which there are free slots. */
  readonly choose: (reader: Reader, options: { now: Millis; inFlight: readonly Claimed[] }) => Promise<Due[]>;
  /** Leases messages to this process. Returns those that no other process has leased in the meantime. */
  readonly claim: (tx: Transaction, chosen: readonly Due[], lease: Lease) => Promise<Claimed[]>;
  /** Sends a message once. Never throws. */
  readonly attempt: (ctx: Context, message: Claimed) => Promise<Outcome>;
  /** Stores outcomes. */
  readonly settle: (
    tx: Transaction,
    ctx: Context,
    options: { outcomes: readonly Outcome[]; random: RandomSource } & Lease,
  ) => Promise<void>;
  /** Returns what is logged about an outcome. `error` is empty if it succeeded. */
  readonly describe: (outcome: Outcome) => { readonly error: string } & Record<string, unknown>;
}

/** How messages are sent. */
export interface SenderOptions {
  readonly context: () => Context;
  /** Called when an attempt has ended. The next turn stores its outcome. */
  readonly onEnded: () => void;
  /** For tests. */
  readonly random?: RandomSource | undefined;
}

/** Sends the messages of one kind. Calls of `turn` must not overlap. */
export interface Sender {
  /** Number of attempts that are running, or have ended but are not stored yet. */
  readonly busy: number;
  /**
   * Stores the outcomes of ended attempts. Unless `claiming` is false, also claims and sends as many due
   * messages as there are free slots. Returns their number. Both happen in one transaction, or in none if
   * there is nothing to do.
   */
  turn(options: { claiming: boolean; most?: number }): Promise<number>;
}

/** Creates the sender of one kind of message. */
export type SenderOf = (options: SenderOptions) => Sender;

/** Returns a function that creates senders for a kind of message. */
export function senderOf<Due, Claimed extends { readonly id: number }, Outcome>(
  kind: MessageKind<Due, Claimed, Outcome>,
): SenderOf {
  return (options) => new KindSender(kind, options);
}

class KindSender<Due, Claimed extends { readonly id: number }, Outcome> implements Sender {
  /** The owner of this process's leases. */
  readonly #owner = crypto.randomUUID();
  readonly #kind: MessageKind<Due, Claimed, Outcome>;
  readonly #options: SenderOptions;
  readonly #random: RandomSource;
  readonly #inFlight = new Map<number, Claimed>();
  #ended: Outcome[] = [];

  constructor(kind: MessageKind<Due, Claimed, Outcome>, options: SenderOptions) {
    this.#kind = kind;
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  get busy(): number {
    return this.#inFlight.size + this.#ended.length;
  }

  async turn({ claiming, most = Infinity }: { claiming: boolean; most?: number }): Promise<number> {
    const ctx = this.#options.context();
    const { database } = ctx;
    // A copy, because more attempts may end while these are stored.
    const ended = [...this.#ended];
    const lease: Lease = { owner: this.#owner, now: ctx.clock.now() };
    const choose = async (reader: Reader): Promise<Due[]> =>
      claiming
        ? (await this.#kind.choose(reader, { now: lease.now, inFlight: [...this.#inFlight.values()] }))
          .slice(0, most)
        : [];
    if (ended.length === 0 && (await choose(database)).length === 0) return 0;
    const claimed = await database.write(async (tx) => {
      if (ended.length > 0) {
        await this.#kind.settle(tx, ctx, { outcomes: ended, random: this.#random, ...lease });
      }
      return await this.#kind.claim(tx, await choose(tx), lease);
    });
    // Only after the commit: if the transaction fails, the next turn stores them.
    this.#ended = this.#ended.slice(ended.length);
    for (const message of claimed) void this.#deliver(ctx, message);
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
    this.#options.onEnded();
  }
}
