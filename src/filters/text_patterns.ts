/**
 * Texts as SQLite's LIKE, GLOB and FTS5 read them.
 *
 * Case: LIKE, LOWER and NOCASE fold ASCII only. A value of ASCII letters is compared by them, so it matches ASCII
 * letters of either case. A value with other letters becomes a GLOB pattern in which each letter is a class of its
 * one-to-one case forms (`é` → `[éÉ]`); what changes length (`ß` and `SS`) does not match.
 */

/** Characters that a trigram index needs to find anything. */
const TRIGRAM = 3;
/**
 * Characters of a value that narrow a search. Each costs the index a walk through all rows that have these three
 * letters, so that a whole host name takes ten times as long as its beginning. What is found is checked anyway.
 */
const MAX_PHRASE_CHARS = 12;

/** Where in a text a pattern must match. */
export type Anchor = "whole" | "start" | "end" | "anywhere";

/** A LIKE pattern, which ignores the case of ASCII letters; escaped by a backslash. */
export function likePattern(text: string, anchor: Anchor): string {
  return anchored(text.replace(/[\\%_]/g, "\\$&"), { anchor, any: "%" });
}

/** A GLOB pattern that heeds case. */
export function exactGlob(text: string, anchor: Anchor): string {
  return anchored(text.replace(/[*?[]/g, "[$&]"), { anchor, any: "*" });
}

/** A GLOB pattern that ignores case. */
export function foldedGlob(text: string, anchor: Anchor): string {
  return anchored(Array.from(text, globClass).join(""), { anchor, any: "*" });
}

function anchored(pattern: string, { anchor, any }: { anchor: Anchor; any: string }): string {
  const before = anchor === "end" || anchor === "anywhere" ? any : "";
  const after = anchor === "start" || anchor === "anywhere" ? any : "";
  return before + pattern + after;
}

/** Whether SQLite's own folding of ASCII letters is all that the text needs. */
export function isAsciiCased(text: string): boolean {
  for (const character of text) {
    if (character > "\x7f" && caseForms(character).length > 1) return false;
  }
  return true;
}

/** A character with its upper and lower case form, as far as each is one character. */
export function caseForms(character: string): readonly string[] {
  const forms = [character, character.toLowerCase(), character.toUpperCase()];
  return [...new Set(forms)].filter((form) => form === character || [...form].length === 1);
}

function globClass(character: string): string {
  const forms = caseForms(character);
  return forms.length > 1 ? `[${forms.join("")}]` : "*?[".includes(character) ? `[${character}]` : character;
}

/** The least text greater than every text that starts with `prefix`, in code point order; undefined when none is. */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    if (last === 0x10ffff) continue;
    // Surrogates are no characters: the next one after U+D7FF is U+E000.
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}

/**
 * An FTS5 query that finds, in a trigram index, at least every row whose `column` contains one of `texts`; undefined
 * when one of them cannot be narrowed down. The index folds case by its own tables and may drop diacritics, so what
 * it finds must be checked.
 */
export function trigramQuery(
  texts: readonly string[],
  options: { column: string; ignoreCase: boolean },
): string | undefined {
  const phrases: string[] = [];
  for (const text of texts) {
    const phrase = narrowingPart(text);
    if (options.ignoreCase && !isFoldedByIndex(phrase)) return undefined;
    // Marks may be dropped by the index, so they do not count.
    if ([...phrase.replace(/\p{M}/gu, "")].length < TRIGRAM) return undefined;
    phrases.push(ftsString(phrase));
  }
  return `${ftsString(options.column)} : (${phrases.join(" OR ")})`;
}

/** The part of a text that the index is asked for: its longest number, for numbers are rarer than words, else its beginning. */
function narrowingPart(text: string): string {
  const numbers = text.match(/\d{3,}/g) ?? [];
  const longest = numbers.reduce((best, number) => number.length > best.length ? number : best, "");
  return [...(longest === "" ? text : longest)].slice(0, MAX_PHRASE_CHARS).join("");
}

/** A string of FTS5's query language; inside one, only the quoteInput has a meaning. */
function ftsString(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * Letters whose case forms FTS5 (Unicode 6) folds together: Latin, Greek and Cyrillic, less some letters that had no
 * other case then. Characters without case forms are the same to everyone.
 */
const FOLDED_BY_INDEX = /[\0-\u0130\u0132-\u019a\u019c-\u024f\u0370-\u037e\u0380-\u03f2\u03f4-\u0527]/;

/** Whether the index finds every text that differs from `text` in case only. */
export function isFoldedByIndex(text: string): boolean {
  for (const character of text) {
    if (!FOLDED_BY_INDEX.test(character) && caseForms(character).length > 1) return false;
  }
  return true;
}
