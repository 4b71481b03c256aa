/**
 * Escapes formulas (CSV injection). Spreadsheets evaluate a cell that begins with `=`, `+`, `-`, `@`, a tab
 * or a carriage return, unless a `'` precedes it. The escaping is reversible: a text that looks escaped is
 * escaped again (`=1` becomes `'=1`, and `'=1` becomes `''=1`).
 */

const DANGEROUS = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** Returns text that spreadsheets do not evaluate. */
export function guardFormula(text: string): string {
  return DANGEROUS.test(text) ? `'${text}` : text;
}

/** Reverses {@link guardFormula}. Returns other texts unchanged, even if they begin with `'`. */
export function unguardFormula(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}
