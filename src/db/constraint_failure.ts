/** Maps violated database constraints to errors. Validation usually finds violations earlier, with better messages. */

import { AppError, type AppErrorCode } from "../base/errors.ts";

/** Errors by SQLite's message, because a server may omit the extended result code. They contain no table names. */
const REFUSALS: readonly (readonly [message: RegExp, code: AppErrorCode, detail: string])[] = [
  [
    /UNIQUE constraint failed/,
    "conflict",
    "The change conflicts with another object that has the same values.",
  ],
  [
    /FOREIGN KEY constraint failed/,
    "conflict",
    "The change refers to an object that does not exist, or removes one that other objects refer to.",
  ],
  [/NOT NULL constraint failed/, "invalid", "A value is missing."],
  [
    /CHECK constraint failed|cannot store \w+ value in \w+ column/,
    "invalid",
    "A value is not allowed in its field.",
  ],
];

/** The error for any other constraint: triggers of the schema, which protect objects in use. */
const OTHER = ["conflict", "The change conflicts with other objects."] as const;

/** Returns the error for a violated constraint; undefined for any other error. */
export function constraintFailure(error: unknown): AppError | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  const known = REFUSALS.find(([message]) => message.test(error.message));
  // The native library has no error code for a value of the wrong type.
  if (known === undefined && !String(error.code).startsWith("SQLITE_CONSTRAINT")) return undefined;
  const [code, detail] = known === undefined ? OTHER : [known[1], known[2]];
  return new AppError(code, detail, { cause: error, unexpected: true });
}
