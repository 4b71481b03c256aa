/** A database that cannot serve at present, through no fault of the request. */

import { AppError } from "../base/errors.ts";
import { RETRY_AFTER_S } from "../base/limits.ts";

/** When a client may come again. */
export const RETRY_AFTER: Record<string, string> = { "Retry-After": String(RETRY_AFTER_S) };

/** Nothing has been stored, and the same request may succeed later. */
export function unavailable(detail: string, cause: unknown): AppError {
  return new AppError("unavailable", detail, { cause, headers: RETRY_AFTER });
}

/** What is wrong with the place where a database file lies, by SQLite's result code (extended ones included). */
const PLACES: readonly (readonly [code: RegExp, detail: string])[] = [
  [/^SQLITE_FULL/, "The database cannot be written: its disk is full."],
  [/^SQLITE_READONLY/, "The database cannot be written: its file is read-only."],
  [/^SQLITE_IOERR/, "The database cannot be read or written: its disk fails."],
  [/^SQLITE_CANTOPEN/, "The database cannot be opened."],
  [/^SQLITE_(CORRUPT|NOTADB)/, "The database file is damaged."],
];

/** The refusal for an error of the place; undefined for any other error. */
export function fileFailure(error: unknown): AppError | undefined {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const detail = PLACES.find(([pattern]) => pattern.test(code))?.[1];
  return detail === undefined ? undefined : unavailable(detail, error);
}
