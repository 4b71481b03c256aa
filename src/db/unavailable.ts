/** Errors of a database that is temporarily unavailable. */

import { AppError } from "../base/errors.ts";
import { RETRY_AFTER_S } from "../base/limits.ts";

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
