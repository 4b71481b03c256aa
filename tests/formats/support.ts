/** Documents from rows, and texts that are hard to write. */

import { type ExportRow, type Format, writeDocument } from "../../src/formats/mod.ts";

/** Texts that some format could interpret as something else. */
export const HOSTILE_TEXTS: readonly string[] = [
  // YAML 1.1 and 1.2: booleans, nulls, numbers, dates, times, merge and value keys.
  ..."y Y n N yes Yes YES no No NO on On ON off Off OFF true True TRUE false False FALSE".split(" "),
  ..."null Null NULL ~ 0123 0o17 0x1F 0b101 1e3 1E3 1.0 1. .5 -1 +1 1_000 .inf -.Inf .NaN <<".split(" "),
  ..."12:34:56 1:2 190:20:30.15 2026-11-20 2026-11-20T09:22:19 2001-12-14t21:59:43.10-05:00 =".split(" "),
  // YAML indicators and structure.
  "- item",
  "-",
  "--- doc",
  "---",
  "...",
  "? key",
  ": value",
  "key: value",
  "key:",
  "a #comment",
  "#comment",
  "&anchor",
  "*alias",
  "*.example.com",
  "!tag",
  "!!binary aGk=",
  "|",
  ">",
  "%YAML 1.1",
  "@at",
  "`tick",
  "[a, b]",
  "{a: b}",
  "'single'",
  '"double"',
  "\\u0041 \\n",
  // Spaces and line ends of every kind.
  "",
  " ",
  " leading",
  "trailing ",
  "\ttab",
  "tab\t",
  "a\nb",
  "a\nb\n",
  "a\n\nb\n\n",
  " a\nb",
  "a\n b",
  "a\r\nb",
  "a\rb",
  "\n",
  "\r",
  "a\n# comment\n---\nb",
  "nel\u0085nel",
  "ls\u2028ps\u2029",
  // Other characters.
  "\ufeffbom",
  "nul\0\u0001\u001b[31m",
  "del\u007f\u0080\u009f",
  "\ufffe\uffff",
  "Zürich 例え テスト",
  "😀 family 👨‍👩‍👧",
  "\u202eevil",
  // CSV.
  "a,b",
  'say "hi"',
  '"',
  "a;b",
  // Formulas, and texts that look guarded.
  "=1+1",
  "+1",
  "-1+1",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "'=1",
  "''=1",
  "'quoted'",
  '=HYPERLINK("https://evil.example","x")',
  // PEM.
  "-----BEGIN CERTIFICATE-----",
  "x\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  // Harmless.
  "www.example.com",
  "C=US, O=Let's Encrypt, CN=R10",
  "a b/c_d@e (f) = g",
];

/** Yields pages of a list of rows. */
export async function* pagesOf(
  rows: readonly ExportRow[],
  options: { readonly size?: number } = {},
): AsyncGenerator<readonly ExportRow[]> {
  const size = options.size ?? 100;
  for (let from = 0; from < rows.length; from += size) {
    yield await Promise.resolve(rows.slice(from, from + size));
  }
}

/** Returns the whole document; by default with the fields of the first row. */
export async function documentOf(
  format: Format,
  rows: readonly ExportRow[],
  fields: readonly string[] = Object.keys(rows[0] ?? {}),
): Promise<string> {
  return (await Array.fromAsync(writeDocument(format.writer(fields), pagesOf(rows)))).join("");
}
