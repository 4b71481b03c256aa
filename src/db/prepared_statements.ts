/** The prepared statements of a connection. */

import { MAX_KEPT_CHARS, PREPARED_STATEMENTS } from "./limits.ts";
import type { Argument, Statement } from "./render.ts";

/**
 * Keeps statements prepared, by their text. Most of them stay prepared, also because the garbage collector
 * frees the others, and then waits for a statement that is running on their connection on another thread.
 */
export class PreparedStatements<Prepared> {
  /** Least recently used first. */
  readonly #kept = new Map<string, { readonly prepared: Prepared; chars: number }>();
  /** Number of characters of the values that they keep. */
  #keptChars = 0;

  /** Returns the prepared statement; `prepare` creates it if it is not kept. A failure is not kept. */
  get({ sql, args }: Statement, prepare: (sql: string) => Prepared): Prepared {
    const chars = charsOf(args);
    if (chars > MAX_KEPT_CHARS) return prepare(sql);
    const kept = this.#kept.get(sql) ?? { prepared: prepare(sql), chars: 0 };
    this.#keptChars += chars - kept.chars;
    kept.chars = chars;
    this.#kept.delete(sql);
    this.#kept.set(sql, kept);
    for (const [oldest, { chars }] of this.#kept) {
      if (this.#kept.size <= PREPARED_STATEMENTS && this.#keptChars <= MAX_KEPT_CHARS) break;
      this.#kept.delete(oldest);
      this.#keptChars -= chars;
    }
    return kept.prepared;
  }

  clear(): void {
    this.#kept.clear();
    this.#keptChars = 0;
  }
}

/**
 * Makes a query find all its rows before it returns the first one. Only this part runs on the thread of the
 * library; it would find the other rows on the caller's thread.
 */
export function materialized(query: string): string {
  return /^\s*(SELECT|WITH)\b/i.test(query)
    ? `WITH "found" AS MATERIALIZED (${query}\n) SELECT * FROM "found"`
    : query;
}

/** White space, comments and empty statements. */
const BLANK = String.raw`(?:\s|;|--[^\n]*(?:\n|$)|/\*[^]*?\*/)*`;
const OTHER_FILE = new RegExp(
  `^${BLANK}(?:EXPLAIN\\s(?:\\s*QUERY\\s+PLAN\\s)?${BLANK})?(?:ATTACH|VACUUM)\\b`,
  "i",
);

/**
 * Returns SQL that reads and writes only the database that is open. Throws for ATTACH and VACUUM INTO, which reach
 * any file, because Deno's permissions do not apply to the native library.
 */
export function ownFileOnly(text: string): string {
  if ([text, ...text.split(";")].some((one) => OTHER_FILE.test(one))) {
    throw new Error("This connection runs neither ATTACH nor VACUUM");
  }
  return text;
}

function charsOf(args: readonly Argument[]): number {
  let chars = 0;
  for (const arg of args) if (typeof arg === "string") chars += arg.length;
  return chars;
}
