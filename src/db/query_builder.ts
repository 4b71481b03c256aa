/**
 * Drizzle's query builder without a connection. Statements are built here and passed to a {@link Reader} or a
 * {@link Transaction}, which renders and binds them like `sql` templates. A renamed column is a compile
 * error, and the type of the rows follows from the statement. Raw `sql` is used where the builder is not
 * suitable: common table expressions, `INDEXED BY`, `json_each`, correlated subqueries and `CROSS JOIN`.
 */

import { Column, type GetColumnData, is, SQL, sql, type SQLWrapper } from "drizzle-orm";
import {
  BaseSQLiteDatabase,
  SQLiteAsyncDialect,
  type SQLiteColumn,
  type SQLiteDeleteBase,
  type SQLiteInsertBuilder,
  type SQLitePreparedQuery,
  type SQLiteSelectBuilder,
  SQLiteSession,
  type SQLiteTable,
  type SQLiteUpdateBuilder,
} from "drizzle-orm/sqlite-core";
import type { Reader, ReadOptions, Row, TypedQuery } from "./database.ts";

/** Refuses to run statements, because the database to which they are passed runs them. */
class NoSession extends SQLiteSession<"async", unknown, Record<string, never>, Record<string, never>> {
  override prepareQuery(): SQLitePreparedQuery<never> {
    throw new Error("The statement was awaited. Hand it to a database or a transaction instead.");
  }

  override transaction(): never {
    throw new Error("The query builder has no transactions. Use Database.write instead.");
  }
}

const dialect = new SQLiteAsyncDialect();
const drizzle = new BaseSQLiteDatabase("async", dialect, new NoSession(dialect), undefined);

/** The columns and expressions of a select list or a RETURNING clause, by their names in the rows. */
export type Selection = Record<string, SQLiteColumn | SQL | SQL.Aliased>;

/** A {@link Selection} whose columns have the type of their values. */
export type Named<Fields extends Selection> = {
  [Name in keyof Fields]: Fields[Name] extends SQLiteColumn ? SQL.Aliased<GetColumnData<Fields[Name]>>
    : Fields[Name] extends SQL<infer Value> ? SQL.Aliased<Value>
    : Fields[Name];
};

/**
 * Gives each column and expression its key as its alias, because rows are read by column name, and Drizzle
 * renders no aliases itself. {@link select} does this. A RETURNING clause needs it if a key is not the
 * column's name.
 */
export function named<Fields extends Selection>(fields: Fields): Named<Fields> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const isNamed = is(field, SQL.Aliased) || is(field, Column) && field.name === name;
      return [name, isNamed ? field : sql`${field}`.as(name)];
    }),
  ) as unknown as Named<Fields>;
}

/** Starts a SELECT. */
export function select<Fields extends Selection>(
  fields: Fields,
): SQLiteSelectBuilder<Fields, "async", unknown> {
  return drizzle.select(named(fields)) as unknown as SQLiteSelectBuilder<
    Fields,
    "async",
    unknown
  >;
}

/** Starts an INSERT of a few rows. {@link insertRows} inserts many with one statement text. */
export function insertInto<Table extends SQLiteTable>(
  table: Table,
): SQLiteInsertBuilder<Table, "async", unknown> {
  return drizzle.insert(table);
}

/** Starts an UPDATE. {@link updateRows} updates many rows with different values. */
export function update<Table extends SQLiteTable>(
  table: Table,
): SQLiteUpdateBuilder<Table, "async", unknown> {
  return drizzle.update(table);
}

/** Starts a DELETE. */
export function deleteFrom<Table extends SQLiteTable>(
  table: Table,
): SQLiteDeleteBase<Table, "async", unknown> {
  return drizzle.delete(table);
}

/** Joins conditions by AND; undefined if there are none. */
export function andAll(...conditions: readonly (SQL | undefined)[]): SQL | undefined {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? undefined : sql.join(given, sql` AND `);
}

/** Returns ` WHERE …`, or nothing without conditions. */
export function where(...conditions: readonly (SQL | undefined)[]): SQL {
  const condition = andAll(...conditions);
  return condition === undefined ? sql`` : sql` WHERE ${condition}`;
}

/** The type of a statement's rows: raw rows, unless the query builder or `` sql<…>`…` `` knows it. */
export type RowsOf<Query> = Query extends TypedQuery<infer R> ? R[]
  : Query extends SQL<infer R> ? unknown extends R ? Row[] : R[]
  : Row[];

/** Runs {@link Reader.batch}, with the type of each statement's rows. */
export async function readBatch<const Queries extends readonly SQLWrapper[]>(
  reader: Reader,
  queries: Queries,
  options: ReadOptions = {},
): Promise<{ -readonly [Index in keyof Queries]: RowsOf<Queries[Index]> }> {
  return await reader.batch(queries, options) as {
    -readonly [Index in keyof Queries]: RowsOf<Queries[Index]>;
  };
}
