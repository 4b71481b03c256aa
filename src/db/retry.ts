/** Trying again what another process prevented. */

import { AppError } from "../base/errors.ts";
import { WRITE_ATTEMPTS } from "../base/limits.ts";

/** Runs `attempt` until it ends otherwise than by another writer's lock; gives up as `unavailable`. */
export async function retryBusy<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1;; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (count >= WRITE_ATTEMPTS) {
        throw new AppError("unavailable", "The database is busy.", { cause: error });
      }
      await pause(count);
    }
  }
}

/** Whether a statement was refused because another connection holds the database. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" &&
    /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}

/** Waits longer after each attempt, and never as long as a neighbour. */
function pause(count: number): Promise<void> {
  return new Promise((done) => setTimeout(done, 10 * 2 ** count * (0.5 + Math.random())));
}
