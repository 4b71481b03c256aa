/**
 * Waiting for what another process holds. Nothing here blocks the event loop. Errors: unavailable when the place of
 * the database fails (disk full, read-only).
 */

import { WRITE_ATTEMPTS } from "../base/limits.ts";
import { constraintFailure } from "./constraint_failure.ts";
import { fileFailure, unavailable } from "./unavailable.ts";

/** The longest pause between two attempts to get a lock, in milliseconds. */
const MAX_PAUSE_MS = 25;

/** Runs `attempt` until it ends otherwise than by another process's lock, for `waitMs` milliseconds at the most. */
export async function waitForLock<T>(attempt: () => T, waitMs: number): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let longest = 2;; longest = Math.min(2 * longest, MAX_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw fileFailure(error) ?? error;
      if (performance.now() >= deadline) throw error;
    }
    // Of random length, so that two processes do not keep in step.
    await new Promise((done) => setTimeout(done, longest * (0.5 + Math.random() / 2)));
  }
}

/**
 * Runs `attempt` anew while it fails by another writer's lock; gives up as `unavailable`. Errors: invalid and conflict
 * when the database refuses a value.
 */
export async function retryBusy<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1;; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw fileFailure(error) ?? constraintFailure(error) ?? error;
      if (count >= WRITE_ATTEMPTS) {
        throw unavailable("The database is busy.", error);
      }
    }
  }
}

/** Whether a statement was refused because another connection holds the database. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" &&
    /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}
