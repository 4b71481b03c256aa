/** What a check of the database comes to. */

import type { Millis } from "../../../base/clock.ts";
import type { Migration, Reader } from "../../../db/mod.ts";
import type { SchemaObject } from "./schema.ts";

/** What checks look at. */
export interface Inspected {
  readonly database: Reader;
  readonly kind: "file" | "remote";
  readonly now: Millis;
  /** Those of this release. */
  readonly migrations: readonly Migration[];
  /** The schema that they make. */
  readonly schema: readonly SchemaObject[];
}

/** `warning`: it works, but somebody should look; `failed`: rows are damaged, missing or too many. */
export interface Finding {
  readonly check: string;
  readonly result: "ok" | "warning" | "failed";
  /** One sentence. */
  readonly message: string;
  /** Some of what is wrong, at the most {@link MAX_EXAMPLES}. */
  readonly examples: readonly string[];
}

/** Looks at one thing. Throws what the database throws. */
export type Check = (inspected: Inspected) => Promise<Finding>;

/** Examples of one finding. */
const MAX_EXAMPLES = 5;

/** A finding by what is wrong: nothing is well. */
export function judged(
  check: string,
  { wrong, well, ill, result = "failed" }: {
    wrong: readonly string[];
    well: string;
    /** Says what is wrong, given how much. */
    ill: (count: number) => string;
    result?: "warning" | "failed";
  },
): Finding {
  if (wrong.length === 0) return { check, result: "ok", message: well, examples: [] };
  return { check, result, message: ill(wrong.length), examples: wrong.slice(0, MAX_EXAMPLES) };
}

/** `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
