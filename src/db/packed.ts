/**
 * Reads wide rows as one JSON value each: creating a JavaScript value for every cell in the native binding takes twice
 * as long as writing JSON in SQLite and reading it by `JSON.parse`.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Cell, Row } from "./database.ts";
import { flatten } from "./flatten.ts";

/** A select list of one JSON column, and the function that decodes its rows. */
export interface Packed {
  /** `json_array(…) AS packed`. */
  readonly list: SQL;
  readonly unpack: (rows: readonly Row[]) => Row[];
}

/** Packs a select list of text, numbers and nulls. Rendered once, so it can be used many times. */
export function pack(columns: readonly (readonly [name: string, expression: SQL])[]): Packed {
  const names = columns.map(([name]) => name);
  const list = flatten(
    sql`json_array(${sql.join(columns.map(([, expression]) => expression), sql`, `)}) AS packed`,
  );
  return { list, unpack: (rows) => rows.map((row) => unpackRow(names, JSON.parse(row.packed as string))) };
}

function unpackRow(names: readonly string[], cells: readonly (Cell | object)[]): Row {
  const row: Row = {};
  for (let index = 0; index < names.length; index++) {
    const cell = cells[index] as Cell | object;
    row[names[index] as string] = cell as Cell;
  }
  return row;
}
