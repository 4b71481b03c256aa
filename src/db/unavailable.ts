/**
 * Errors of a database that is temporarily unavailable, and waiting for locks of other processes without
 * blocking the event loop.
 */

import { AppError } from "../base/errors.ts";
import { RETRY_AFTER_S } from "../base/limits.ts";
import { constraintFailure } from "./constraint_failure.ts";
import { WRITE_ATTEMPTS } from "./limits.ts";

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
      if (!isBusy(error)) throw fileFailure(error) ?? constraintFailure(error) ?? error;
      if (count >= WRITE_ATTEMPTS) {
        throw unavailable("The database is busy.", error);
      }
    }
  }
}

/** Returns whether a statement failed because another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" &&
    /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}

/** When a client may retry. */
export const RETRY_AFTER: Record<string, string> = { "Retry-After": String(RETRY_AFTER_S) };

/** Returns an error for a request that stored nothing and may succeed later. */
export function unavailable(detail: string, cause: unknown): AppError {
  return new AppError("unavailable", detail, { cause, headers: RETRY_AFTER });
}

/** A read that took longer than the time limit. */
export class QueryTimeout extends AppError {
  /** The time limit, in seconds. */
  readonly seconds: number;

  constructor(timeoutMs: number) {
    const seconds = timeoutMs / 1_000;
    super("unavailable", `The query took longer than ${seconds} s. Select fewer objects.`, {
      headers: RETRY_AFTER,
    });
    this.seconds = seconds;
  }
}

/** Failures of a database file by SQLite's result codes (including extended ones). */
const PLACES: readonly (readonly [code: RegExp, detail: string])[] = [
  [/^SQLITE_FULL/, "The database cannot be written: its disk is full."],
  [/^SQLITE_READONLY/, "The database cannot be written: its file is read-only."],
  [/^SQLITE_IOERR/, "The database cannot be read or written: its disk is failing."],
  [/^SQLITE_CANTOPEN/, "The database cannot be opened."],
  [/^SQLITE_(CORRUPT|NOTADB)/, "The database file is damaged."],
];

/** Returns the error for a failure of the database file; undefined for any other error. */
export function fileFailure(error: unknown): AppError | undefined {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const detail = PLACES.find(([pattern]) => pattern.test(code))?.[1];
  return detail === undefined ? undefined : unavailable(detail, error);
}
