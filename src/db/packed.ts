/**
 * Rows of many columns, as one JSON value each: the native binding makes a JavaScript value of every cell, which for
 * wide rows takes twice as long as letting SQLite write JSON and `JSON.parse` read it.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Cell, Row } from "./database.ts";
import { flatten } from "./flatten.ts";

/** A select list of one column, and how its rows become objects by column name again. */
export interface Packed {
  /** `json_array(…) AS packed`. */
  readonly list: SQL;
  readonly unpack: (rows: readonly Row[]) => Row[];
}

/** Packs a select list; expressions give text, numbers or null. Rendered once, for use many times. */
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
