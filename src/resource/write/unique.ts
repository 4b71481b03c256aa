/** Checks uniqueness rules before anything is stored: against the database and within the request. */

import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import type { Cell } from "../../db/mod.ts";
import type { UniqueRule } from "../model/definition.ts";
import type { Draft } from "../model/field.ts";

import { columnOf } from "../../filters/mod.ts";
import { refuse, type WriteCall } from "./write_call.ts";
import { first } from "../../base/first.ts";

/** Stored rows that a uniqueness rule ignores. */
export interface IgnoredRows {
  /** A column with which a row can stop being ignored, so that its change is checked as well. */
  readonly decidedBy: string;
  /** A column of the new row that decides, too. */
  readonly column: string;
  /** Returns the condition that a stored row is ignored, given `column` of the new row. */
  readonly condition: (row: { ctx: Context; alias: string; value: SQL }) => SQL;
}

/**
 * Adds an error to every draft that violates a rule. A draft with an invalid value in one of the columns is
 * left out, because it is unknown what it would store. One statement per affected rule.
 */
export async function checkUnique(call: WriteCall, drafts: readonly Draft[]): Promise<void> {
  const invalid = new Map(drafts.map((draft) => [draft, invalidColumns(call, draft)]));
  for (const rule of call.resource.unique) {
    const decisive = [...rule.columns, ...rule.ignored === undefined ? [] : [rule.ignored.decidedBy]];
    const changed = drafts.filter((draft) =>
      decisive.some((column) => Object.hasOwn(draft.row, column)) &&
      !rule.columns.some((column) => invalid.get(draft)?.has(column))
    );
    if (changed.length > 0) await checkRule(call, rule, changed);
  }
}

function invalidColumns({ resource }: WriteCall, { errors }: Draft): ReadonlySet<string> {
  return new Set(
    errors.map(({ field: name = "" }) => resource.fields[name]?.refers?.foreignKey?.column ?? name),
  );
}

async function checkRule(
  { ctx, tx, resource }: WriteCall,
  rule: UniqueRule,
  drafts: readonly Draft[],
): Promise<void> {
  const keys = new Map<string, Draft[]>();
  // A key with a NULL equals no other, as in SQLite's indexes, unless the rule says otherwise.
  for (const draft of drafts) {
    const cells = cellsOf(draft, rule.columns);
    if (!rule.nullsEqual && cells.includes(null)) continue;
    const key = keyOf(cells, rule);
    const same = keys.get(key);
    if (same === undefined) keys.set(key, [draft]);
    else same.push(draft);
  }
  for (const same of keys.values()) {
    for (const draft of same.slice(1)) refuse(draft, rule.field, rule.finding);
  }
  const alias = getTableName(resource.table);
  const { ignored } = rule;
  const sent = ignored === undefined ? rule.columns : [...rule.columns, ignored.column];
  const tuples = JSON.stringify([...keys.values()].map((same) => cellsOf(first(same), sent)));
  const columns = rule.columns.map((column) => columnOf(alias, column));
  const values = rule.columns.map((_, index) => sql`value->>${sql.raw(String(index))}`);
  const table = getTableColumns(resource.table);
  // The left operand determines the collation. If NULL equals NULL, the `+` prevents SQLite from using an
  // index of the nullable column alone, because most rows may have no tenant.
  const same = columns.map((column, index) =>
    rule.nullsEqual && !table[rule.columns[index] ?? ""]?.notNull
      ? sql`+${column} IS ${values[index]}`
      : sql`${column} = ${values[index]}`
  );
  if (ignored !== undefined) {
    const value = sql`value->>${sql.raw(String(rule.columns.length))}`;
    same.push(sql`NOT ${ignored.condition({ ctx, alias, value })}`);
  }
  // CROSS JOIN forces an index search for each key instead of a scan of the table, whatever the statistics.
  const rows = await tx.all<{ id: number; key: number }>(
    sql`SELECT ${
      columnOf(alias, "id")
    } AS id, keys.key AS key FROM json_each(${tuples}) AS keys CROSS JOIN ${resource.table} ON ${
      sql.join(same, sql` AND `)
    }`,
  );
  const groups = [...keys.values()];
  for (const row of rows) {
    for (const draft of groups[row.key] ?? []) {
      // Also refused if the same request changes the other row's key, because SQLite updates one row after
      // another.
      if (row.id !== draft.id) refuse(draft, rule.field, rule.finding);
    }
  }
}

function cellsOf(draft: Draft, columns: readonly string[]): Cell[] {
  return columns.map((column) =>
    (Object.hasOwn(draft.row, column) ? draft.row[column] : draft.before?.[column]) ?? null
  );
}

function keyOf(cells: readonly Cell[], rule: UniqueRule): string {
  return JSON.stringify(
    rule.ignoreCase ? cells.map((cell) => typeof cell === "string" ? cell.toLowerCase() : cell) : cells,
  );
}
