/** What the database's own constraints refuse. Checks find it earlier; a failure that they missed is no defect to the caller. */

import { AppError, type AppErrorCode } from "../base/errors.ts";

/** By SQLite's message: a server may leave out the extended result code. No name of a table goes to the caller. */
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

/** Any other: the triggers of the schema, which protect objects in use. */
const OTHER = ["conflict", "The change conflicts with other objects."] as const;

/** The refusal for a failed constraint; undefined for any other error. */
export function constraintFailure(error: unknown): AppError | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  const known = REFUSALS.find(([message]) => message.test(error.message));
  // The native library has no code for a value of another type.
  if (known === undefined && !String(error.code).startsWith("SQLITE_CONSTRAINT")) return undefined;
  const [code, detail] = known === undefined ? OTHER : [known[1], known[2]];
  return new AppError(code, detail, { cause: error, unexpected: true });
}
