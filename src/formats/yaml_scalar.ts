/**
 * YAML scalars that every reader takes for the same value. YAML 1.1 sees numbers, dates, truths and line ends where
 * 1.2 sees text, so only text that nobody could take for anything else stands bare. Written here rather than by the
 * library that reads YAML: that one leaves C1 controls, NEL, line separators and byte order marks as they are, which
 * YAML 1.1 readers refuse or turn into other text, and it takes fifty times as long.
 */

/** Begins with a letter, holds no indicator, ends with neither blank nor colon. */
const BARE = /^[A-Za-z](?:[\w ./,=+@()-]*[\w./,=+@()-])?$/;
/** YAML 1.1's truths and nothings; YAML 1.2 knows fewer. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** What a literal block cannot hold without doubt: other than printable ASCII, lines that are empty or indented, nothing. */
const NOT_LITERAL = /[^\n -~]|^[ \n]|\n[ \n]|^$/;
/** What JSON leaves as it is and YAML 1.1 does not: DEL, C1 controls (NEL is a line end), separators, BOM, non-characters. */
const ESCAPED = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * A scalar on one line, or, where `indent` allows it, lines of text as a literal block that is indented so far.
 * Numbers must be finite.
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

/** YAML 1.1 takes an exponent for one only after a point. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`Number is ${value}, want a finite one`);
  return String(value).replace(/^(-?\d+)e/, "$1.0e");
}

/** Without the line end at the end of the block, which the caller writes. */
function literalBlock(text: string, indent: string): string | undefined {
  const ended = text.endsWith("\n");
  const body = ended ? text.slice(0, -1) : text;
  if (NOT_LITERAL.test(body) || body.endsWith("\n")) return undefined;
  return `${ended ? "|" : "|-"}\n${indent}${body.replaceAll("\n", `\n${indent}`)}`;
}

/** A JSON string is a double-quoted YAML scalar but for the characters that YAML must have escaped. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    ESCAPED,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
