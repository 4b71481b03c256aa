/**
 * Patterns for SQLite's LIKE, GLOB and FTS5.
 *
 * Case: LIKE, LOWER and NOCASE fold only ASCII, and are used only for values without other letters. A value
 * with other letters becomes a GLOB pattern in which each letter is a class of its one-to-one case forms (`é`
 * → `[éÉ]`). Forms of different length (`ß` and `SS`) do not match.
 */

import { type SQL, sql } from "drizzle-orm";

/** Minimum length of a search in a trigram index. */
const TRIGRAM = 3;
/**
 * Maximum number of characters of a value that are searched for in the index. Each trigram costs a scan of
 * all rows that contain it: a complete host name takes ten times as long as its first characters. The results
 * are checked anyway.
 */
const MAX_PHRASE_CHARS = 12;

/** Where a pattern must match in a text. */
export type PatternAnchor = "whole" | "start" | "end" | "anywhere";

/** Returns a LIKE pattern, which ignores the case of ASCII letters, with backslash as escape character. */
export function likePattern(text: string, anchor: PatternAnchor): string {
  return anchored(text.replace(/[\\%_]/g, "\\$&"), { anchor, any: "%" });
}

/** Returns a case-sensitive GLOB pattern. */
export function exactGlob(text: string, anchor: PatternAnchor): string {
  return anchored(text.replace(/[*?[]/g, "[$&]"), { anchor, any: "*" });
}

/** Returns a GLOB pattern that ignores case. */
export function foldedGlob(text: string, anchor: PatternAnchor): string {
  return anchored(Array.from(text, globClass).join(""), { anchor, any: "*" });
}

function anchored(pattern: string, { anchor, any }: { anchor: PatternAnchor; any: string }): string {
  const before = anchor === "end" || anchor === "anywhere" ? any : "";
  const after = anchor === "start" || anchor === "anywhere" ? any : "";
  return before + pattern + after;
}

/** Returns whether SQLite's folding of ASCII letters is sufficient for a text. */
export function isAsciiCased(text: string): boolean {
  for (const character of text) {
    if (character > "\x7f" && caseForms(character).length > 1) return false;
  }
  return true;
}

/** Returns a character and its upper and lower case forms that are one character. */
export function caseForms(character: string): readonly string[] {
  const forms = [character, character.toLowerCase(), character.toUpperCase()];
  return [...new Set(forms)].filter((form) => form === character || [...form].length === 1);
}

function globClass(character: string): string {
  const forms = caseForms(character);
  return forms.length > 1 ? `[${forms.join("")}]` : "*?[".includes(character) ? `[${character}]` : character;
}

/**
 * Returns the smallest text that is greater than every text with `prefix`, by code points; undefined if there
 * is none.
 */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    if (last === 0x10ffff) continue;
    // Surrogates are not characters: U+E000 follows U+D7FF.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}

/** A trigram index that preselects rows for searches. */
export interface TrigramIndex {
  /** The FTS5 table. Its rowid is the id of the row. */
  readonly table: string;
  /** A view of the rows (by `id`) that the index does not contain yet, if it is filled later. */
  readonly unindexed?: string;
}

/** A column of a trigram index. */
export interface IndexedColumn extends TrigramIndex {
  readonly column: string;
}

/** Returns a `SELECT` of the ids of rows that may match a query in a trigram index. */
export function preselectedIds({ table, unindexed }: TrigramIndex, query: string): SQL {
  const name = sql.identifier(table);
  const found = sql`SELECT rowid FROM ${name} WHERE ${name} MATCH ${query}`;
  return unindexed === undefined
    ? found
    : sql`${found} UNION ALL SELECT id FROM ${sql.identifier(unindexed)}`;
}

/**
 * Returns an FTS5 query that finds in a trigram index at least every row in which `column` (by default any
 * column) contains one of `texts`; undefined if the index cannot preselect rows for one of them. The index
 * has its own case folding and may drop diacritics, so the results must be checked.
 */
export function trigramQuery(
  texts: readonly string[],
  options: { column?: string; ignoreCase: boolean },
): string | undefined {
  const alternatives: string[] = [];
  for (const text of texts) {
    const part = narrowingPart(text);
    if (options.ignoreCase && !isFoldedByIndex(part)) return undefined;
    const trigrams = trigramsIn(part);
    if (trigrams.length === 0) return undefined;
    alternatives.push(trigrams.map(ftsString).join(" AND "));
  }
  const [only, ...others] = alternatives;
  const query = others.length === 0 ? only : alternatives.map((each) => `(${each})`).join(" OR ");
  return options.column === undefined ? query : `${ftsString(options.column)} : (${query})`;
}

/** Returns the distinct trigrams of a text, without those with combining marks, which the index may drop. */
function trigramsIn(text: string): string[] {
  const runs = text.split(/\p{M}+/u).map((run) => [...run]);
  const trigrams = runs.flatMap((run) =>
    run.slice(TRIGRAM - 1).map((_, start) => run.slice(start, start + TRIGRAM))
  );
  return [...new Set(trigrams.map((trigram) => trigram.join("")))];
}

/**
 * Returns the part of a text that is searched for in the index: its longest number, which is usually rare, or
 * its beginning.
 */
function narrowingPart(text: string): string {
  const numbers = text.match(/\d{3,}/g) ?? [];
  const longest = numbers.reduce((best, number) => number.length > best.length ? number : best, "");
  return [...(longest === "" ? text : longest)].slice(0, MAX_PHRASE_CHARS).join("");
}

/** Returns a string literal of FTS5's query language. */
function ftsString(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * Letters whose case forms FTS5 (Unicode 6) folds: Latin, Greek and Cyrillic without letters whose other case
 * was added later. Characters without case forms need no folding.
 */
const FOLDED_BY_INDEX = /[\0-\u0130\u0132-\u019a\u019c-\u024f\u0370-\u037e\u0380-\u03f2\u03f4-\u0527]/;

/** Returns whether the index finds every text that differs from `text` only in case. */
export function isFoldedByIndex(text: string): boolean {
  for (const character of text) {
    if (!FOLDED_BY_INDEX.test(character) && caseForms(character).length > 1) return false;
  }
  return true;
}
