/** Sends messages: some at a time, and as many more as there is room for whenever one has ended. */

import type { Context } from "../../../auth/mod.ts";
import { DELIVERY_SLOTS } from "../../../base/limits.ts";
import type { Reader } from "../../../db/mod.ts";
import type { Send } from "../../../http/mod.ts";
import { attempt, type Outcome } from "./attempt.ts";
import type { Chance } from "./backoff.ts";
import { chooseMessages, type ClaimedMessage, claimMessages, type DueMessage, dueMessages } from "./claim.ts";
import { judgeOutcomes, settle } from "./settle.ts";

/** How messages are sent. */
export interface SenderOptions {
  readonly context: () => Context;
  readonly send: Send;
  /** Told whenever an attempt has ended, and is to be noted by the next turn. */
  readonly onEnded: () => void;
  /** For tests. */
  readonly chance?: Chance;
}

/** Holds what one process is sending. Its turns must not overlap. */
export class Sender {
  /** Under this name the messages are leased. */
  readonly #owner = crypto.randomUUID();
  readonly #options: SenderOptions;
  readonly #chance: Chance;
  readonly #inFlight = new Map<number, ClaimedMessage>();
  #ended: Outcome[] = [];

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#chance = options.chance ?? Math.random;
  }

  /** Messages on their way, or arrived and not noted yet. */
  get busy(): number {
    return this.#inFlight.size + this.#ended.length;
  }

  /**
   * Notes what has ended and, unless `claiming` is false, begins to send what there is room for; gives the number of
   * messages begun. Both are one transaction; none where there is nothing to do.
   */
  async turn({ claiming, most = Infinity }: { claiming: boolean; most?: number }): Promise<number> {
    const ctx = this.#options.context();
    const { database } = ctx;
    // A copy: attempts go on ending while these are noted.
    const ended = [...this.#ended];
    const now = ctx.clock.now();
    const choose = async (reader: Reader): Promise<DueMessage[]> =>
      claiming && this.#inFlight.size < DELIVERY_SLOTS
        ? chooseMessages(await dueMessages(reader, now), [...this.#inFlight.values()]).slice(0, most)
        : [];
    if (ended.length === 0 && (await choose(database)).length === 0) return 0;
    const verdicts = judgeOutcomes(ended, { now, chance: this.#chance });
    const claimed = await database.write(async (tx) => {
      await settle(tx, ctx, { verdicts, owner: this.#owner, chance: this.#chance });
      return await claimMessages(tx, await choose(tx), { owner: this.#owner, now });
    });
    // Only now: had the transaction failed, the next turn would have to note them.
    this.#ended = this.#ended.slice(ended.length);
    for (const message of claimed) void this.#carry(ctx, message);
    return claimed.length;
  }

  async #carry(ctx: Context, message: ClaimedMessage): Promise<void> {
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
