/**
 * Any number of rows in one statement: they travel as one JSON value and SQLite takes them apart. Rows are objects
 * by column name; all rows of a call have the columns of the first one. Table and column names come from the
 * schema's own tables, never from a caller's text.
 */

import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { STATEMENT_TEXTS } from "../base/limits.ts";
import type { Cell, Transaction } from "./database.ts";
import { render } from "./render.ts";
import { storableNumber, storableText } from "./values.ts";

/**
 * The first of `count` ids of `table` that nobody else will use; the others follow it one by one. They are set
 * aside at once, so that a second call gives others; a rollback gives them back.
 */
export async function nextIds(tx: Transaction, table: SQLiteTable, count: number): Promise<number> {
  const name = getTableName(table);
  const [row] = await tx.all<{ seq: number }>(
    sql`UPDATE sqlite_sequence SET seq = seq + ${count} WHERE name = ${name} RETURNING seq`,
  );
  if (row === undefined) throw new Error(`Table "${name}" has no sequence, want one made by its migration`);
  return row.seq - count + 1;
}

/**
 * `INSERT INTO table (…) … SELECT … FROM json_each(?)`. May be continued:
 * `` sql`${insertRows(t, rows)} ON CONFLICT DO NOTHING RETURNING id` ``. No rows insert nothing.
 */
export function insertRows(table: SQLiteTable, rows: readonly Readonly<Record<string, Cell>>[]): SQL {
  const names = columnsOf(table, rows);
  const text = textOf(table, `insert ${names.join()}`, (value) => {
    const columns = sql.join(names.map((name) => sql.identifier(name)), sql`, `);
    return sql`INSERT INTO ${table} (${columns}) ${rowsOf(value)} SELECT ${
      cells(names)
    } FROM packed WHERE true`;
  });
  return text(pack(names, rows));
}

/** `UPDATE table SET … FROM json_each(?)` by `id`, which every row must have. Ids that are not there change nothing. */
export function updateRows(table: SQLiteTable, rows: readonly Readonly<Record<string, Cell>>[]): SQL {
  const names = columnsOf(table, rows);
  if (!names.includes("id")) throw new Error(`Rows have no "id", want the key of what is updated`);
  const text = textOf(table, `update ${names.join()}`, (value) => {
    const sets = names.filter((name) => name !== "id" || names.length === 1)
      .map((name) => sql`${sql.identifier(name)} = new_rows.${sql.identifier(name)}`);
    return sql`UPDATE ${table} SET ${sql.join(sets, sql`, `)} FROM (${rowsOf(value)} SELECT ${
      cells(names, { named: true })
    } FROM packed) AS new_rows WHERE ${table}."id" = new_rows."id"`;
  });
  return text(pack(names, rows));
}

/** A subquery of any number of ids, as one value: `` sql`id IN ${idsIn(ids)}` ``. */
export function idsIn(ids: readonly number[]): SQL {
  return sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/** Column names of the first row (`id` when there is none), each one known to the table. */
function columnsOf(table: SQLiteTable, rows: readonly Readonly<Record<string, Cell>>[]): string[] {
  const known = getTableColumns(table);
  const names = Object.keys(rows[0] ?? { id: null });
  for (const name of names) {
    if (!Object.hasOwn(known, name)) {
      throw new Error(`Table "${getTableName(table)}" has no column "${name}"`);
    }
  }
  return names;
}

/** A JSON list of lists, in the order of `names`. */
function pack(names: readonly string[], rows: readonly Readonly<Record<string, Cell>>[]): string {
  return JSON.stringify(rows.map((row) => {
    if (Object.keys(row).length > names.length) {
      throw new Error(`Row has columns ${Object.keys(row).join(", ")}, want those of the first row`);
    }
    return names.map((name) => storableCell(row[name], name));
  }));
}

function storableCell(cell: Cell | undefined, name: string): Cell {
  if (typeof cell === "string") return storableText(cell);
  if (typeof cell === "number") return storableNumber(cell);
  if (cell === null) return null;
  throw new TypeError(`Row has "${name}" of type "${typeof cell}", want text, number or null`);
}

/** The rows of a JSON list as `packed`, in the binary form: each cell of a text would be looked for in it anew. */
function rowsOf(list: SQL): SQL {
  return sql`WITH packed (value) AS MATERIALIZED (SELECT jsonb(value) FROM json_each(${list}))`;
}

/** `value ->> 0, value ->> 1, …`: text stays text and integers stay integers. */
function cells(names: readonly string[], options: { readonly named?: boolean } = {}): SQL {
  return sql.join(
    names.map((name, index) => {
      const cell = sql.raw(`value ->> ${index}`);
      return options.named ? sql`${cell} AS ${sql.identifier(name)}` : cell;
    }),
    sql`, `,
  );
}

/** A statement around its one value. */
type Text = (value: string) => SQL;

/** Statements by table and by what they do: rendering thirty columns takes longer than writing a row. */
const texts = new WeakMap<SQLiteTable, Map<string, Text>>();

function textOf(table: SQLiteTable, key: string, make: (value: SQL) => SQL): Text {
  const known = texts.get(table) ?? new Map<string, Text>();
  texts.set(table, known);
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const [before, after] = render(make(sql`${""}`)).sql.split("?").map((part) => sql.raw(part));
  const text = (value: string): SQL => sql`${before}${value}${after}`;
  if (known.size >= STATEMENT_TEXTS) known.clear();
  known.set(key, text);
  return text;
}
