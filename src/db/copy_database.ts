/** Copies a whole database into an empty one, on a server or in a file, and compares both row by row. */

import { type SQL, sql } from "drizzle-orm";
import { sha256Hex } from "../base/bytes.ts";
import type { Cell, Database, Reader, Row } from "./database.ts";
import { CopyError, readSchema, SEARCH, type Table } from "./copy_schema.ts";
import { COPY_MARK } from "./migrate.ts";

export { CopyError };

/** Number of rows that are read at once, and of characters that are written in one transaction. */
const PAGE_ROWS = 200;
const BATCH_CHARS = 512 * 1024;
const MIGRATIONS_TABLE = "schema_migrations";
const SEQUENCE_TABLE = {
  name: "sqlite_sequence",
  columns: ["name", "seq"],
  bytes: [],
  key: [{ name: "name", collation: "BINARY" }],
};

/** A table and its content. */
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of all rows in the order of their keys. */
  readonly sha256: string;
}

/** Called with the number of rows that were copied or compared. */
export type CopyProgress = (rows: number) => void;

/** Returns the number of rows of all tables. */
export async function countAllRows(source: Reader): Promise<number> {
  const { tables } = await readSchema(source);
  const counts = await source.batch(
    tables.map(({ name }) => sql`SELECT count(*) AS n FROM ${sql.identifier(name)}`),
  );
  return counts.reduce((all, [row]) => all + (row?.n as number), 0);
}

/** Returns what a database contains: nothing, an interrupted copy, or something else. */
async function inspectTarget(target: Reader): Promise<"empty" | "interrupted" | "taken"> {
  const rows = await target.all<{ name: string }>(
    sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND name NOT LIKE 'libsql\\_%' ESCAPE '\\'`,
  );
  if (rows.length === 0) return "empty";
  return rows.some(({ name }) => name === COPY_MARK) ? "interrupted" : "taken";
}

/**
 * Copies everything from `source`, which must not be written in the meantime, to `target`, and compares both.
 * Until both are equal, the target is marked as incomplete, and no service starts with it. Errors: {@link
 * CopyError} (the target is not empty, or differs in the end).
 */
export async function copyInto(
  target: Database,
  { source, progress }: { source: Reader; progress: CopyProgress },
): Promise<CopiedTable[]> {
  const found = await inspectTarget(target);
  if (found === "taken") throw new CopyError("The target is not empty.");
  const schema = await readSchema(source);
  if (found === "interrupted") await clear(target);
  await target.write((tx) =>
    tx.runAll([
      sql`CREATE TABLE IF NOT EXISTS ${sql.identifier(COPY_MARK)} (started INTEGER)`,
      ...[...schema.tables.map(({ create }) => create), ...schema.virtual].map((text) => sql.raw(text)),
    ])
  );
  const rows = schema.tables.filter(({ name }) => name !== MIGRATIONS_TABLE);
  for (const table of rows) await copyRows(table, { source, target, progress });
  await fillSearch(target);
  await target.write((tx) => tx.runAll(schema.rest.map((text) => sql.raw(text))));
  const sequences = await source.all<Row>(sql`SELECT name, seq FROM sqlite_sequence ORDER BY name`);
  await target.write((tx) =>
    tx.runAll([
      sql`DELETE FROM sqlite_sequence`,
      insert(SEQUENCE_TABLE, sequences.map(({ name, seq }) => [name, seq])),
    ])
  );
  const compared: CopiedTable[] = [];
  for (const table of [...rows, SEQUENCE_TABLE]) {
    compared.push(await compare(table, { source, target, progress }));
  }
  await finish(schema.tables, { source, target });
  return compared;
}

type KeyedTable = Pick<Table, "name" | "columns" | "bytes" | "key">;

/** Yields all rows in the order of the key. The cells of the key come first. */
async function* readRows(
  source: Reader,
  { name, columns, bytes, key }: KeyedTable,
): AsyncGenerator<Cell[][]> {
  const keys = sql.join(
    key.map(({ name, collation }) =>
      collation === "BINARY"
        ? sql`${sql.identifier(name)}`
        : sql`${sql.identifier(name)} COLLATE ${sql.identifier(collation)}`
    ),
    sql`, `,
  );
  const selected = [...key.map((column) => column.name), ...columns].map((column, index) => {
    const cell = sql.identifier(column);
    const value = bytes.includes(column) ? sql`iif(${cell} IS NULL, NULL, hex(${cell}))` : sql`${cell}`;
    return sql`${value} AS ${sql.identifier(`c${index}`)}`;
  });
  let last: Cell[] | undefined;
  while (true) {
    const after: SQL = last === undefined
      ? sql``
      : sql` WHERE (${keys}) > (${sql.join(last.map((cell) => sql`${cell}`), sql`, `)})`;
    const rows: Row[] = await source.all<Row>(
      sql`SELECT ${sql.join(selected, sql`, `)} FROM ${
        sql.identifier(name)
      }${after} ORDER BY ${keys} LIMIT ${PAGE_ROWS}`,
    );
    const cells = rows.map((row) => selected.map((_, index) => row[`c${index}`] as Cell));
    if (cells.length > 0) yield cells;
    if (cells.length < PAGE_ROWS) return;
    last = cells.at(-1)?.slice(0, key.length);
  }
}

interface Copying {
  readonly source: Reader;
  readonly target: Database;
  readonly progress: CopyProgress;
}

async function copyRows(table: Table, { source, target, progress }: Copying): Promise<void> {
  const own = new Set(table.own.map((column) => table.columns.indexOf(column)));
  for await (const page of readRows(source, table)) {
    const rows = page.map((cells) => cells.slice(table.key.length));
    const first = rows.map((cells) => cells.map((cell, index) => own.has(index) ? null : cell));
    for (const batch of batches(first)) await target.write((tx) => tx.runAll([insert(table, batch)]));
    progress(rows.length);
  }
  if (table.own.length === 0) return;
  for await (const page of readRows(source, table)) {
    const filled = page.filter((cells) => [...own].some((index) => cells[table.key.length + index] !== null));
    if (filled.length > 0) {
      await target.write((tx) => tx.runAll(table.own.map((column) => refer(table, column, filled))));
    }
  }
}

/** Divides rows into lists of limited length. */
function* batches(rows: readonly Cell[][]): Generator<Cell[][]> {
  let batch: Cell[][] = [];
  let chars = 0;
  for (const row of rows) {
    batch.push(row);
    chars += row.reduce<number>((sum, cell) => sum + (typeof cell === "string" ? cell.length : 8), 0);
    if (chars < BATCH_CHARS) continue;
    yield batch;
    [batch, chars] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function insert({ name, columns, bytes }: Omit<KeyedTable, "key">, rows: readonly unknown[][]): SQL {
  const names = columns.map((column) => sql.identifier(column));
  const values = columns.map((column, index) =>
    sql.raw(bytes.includes(column) ? `unhex(value->>${index})` : `value->>${index}`)
  );
  return sql`INSERT INTO ${sql.identifier(name)} (${sql.join(names, sql`, `)}) SELECT ${
    sql.join(values, sql`, `)
  } FROM json_each(${JSON.stringify(rows)})`;
}

/** Sets a reference of a table to itself. */
function refer({ name, columns, key }: Table, column: string, rows: readonly Cell[][]): SQL {
  const at = key.length + columns.indexOf(column);
  const pairs = JSON.stringify(rows.map((cells) => [cells[0] as Cell, cells[at] as Cell]));
  return sql`UPDATE ${sql.identifier(name)} SET ${sql.identifier(column)} = pair.value->>1
    FROM json_each(${pairs}) AS pair WHERE ${sql.identifier(name)}.rowid = pair.value->>0`;
}

/** Number of certificates whose names are indexed at once. */
const SEARCH_ROWS = 1_000;

async function fillSearch(target: Database): Promise<void> {
  const [{ last = 0 } = {}] = await target.all<{ last: number | null }>(
    sql`SELECT max(id) AS last FROM certificates`,
  );
  for (let first = 0; first <= (last ?? 0); first += SEARCH_ROWS) {
    await target.write((tx) =>
      tx.runAll([
        sql`INSERT INTO certificate_search (rowid, common_name, issuer, sans)
          SELECT id, common_name, issuer, (SELECT group_concat(value, char(10)) FROM json_each(sans))
          FROM certificates WHERE id >= ${first} AND id < ${first + SEARCH_ROWS}`,
      ])
    );
  }
}

async function compare(table: KeyedTable, { source, target, progress }: Copying): Promise<CopiedTable> {
  const [expected, found] = await Promise.all([digestOf(source, table), digestOf(target, table)]);
  if (expected.sha256 !== found.sha256) {
    throw new CopyError(
      `Table "${table.name}" differs after the copy: ${expected.rows} rows in the source, ${found.rows} in the target. ` +
        "Stop every service that writes to the source.",
    );
  }
  progress(found.rows);
  return { table: table.name, ...found };
}

async function digestOf(reader: Reader, table: KeyedTable): Promise<{ rows: number; sha256: string }> {
  let rows = 0;
  let sha256 = "";
  for await (const page of readRows(reader, table)) {
    rows += page.length;
    sha256 = sha256Hex(sha256 + JSON.stringify(page));
  }
  return { rows, sha256 };
}

/** Inserts the record of the migrations last, because it marks the database as complete. */
async function finish(
  tables: readonly Table[],
  { source, target }: Pick<Copying, "source" | "target">,
): Promise<void> {
  const table = tables.find(({ name }) => name === MIGRATIONS_TABLE) as Table;
  const rows: Cell[][] = [];
  for await (const page of readRows(source, table)) {
    rows.push(...page.map((cells) => cells.slice(table.key.length)));
  }
  await target.write((tx) => tx.runAll([insert(table, rows), sql`DROP TABLE ${sql.identifier(COPY_MARK)}`]));
}

/** Removes everything that an interrupted copy has left, except its mark. */
async function clear(target: Database): Promise<void> {
  const { tables, virtual } = await readSchema(target);
  const drop = (name: string): SQL => sql`DROP TABLE IF EXISTS ${sql.identifier(name)}`;
  for (const table of tables.filter(({ own }) => own.length > 0)) {
    await target.write((tx) =>
      tx.runAll(
        table.own.map((column) =>
          sql`UPDATE ${sql.identifier(table.name)} SET ${sql.identifier(column)} = NULL`
        ),
      )
    );
  }
  for (const { name } of [...tables].reverse()) {
    if (name !== COPY_MARK) await target.write((tx) => tx.runAll([drop(name)]));
  }
  if (virtual.length > 0) await target.write((tx) => tx.runAll([drop(SEARCH)]));
}
