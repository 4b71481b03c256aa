/**
 * Spreadsheets run a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return as a formula; with a `'`
 * before it they show it. The guard can be taken off again without doubt: a text that already looks guarded is
 * guarded once more (`=1` is written `'=1`, and `'=1` is written `''=1`).
 */

const DANGEROUS = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** A text that no spreadsheet runs. */
export function guardFormula(text: string): string {
  return DANGEROUS.test(text) ? `'${text}` : text;
}

/** The text that was guarded; other texts stay as they are, those with a `'` of their own too. */
export function unguardFormula(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}
