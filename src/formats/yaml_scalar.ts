/**
 * Writes YAML scalars that have the same value for every reader. YAML 1.1 reads some texts of 1.2 as numbers,
 * dates, booleans or line breaks, so only unambiguous text is written as a plain scalar. The library that
 * reads YAML is not used for writing. It does not escape C1 controls, NEL, line separators and byte order
 * marks, which YAML 1.1 readers refuse or change, and it is fifty times as slow.
 */

/** Unambiguous text: begins with a letter, contains no indicators, and does not end with a space or colon. */
const BARE = /^[A-Za-z](?:[\w ./,=+@()-]*[\w./,=+@()-])?$/;
/** Booleans and nulls of YAML 1.1; YAML 1.2 has fewer. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** Text that is ambiguous in a literal block: not printable ASCII, with empty or indented lines, or empty. */
const NOT_LITERAL = /[^\n -~]|^[ \n]|\n[ \n]|^$/;
/**
 * Characters that JSON does not escape but YAML 1.1 must: DEL, C1 controls (NEL is a line break), separators,
 * BOM, non-characters.
 */
const ESCAPED = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * Returns a scalar on one line. With `indent`, returns a text of several lines as a literal block with that
 * indentation. Throws for a number that is not finite.
 */
export function yamlScalar(
  value: string | number | boolean | null,
  options: { readonly indent?: number } = {},
): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value !== "string") return String(value);
  if (BARE.test(value) && !WORDS.test(value)) return value;
  if (options.indent !== undefined && value.includes("\n")) {
    const literal = literalBlock(value, " ".repeat(options.indent));
    if (literal !== undefined) return literal;
  }
  return quoted(value);
}

/** Writes a number. YAML 1.1 requires a decimal point before an exponent. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`Expected a finite number, not ${value}`);
  return String(value).replace(/^(-?\d+)e/, "$1.0e");
}

/**
 * Returns a literal block without its last line break, which the caller writes; undefined if the text is
 * ambiguous in a literal block.
 */
function literalBlock(text: string, indent: string): string | undefined {
  const ended = text.endsWith("\n");
  const body = ended ? text.slice(0, -1) : text;
  if (NOT_LITERAL.test(body) || body.endsWith("\n")) return undefined;
  return `${ended ? "|" : "|-"}\n${indent}${body.replaceAll("\n", `\n${indent}`)}`;
}

/** Returns a double-quoted scalar: a JSON string with YAML's additional escapes. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    ESCAPED,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
