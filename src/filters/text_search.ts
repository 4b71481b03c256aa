/**
 * How the contains-searches on a list's own fields find their rows: by the trigram index, which costs as much as the text
 * is common, or by comparing each row, which costs as much as the rows that are read until the page is full.
 */

/** A search in a trigram index. */
export interface TrigramQuery {
  /** The FTS5 table. */
  readonly table: string;
  /** Some trigrams of each text, as queries. */
  readonly trigrams: readonly (readonly string[])[];
}

/** How a condition is compiled, and what it searches for. */
export interface TextSearch {
  /** Whether each row is compared, without any index. */
  readonly scan: boolean;
  /** The searches that the trigram index serves, whether they use it or not. */
  readonly queries: TrigramQuery[];
  /** Whether the condition is compiled differently for the other value of `scan`. */
  differs: boolean;
}

/** Returns a search without queries. */
export function textSearch(scan: boolean): TextSearch {
  return { scan, queries: [], differs: false };
}
