/**
 * Writes YAML with the same value for every reader. YAML 1.1 reads some texts of 1.2 as numbers, dates, booleans
 * or line breaks, so only unambiguous text is written as a plain scalar. The library that reads YAML is not used
 * for writing. It does not escape C1 controls, NEL, line separators and byte order marks, which YAML 1.1 readers
 * refuse or change, and it is fifty times as slow.
 */

import type { ExportRow, Writer } from "./stream.ts";

/** Returns a writer of a list of maps. */
export function yamlWriter(fields: readonly string[]): Writer {
  const keys = fields.map((field, index) => `${index === 0 ? "- " : "  "}${yamlScalar(field)}:`);
  const item = (row: ExportRow): string =>
    fields.map((field, index) => `${keys[index]}${node(row[field] ?? null, ITEM_INDENT)}`).join("");
  return {
    begin: "",
    *rows(rows): Generator<string> {
      for (const row of rows) yield item(row);
    },
    end: (written) => written === 0 ? "[]\n" : "",
  };
}

/** Number of columns before the values of an item's members. */
const ITEM_INDENT = 4;

/** Returns a JSON value as a block-style YAML document. Undefined members are left out, as in JSON. */
export function yamlDocument(value: unknown): string {
  return node(value, 0).trimStart();
}

/** Returns the text after a key or dash whose children are at `indent` columns, including its line end. */
function node(value: unknown, indent: number): string {
  if (Array.isArray(value)) return children(value.map((one) => ["-", one] as const), indent) ?? " []\n";
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return children(members.map(([key, member]) => [`${yamlScalar(key)}:`, member] as const), indent) ??
      " {}\n";
  }
  // A block of a whole document is indented as well.
  return ` ${yamlScalar(value as string | number | boolean | null, { indent: indent || 2 })}\n`;
}

function children(members: readonly (readonly [string, unknown])[], indent: number): string | undefined {
  if (members.length === 0) return undefined;
  const margin = " ".repeat(indent);
  let text = "\n";
  for (const [head, value] of members) text += margin + head + node(value, indent + 2);
  return text;
}

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
function yamlScalar(
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

// Splits a list into its items, which are read one by one.

/** Maximum length of the comments and directives in front of the list. */
const MAX_HEAD_CHARS = 16 * 1024;

/** Returns whether a text begins with a YAML list. */
export function isYamlList(text: string): boolean {
  return yamlItems(text.slice(0, 4_096), 1) !== undefined;
}

/**
 * Returns the texts of the first `max` items; undefined if the text is not a list. Only items begin with a dash at the
 * start of a line.
 */
export function yamlItems(text: string, max: number): string[] | undefined {
  const list = text.startsWith("\ufeff") ? text.slice(1) : text;
  const starts: number[] = [];
  // Items beyond the limit are not searched: a text may have millions.
  for (const { index } of list.matchAll(/(?<=^|[\r\n])- /g)) if (starts.push(index) > max) break;
  const [first = Infinity] = starts;
  if (first > MAX_HEAD_CHARS) return undefined;
  const head = list.slice(0, first).split(/\r\n?|\n/);
  if (!head.every((line) => /^(?:%YAML .*|---|#.*|\s*)$/.test(line))) return undefined;
  return starts.slice(0, max).map((start, index) => {
    const next = starts[index + 1];
    return next === undefined ? list.slice(start) : list.slice(start, next).replace(/(?:\r\n|\r|\n)$/, "");
  });
}
