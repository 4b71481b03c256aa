/**
 * Waits for locks of other processes without blocking the event loop. Errors: unavailable if the database
 * file cannot be used (disk full, read-only).
 */

import { WRITE_ATTEMPTS } from "./limits.ts";
import { constraintFailure } from "./constraint_failure.ts";
import { fileFailure, unavailable } from "./unavailable.ts";

/** Maximum pause between two attempts to get a lock, in milliseconds. */
const MAX_PAUSE_MS = 25;

/** Retries `attempt` while another process holds the lock, for at most `waitMs` milliseconds. */
export async function waitForLock<T>(attempt: () => T, waitMs: number): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let longest = 2;; longest = Math.min(2 * longest, MAX_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw fileFailure(error) ?? error;
      if (performance.now() >= deadline) throw error;
    }
    // Random, so that two processes do not retry at the same times.
    await new Promise((done) => setTimeout(done, longest * (0.5 + Math.random() / 2)));
  }
}

/**
 * Retries `attempt` while another writer holds the lock. Errors: unavailable after the last attempt; invalid
 * and conflict if the database refuses a value.
 */
export async function retryBusy<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1;; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw writeError(error);
      if (count >= WRITE_ATTEMPTS) {
        throw unavailable("The database is busy.", error);
      }
    }
  }
}

/** Returns the error to report for an error of a write. */
export function writeError(error: unknown): unknown {
  return fileFailure(error) ?? constraintFailure(error) ?? error;
}

/** Returns whether a statement failed because another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" &&
    /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}
