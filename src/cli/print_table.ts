/** Prints tables on standard output. */

import Table from "cli-table3";
import { printable } from "../x509/mod.ts";
import { print } from "./output.ts";

/** Prints rows under their headings. */
export function printTable(head: readonly string[], rows: readonly (readonly unknown[])[]): void {
  const table = new Table({ head: [...head], style: { head: [], border: [] }, chars: NO_RULES_BETWEEN_ROWS });
  for (const row of rows) table.push(row.map((cell) => printable(cellText(cell))));
  print(`${table.toString()}\n`);
}

const NO_RULES_BETWEEN_ROWS = { "mid": "", "left-mid": "", "mid-mid": "", "right-mid": "" };

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "boolean" ? (cell ? "yes" : "no") : String(cell);
}
