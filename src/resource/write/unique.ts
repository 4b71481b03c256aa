/** Uniqueness, judged before anything is stored: against the store and within the call. */

import { getTableName, sql } from "drizzle-orm";
import type { Cell, Row } from "../../db/mod.ts";
import type { Draft, UniqueRule } from "../model/definition.ts";

import { columnOf } from "../model/fields/column.ts";
import { refuse, type WriteCall } from "./write_call.ts";

/** Adds a finding to every draft that would collide. One statement for each rule that is touched. */
export async function checkUnique(call: WriteCall, drafts: readonly Draft[]): Promise<void> {
  for (const rule of call.resource.unique) {
    const touched = drafts.filter((draft) => rule.columns.some((column) => Object.hasOwn(draft.row, column)));
    if (touched.length > 0) await checkRule(call, rule, touched);
  }
}

async function checkRule(
  { tx, resource }: WriteCall,
  rule: UniqueRule,
  drafts: readonly Draft[],
): Promise<void> {
  const keys = new Map<string, Draft[]>();
  // A key with a NULL in it collides with none, as in SQLite's own indexes, unless the rule says otherwise.
  for (const draft of drafts) {
    const cells = cellsOf(draft, rule);
    if (!rule.nullsEqual && cells.includes(null)) continue;
    const key = keyOf(cells, rule);
    keys.set(key, [...keys.get(key) ?? [], draft]);
  }
  for (const same of keys.values()) {
    for (const draft of same.slice(1)) refuse(draft, rule.field, rule.message);
  }
  const alias = getTableName(resource.table);
  const tuples = JSON.stringify([...keys.values()].map((same) => cellsOf(same[0] as Draft, rule)));
  const columns = rule.columns.map((column) => columnOf(alias, column));
  const wanted = rule.columns.map((_, index) => sql`value->>${sql.raw(String(index))}`);
  // The collation of the column decides, because it stands on the left.
  const equals = rule.nullsEqual ? sql`IS` : sql`=`;
  const same = columns.map((column, index) => sql`${column} ${equals} ${wanted[index]}`);
  // CROSS JOIN: each key is looked for in the table's index, and the table is never walked, whatever its statistics.
  const rows = await tx.all<Row>(
    sql`SELECT ${
      columnOf(alias, "id")
    } AS id, wanted.key AS wanted FROM json_each(${tuples}) AS wanted CROSS JOIN ${resource.table} ON ${
      sql.join(same, sql` AND `)
    }`,
  );
  const groups = [...keys.values()];
  for (const row of rows) {
    for (const draft of groups[row.wanted as number] ?? []) {
      // Also a row that this very call moves away from the key: SQLite changes one row after the other.
      if (row.id !== draft.id) refuse(draft, rule.field, rule.message);
    }
  }
}

function cellsOf(draft: Draft, rule: UniqueRule): Cell[] {
  return rule.columns.map((column) =>
    (Object.hasOwn(draft.row, column) ? draft.row[column] : draft.before?.[column]) ?? null
  );
}

function keyOf(cells: readonly Cell[], rule: UniqueRule): string {
  return JSON.stringify(
    rule.ignoreCase ? cells.map((cell) => typeof cell === "string" ? cell.toLowerCase() : cell) : cells,
  );
}
