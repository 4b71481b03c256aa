/** Recognizes how a table is written: the lines before its headings, and its separator. Pure. */

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
 * Returns the separator that divides most rows into as many cells as the headings. A heading or a cell can contain
 * another one.
 */
function separatorOf(table: string): string {
  const [header, ...rows] = countSeparators(table.slice(0, MAX_SAMPLE_CHARS));
  let [best, most] = [",", 0];
  for (const [index, separator] of SEPARATORS.entries()) {
    const inHeader = header?.[index] ?? 0;
    const score = inHeader * (1 + 2 * rows.filter((row) => row[index] === inHeader).length);
    if (score > most) [best, most] = [separator, score];
  }
  return best;
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
