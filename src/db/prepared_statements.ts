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
    const kept = this.#kept.get(sql) ?? { prepared: this.#prepared(sql, prepare), chars: 0 };
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

  #prepared(sql: string, prepare: (sql: string) => Prepared): Prepared {
    const prepared = prepare(sql);
    if (prepared instanceof Promise) prepared.catch(() => this.#forget(sql));
    return prepared;
  }

  #forget(sql: string): void {
    this.#keptChars -= this.#kept.get(sql)?.chars ?? 0;
    this.#kept.delete(sql);
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

function charsOf(args: readonly Argument[]): number {
  let chars = 0;
  for (const arg of args) if (typeof arg === "string") chars += arg.length;
  return chars;
}
