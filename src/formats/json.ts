/** Writes JSON: a list of objects, one per line. */

import type { Writer } from "./types.ts";

export function jsonWriter(): Writer {
  return {
    begin: "[",
    *rows(rows, written): Generator<string> {
      for (const row of rows) yield `${written++ === 0 ? "\n" : ",\n"}${JSON.stringify(row)}`;
    },
    end: (written) => written === 0 ? "]\n" : "\n]\n",
  };
}
