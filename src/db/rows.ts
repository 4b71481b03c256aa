/**
 * Writes any number of rows with one statement: they are bound as one JSON value, which SQLite splits. Rows
 * are objects by column name, and all rows of a call have the columns of the first one. Bytes are given as
 * hexadecimal digits. Table and column names come from the schema, never from a request.
 */

import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { memoize } from "../base/memoize.ts";
import { STATEMENT_TEXTS } from "./limits.ts";
import type { Cell, Transaction } from "./database.ts";
import { render, storableNumber, storableText } from "./render.ts";

/** Reserves `count` consecutive ids of `table`, and returns the first one. A rollback releases them. */
export async function nextIds(tx: Transaction, table: SQLiteTable, count: number): Promise<number> {
  return (await nextIdsAnd(tx, table, { count, value: sql`NULL` })).first;
}

/** Reserves ids, and returns the value of an expression, in one statement. */
export async function nextIdsAnd(
  tx: Transaction,
  table: SQLiteTable,
  { count, value }: { count: number; value: SQL },
): Promise<{ first: number; value: Cell }> {
  const name = getTableName(table);
  const [row] = await tx.all<{ seq: number; value: Cell }>(
    sql`UPDATE sqlite_sequence SET seq = seq + ${count} WHERE name = ${name} RETURNING seq, ${value} AS value`,
  );
  if (row === undefined) {
    throw new Error(`Table "${name}" has no row in sqlite_sequence. Its migration must create one`);
  }
  return { first: row.seq - count + 1, value: row.value };
}

/**
 * Number of rows from which an equal value of all is bound once, which makes an import of a table some 5 % faster. Of few
 * rows it may be a coincidence, and would cause many different statements.
 */
export const SHARING_ROWS = 20;
/** Maximum number of rows that a statement writes, so that other requests run between two statements. */
const MAX_ROWS = 200;

/**
 * Splits what a statement would write into parts of at most {@link MAX_ROWS} elements that have at most `max` characters of
 * text, or one element.
 */
export function inBatches<T extends object>(all: readonly T[], max: number): T[][] {
  const batches: T[][] = [];
  let size = Infinity;
  for (const one of all) {
    const chars = Object.values(one).reduce(
      (sum, cell) => sum + (typeof cell === "string" ? cell.length : 0),
      0,
    );
    size += chars;
    if (size > max || batches.at(-1)?.length === MAX_ROWS) {
      batches.push([]);
      size = chars;
    }
    batches.at(-1)?.push(one);
  }
  return batches;
}

/**
 * Returns `INSERT INTO table (…) … SELECT … FROM json_each(?)`. Clauses may be appended: ``
 * sql`${insertRows(t, rows)} ON CONFLICT DO NOTHING RETURNING id` ``. Without rows, inserts nothing.
 */
export function insertRows(table: SQLiteTable, rows: readonly Readonly<Record<string, Cell>>[]): SQL {
  const names = columnsOf(table, rows);
  const [first = {}] = rows;
  const same = rows.length < SHARING_ROWS
    ? []
    : names.filter((name) => !isBytes(table, name) && rows.every((row) => row[name] === first[name]));
  const own = same.length === 0 ? names : names.filter((name) => !same.includes(name));
  const text = textOf(table, `insert ${names.join()} ${same.join()}`, (value) => {
    const columns = sql.join([...own, ...same].map((name) => sql.identifier(name)), sql`, `);
    const values = sql.join([...cells(table, own), ...same.map(() => value)], sql`, `);
    return sql`INSERT INTO ${table} (${columns}) ${rowsOf(value)} SELECT ${values} FROM packed WHERE true`;
  });
  return text([pack(rows, own), ...same.map((name) => storableCell(first[name], name))]);
}

/** Returns `UPDATE table SET … FROM json_each(?)` by `id`, which every row must have. Ignores missing ids. */
export function updateRows(table: SQLiteTable, rows: readonly Readonly<Record<string, Cell>>[]): SQL {
  const names = columnsOf(table, rows);
  if (!names.includes("id")) throw new Error(`Rows to update must have an "id"`);
  const text = textOf(table, `update ${names.join()}`, (value) => {
    const sets = names.filter((name) => name !== "id" || names.length === 1)
      .map((name) => sql`${sql.identifier(name)} = new_rows.${sql.identifier(name)}`);
    const stored = cells(table, names);
    const values = names.map((name, index) => sql`${stored[index]} AS ${sql.identifier(name)}`);
    return sql`UPDATE ${table} SET ${sql.join(sets, sql`, `)} FROM (${rowsOf(value)} SELECT ${
      sql.join(values, sql`, `)
    } FROM packed) AS new_rows WHERE ${table}."id" = new_rows."id"`;
  });
  return text([pack(rows, names)]);
}

/** Returns a subquery for any number of ids with one bound value: `` sql`id IN ${idsIn(ids)}` ``. */
export function idsIn(ids: readonly number[]): SQL {
  return sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/**
 * Returns the names of the first row's columns (`id` without rows), except those that the database computes. Throws for
 * unknown columns.
 */
function columnsOf(table: SQLiteTable, rows: readonly Readonly<Record<string, Cell>>[]): string[] {
  const known = getTableColumns(table);
  const names = Object.keys(rows[0] ?? { id: null });
  for (const name of names) {
    if (!Object.hasOwn(known, name)) {
      throw new Error(`Table "${getTableName(table)}" has no column "${name}"`);
    }
  }
  return names.filter((name) => known[name]?.generated === undefined);
}

/** Returns a JSON list of lists: the columns `own` of the rows. */
function pack(rows: readonly Readonly<Record<string, Cell>>[], own: readonly string[]): string {
  const columns = Object.keys(rows[0] ?? {}).length;
  return JSON.stringify(rows.map((row) => {
    if (Object.keys(row).length > columns) {
      throw new Error(`Expected the columns of the first row, not ${Object.keys(row).join(", ")}`);
    }
    return own.map((name) => storableCell(row[name], name));
  }));
}

function storableCell(cell: Cell | undefined, name: string): Cell {
  if (typeof cell === "string") return storableText(cell);
  if (typeof cell === "number") return storableNumber(cell);
  if (cell === null) return null;
  throw new TypeError(`Expected text, a number or null in "${name}", not a value of type "${typeof cell}"`);
}

/**
 * Returns the rows of a JSON list as `packed`, in JSONB, because in text each cell would be searched from the
 * beginning.
 */
function rowsOf(list: SQL): SQL {
  return sql`WITH packed (value) AS MATERIALIZED (SELECT jsonb(value) FROM json_each(${list}))`;
}

/** Returns `value ->> 0`, `value ->> 1`, …, which keeps text as text and integers as integers. */
function cells(table: SQLiteTable, names: readonly string[]): SQL[] {
  return names.map((name, index) => storedAs(table, name, sql.raw(`value ->> ${index}`)));
}

/**
 * Returns the expression for the stored value. JSON has no bytes, so they are hexadecimal digits, or a JSON list, which is
 * stored as it is: as digits it would be twice as long.
 */
function storedAs(table: SQLiteTable, name: string, value: SQL): SQL {
  return isBytes(table, name)
    ? sql`iif(substr(${value}, 1, 1) = '[', CAST(${value} AS BLOB), unhex(${value}))`
    : value;
}

function isBytes(table: SQLiteTable, name: string): boolean {
  return getTableColumns(table)[name]?.getSQLType() === "blob";
}

/** A cached statement that its values complete. */
type Text = (values: readonly Cell[]) => SQL;

/**
 * Cached statements by table and columns, because rendering thirty columns takes longer than writing a row.
 */
const textsOf = memoize((_: SQLiteTable) => new Map<string, Text>());

function textOf(table: SQLiteTable, key: string, make: (value: SQL) => SQL): Text {
  const known = textsOf(table);
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const parts = render(make(sql`${""}`)).sql.split("?").map((part) => sql.raw(part));
  const text: Text = (values) =>
    sql.join(parts.flatMap((part, index) => index === 0 ? [part] : [sql`${values[index - 1]}`, part]));
  if (known.size >= STATEMENT_TEXTS) known.clear();
  known.set(key, text);
  return text;
}
