/** The input and the results of database checks. */

import type { Millis } from "../../../base/clock.ts";
import type { Migration, Reader } from "../../../db/mod.ts";
import type { SchemaObject } from "./schema.ts";

export interface CheckInput {
  readonly database: Reader;
  readonly kind: "file" | "remote";
  readonly now: Millis;
  /** The migrations of this release. */
  readonly migrations: readonly Migration[];
  /** The schema that the migrations create. */
  readonly schema: readonly SchemaObject[];
}

/** `warning`: the service works, but needs attention. `failed`: rows are damaged, missing or superfluous. */
export interface CheckResult {
  readonly check: string;
  readonly result: "ok" | "warning" | "failed";
  /** One sentence. */
  readonly message: string;
  /** Examples of the problems, at most {@link MAX_EXAMPLES}. */
  readonly examples: readonly string[];
}

/** Runs a check. Throws the errors of the database. */
export type Check = (input: CheckInput) => Promise<CheckResult>;

const MAX_EXAMPLES = 5;

/** Returns a result, which is ok if `wrong` is empty. */
export function toCheckResult(
  check: string,
  { wrong, ok, problem, result = "failed" }: {
    wrong: readonly string[];
    ok: string;
    /** Returns a message with the number of problems. */
    problem: (count: number) => string;
    result?: "warning" | "failed";
  },
): CheckResult {
  if (wrong.length === 0) return { check, result: "ok", message: ok, examples: [] };
  return { check, result, message: problem(wrong.length), examples: wrong.slice(0, MAX_EXAMPLES) };
}
