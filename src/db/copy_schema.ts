/** Reads what must be created in a copy of a database, in an order that respects references. */

import { sql } from "drizzle-orm";
import type { Reader, Row } from "./database.ts";

/** Why a database cannot be copied. */
export class CopyError extends Error {
  override readonly name = "CopyError";
}

/** The full-text index of names has no content that could be copied. */
export const SEARCH = "certificate_search";

/** A column of an order. */
export interface KeyColumn {
  readonly name: string;
  readonly collation: string;
}

/** A table with rows. */
export interface Table {
  readonly name: string;
  readonly create: string;
  readonly columns: readonly string[];
  /** Columns with bytes. They are copied as hexadecimal digits, because rows are bound as JSON. */
  readonly bytes: readonly string[];
  /** Columns of the order, each with its collation: `rowid`, or the primary key of a table without rowid. */
  readonly key: readonly KeyColumn[];
  /** Columns that refer to the table itself. They are filled when all rows exist. */
  readonly own: readonly string[];
}

/** The tables, indexes, views and triggers of a database. */
export interface Schema {
  /** In the order of references. */
  readonly tables: readonly Table[];
  readonly virtual: readonly string[];
  /** Indexes, views and triggers. */
  readonly rest: readonly string[];
}

/** Reads the schema. Errors: {@link CopyError} (a table that cannot be copied). */
export async function readSchema(source: Reader): Promise<Schema> {
  const objects = await source.all<{ type: string; name: string; sql: string }>(
    sql`SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND name NOT LIKE 'libsql\\_%' ESCAPE '\\' ORDER BY type, name`,
  );
  const virtual = objects.filter(({ sql: text }) => /^CREATE VIRTUAL TABLE/i.test(text));
  const unknown = virtual.find(({ name }) => name !== SEARCH);
  if (unknown !== undefined) throw new CopyError(`Table "${unknown.name}" cannot be copied.`);
  const plain = objects.filter(({ type, name }) =>
    type === "table" && !virtual.some((one) => name === one.name || name.startsWith(`${one.name}_`))
  );
  const tables = await Promise.all(plain.map((one) => readTable(source, one)));
  const order = ["index", "view", "trigger"];
  return {
    tables: inOrder(tables),
    virtual: virtual.map(({ sql: text }) => text),
    rest: order.flatMap((type) => objects.filter((one) => one.type === type).map(({ sql: text }) => text)),
  };
}

type TableWithParents = Table & { readonly parents: readonly string[] };

async function readTable(
  source: Reader,
  { name, sql: create }: { name: string; sql: string },
): Promise<TableWithParents> {
  const [columns, references, key] = await source.batch([
    sql`SELECT name, type FROM pragma_table_info(${name}) ORDER BY cid`,
    sql`SELECT "table" AS parent, "from" AS child FROM pragma_foreign_key_list(${name})`,
    sql`SELECT part.name, part.coll FROM pragma_index_list(${name}) AS list, pragma_index_xinfo(list.name) AS part
      WHERE list.origin = 'pk' AND part.key = 1 ORDER BY part.seqno`,
  ]) as [Row[], Row[], Row[]];
  return {
    name,
    create,
    columns: columns.map((column) => column.name as string),
    bytes: columns.filter(({ type }) => type === "BLOB").map((column) => column.name as string),
    key: /WITHOUT ROWID\s*$/i.test(create)
      ? key.map((column) => ({ name: column.name as string, collation: column.coll as string }))
      : [{ name: "rowid", collation: "BINARY" }],
    own: references.filter(({ parent }) => parent === name).map(({ child }) => child as string),
    parents: references.map(({ parent }) => parent as string).filter((parent) => parent !== name),
  };
}

/** Orders tables so that each comes after those to which it refers. */
function inOrder(tables: readonly TableWithParents[]): Table[] {
  const ordered: TableWithParents[] = [];
  let open = [...tables];
  while (open.length > 0) {
    const ready = open.filter(({ parents }) =>
      parents.every((parent) => !open.some(({ name }) => name === parent))
    );
    if (ready.length === 0) {
      throw new CopyError(`Tables refer to each other: ${open.map(({ name }) => name).join(", ")}.`);
    }
    ordered.push(...ready);
    open = open.filter((table) => !ready.includes(table));
  }
  return ordered;
}
