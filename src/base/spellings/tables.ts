/** Recognizes how a table is written: its headings, the lines before them, and its separator. Pure. */

/**
 * Returns a function that returns the column for a heading, ignoring case, accents, punctuation and text in parentheses.
 * @param synonyms Other headings of a column, reduced to letters and digits, separated by spaces.
 */
export function headingReader(
  columns: readonly string[],
  synonyms: Readonly<Record<string, string>>,
): (heading: string) => string | undefined {
  const byLetters = new Map([
    ...Object.entries(synonyms).flatMap(([column, names]) =>
      names.split(" ").map((name) => [name, column] as const)
    ),
    ...columns.map((name) => [lettersOf(name), name] as const),
  ]);
  return (heading) =>
    byLetters.get(lettersOf(heading)) ?? byLetters.get(lettersOf(heading.replaceAll(/\([^()]*\)/g, "")));
}

function lettersOf(text: string): string {
  return text.normalize("NFKD").toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

const SEPARATORS = [",", ";", "\t", "|"];
/** Number of characters and rows from which the separator is recognized. */
const MAX_SAMPLE_CHARS = 65_536;
const MAX_SAMPLE_ROWS = 50;

/** A line before the headings: the separator, as Excel reads it, or a type, as PowerShell writes it. */
const PREAMBLE =
  /^\ufeff?\s*(?:"?sep=(?<separator>[^\r\n"])"?\k<separator>*|#TYPE [^\r\n]*)[^\S\t\r\n]*(?:\r\n|\r|\n|$)/i;

/** Returns whether a line comes before the headings. */
export function isPreamble(line: string): boolean {
  return PREAMBLE.test(line);
}

/** Returns the text of a table from its headings, and its separator. */
export function readLayout(text: string): { table: string; separator: string } {
  let table = text;
  let given: string | undefined;
  for (let line = PREAMBLE.exec(table); line !== null; line = PREAMBLE.exec(table)) {
    given ??= line.groups?.separator;
    table = table.slice(line[0].length);
  }
  return { table, separator: given ?? separatorOf(table) };
}

/**
 * Returns the separator that divides most rows into as many cells as the headings, which are the first row, or below titles the
 * first of two with as many. A heading or a cell can contain another separator.
 */
function separatorOf(table: string): string {
  const counts = countSeparators(table.slice(0, MAX_SAMPLE_CHARS));
  const same = (row: readonly number[], index: number): boolean =>
    row.some((count, separator) => count > 0 && counts[index + 1]?.[separator] === count);
  const isTitle = counts[0]?.every((count) => count === 0) === true;
  const [header, ...rows] = counts.slice(isTitle ? Math.max(0, counts.findIndex(same)) : 0);
  let [best, most] = [",", 0];
  for (const [index, separator] of SEPARATORS.entries()) {
    const inHeader = header?.[index] ?? 0;
    const score = inHeader * (1 + 2 * rows.filter((row) => row[index] === inHeader).length);
    if (score > most) [best, most] = [separator, score];
  }
  return best;
}

/** Maximum number of rows of which one has the headings: titles, dates and notes come before them. */
export const MAX_HEAD_ROWS = 30;

/** Returns which of the first rows has the most known headings, and how many; the first one unless another has two or more. */
export function headingRow(
  rows: readonly (readonly string[])[],
  isKnown: (heading: string) => boolean,
): { readonly index: number; readonly known: number } {
  let best = { index: 0, known: 0 };
  for (const [index, row] of rows.slice(0, MAX_HEAD_ROWS).entries()) {
    const known = row.filter((cell) => cell.length <= MAX_HEADING_CHARS && isKnown(cell)).length;
    if (known > best.known && (index === 0 || known > 1)) best = { index, known };
  }
  return best;
}

/** Longer cells are no headings. */
const MAX_HEADING_CHARS = 100;
/** Words that begin rows of sums, and what else these have: numbers and their units. */
const TOTAL =
  /^(?:(?:grand |sub-?)?totals?|totaux|totale|sum(?:me|a)?|somme|(?:zwischen|gesamt)summe|gesamt(?:zahl)?|insgesamt|anzahl|count|nombre|n[u\u00fa]mero)(?: .{0,40})?:?$/i;
const NUMBER = /^[\d.,'\s]*(?:%|\p{Sc}|[A-Z]{3})?$/u;

/** Returns whether a row has nothing but a word for a total and numbers. */
export function isTotalRow(cells: readonly string[]): boolean {
  const given = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  const words = given.filter((cell) => !NUMBER.test(cell));
  return words.length === 1 && TOTAL.test(words[0] ?? "");
}

/** Counts the separators outside quotes in the first rows that are not blank. */
function countSeparators(sample: string): number[][] {
  const rows: number[][] = [];
  let counts = SEPARATORS.map(() => 0);
  let quoted = false;
  let blank = true;
  for (const char of `${sample}\n`) {
    if (char === '"') quoted = !quoted;
    if (!quoted && (char === "\n" || char === "\r")) {
      if (!blank) rows.push(counts);
      if (rows.length > MAX_SAMPLE_ROWS) break;
      [counts, blank] = [SEPARATORS.map(() => 0), true];
      continue;
    }
    const index = quoted ? -1 : SEPARATORS.indexOf(char);
    if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
    else if (!/\s/.test(char)) blank = false;
  }
  return rows;
}
