/** What commands print. Texts of strangers (names in certificates) must not steer the terminal they are shown on. */

import Table from "cli-table3";
import { visible } from "../x509/mod.ts";

const encoder = new TextEncoder();

/** Prints lines on standard output. */
export function printLines(...lines: readonly string[]): void {
  write(Deno.stdout, lines.map((line) => `${visible(line)}\n`).join(""));
}

/** Prints one line on standard error. */
export function printNote(line: string): void {
  write(Deno.stderr, `${visible(line)}\n`);
}

/** Prints a value for programs; characters that steer a terminal or reorder text are escaped as JSON has it. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, 2).replace(/[^\P{C}\n]|[\u2028\u2029]/gu, (character) => {
    const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
    return units.map((unit) => `\\u${unit}`).join("");
  });
  write(Deno.stdout, `${text}\n`);
}

/** Prints rows under their headings. */
export function printTable(head: readonly string[], rows: readonly (readonly unknown[])[]): void {
  const table = new Table({ head: [...head], style: { head: [], border: [] }, chars: NO_RULES_BETWEEN_ROWS });
  for (const row of rows) table.push(row.map((cell) => visible(cellText(cell))));
  write(Deno.stdout, `${table.toString()}\n`);
}

const NO_RULES_BETWEEN_ROWS = { "mid": "", "left-mid": "", "mid-mid": "", "right-mid": "" };

/** A frame around lines that must not be overlooked. */
export function printBox(lines: readonly string[]): void {
  const width = Math.max(...lines.map((line) => line.length));
  const rule = "─".repeat(width + 2);
  printLines(`┌${rule}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${rule}┘`);
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "boolean" ? (cell ? "yes" : "no") : String(cell);
}

/** Whoever reads may stop reading (`… | head`): that is no failure. */
function write(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = encoder.encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
