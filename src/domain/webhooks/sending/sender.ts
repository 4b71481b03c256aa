/** Sends messages concurrently up to a limit, and starts the next one whenever one has ended. */

import type { Context } from "../../../auth/mod.ts";
import { DELIVERY_SLOTS } from "../../../base/limits.ts";
import type { Reader } from "../../../db/mod.ts";
import type { Send } from "../../../http/mod.ts";
import { attempt, type Outcome } from "./attempt.ts";
import type { RandomSource } from "./backoff.ts";
import { chooseMessages, type ClaimedMessage, claimMessages, type DueMessage, dueMessages } from "./claim.ts";
import { planUpdates, settle } from "./settle.ts";

/** How messages are sent. */
export interface SenderOptions {
  readonly context: () => Context;
  readonly send: Send;
  /** Called whenever an attempt has ended; the next turn stores its outcome. */
  readonly onEnded: () => void;
  /** For tests. */
  readonly random?: RandomSource;
}

/** Holds the messages that one process is sending. Turns must not overlap. */
export class Sender {
  /** The owner of this process's leases. */
  readonly #owner = crypto.randomUUID();
  readonly #options: SenderOptions;
  readonly #random: RandomSource;
  readonly #inFlight = new Map<number, ClaimedMessage>();
  #ended: Outcome[] = [];

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /** The number of running attempts, and of ended ones that are not stored yet. */
  get busy(): number {
    return this.#inFlight.size + this.#ended.length;
  }

  /**
   * Stores the outcomes of ended attempts and, unless `claiming` is false, claims and sends as many due messages as
   * there are free slots; returns their number. Both happen in one transaction, or in none if there is nothing to do.
   */
  async turn({ claiming, most = Infinity }: { claiming: boolean; most?: number }): Promise<number> {
    const ctx = this.#options.context();
    const { database } = ctx;
    // A copy: further attempts may end while these are stored.
    const ended = [...this.#ended];
    const now = ctx.clock.now();
    const choose = async (reader: Reader): Promise<DueMessage[]> =>
      claiming && this.#inFlight.size < DELIVERY_SLOTS
        ? chooseMessages(await dueMessages(reader, now), [...this.#inFlight.values()]).slice(0, most)
        : [];
    if (ended.length === 0 && (await choose(database)).length === 0) return 0;
    const updates = planUpdates(ended, { now, random: this.#random });
    const claimed = await database.write(async (tx) => {
      await settle(tx, ctx, { updates, owner: this.#owner, random: this.#random });
      return await claimMessages(tx, await choose(tx), { owner: this.#owner, now });
    });
    // Only after the commit: if the transaction fails, the next turn stores them.
    this.#ended = this.#ended.slice(ended.length);
    for (const message of claimed) void this.#deliver(ctx, message);
    return claimed.length;
  }

  async #deliver(ctx: Context, message: ClaimedMessage): Promise<void> {
    this.#inFlight.set(message.id, message);
    const outcome = await attempt(ctx, message, this.#options.send);
    this.#inFlight.delete(message.id);
    this.#ended.push(outcome);
    const { status, error, durationMs } = outcome;
    ctx.log.log(error === "" ? "debug" : "warn", "delivery", {
      delivery: message.id,
      webhook: message.webhookId,
      attempt: message.attempts,
      status,
      duration_ms: durationMs,
      ...(error === "" ? {} : { error }),
    });
    this.#options.onEnded();
  }
}
