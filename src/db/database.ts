/**
 * The port to libSQL: what an operation may ask of a database, whether it is a file in this process or a server.
 * Statements are built with Drizzle (the query builder of `query_builder.ts`, or `sql` templates) and run here as they
 * are; rows come back raw, as SQLite stores them (integers, text, null; booleans as 0 and 1, datetimes as
 * milliseconds since the epoch, JSON as text).
 */

import type { SQLWrapper } from "drizzle-orm";

/** One value of a row. */
export type Cell = string | number | null;
/** One raw row by column name. */
export type Row = Record<string, Cell>;

/** A statement of the query builder, which knows the type of its rows. */
export interface TypedQuery<R> extends SQLWrapper {
  readonly _: { readonly result: R[] };
}

/** Statements inside a transaction, or outside one when only reading. */
export interface Reader {
  /** Runs one statement and returns all its rows. */
  all<R>(query: TypedQuery<R>): Promise<R[]>;
  all<T = Row>(query: SQLWrapper): Promise<T[]>;
  /** Runs several reading statements; against a server they share one round trip. */
  batch(queries: readonly SQLWrapper[]): Promise<Row[][]>;
}

/** An open write transaction. */
export interface Transaction extends Reader {
  /** Runs one writing statement; gives the number of rows it changed. */
  run(query: SQLWrapper): Promise<number>;
  /**
   * Runs several writing statements whose results nobody needs. Against a server they travel with whatever is asked
   * next, so that a refusal of one of them may come as late as the end of the transaction.
   */
  runAll(queries: readonly SQLWrapper[]): Promise<void>;
  /** Has `work` called when the transaction has been committed; never when it has not. It must not throw. */
  afterCommit(work: () => void): void;
}

/** How up to date a copy of a database is. */
export interface CopyState {
  /** Time since it held all that the server had, in milliseconds. */
  readonly ageMs: number;
  /** Whether it answers although it is outdated, because the server does not answer. */
  readonly isStale: boolean;
}

/** A database. Reads go to {@link Reader}'s methods, writes only through {@link Database.write}. */
export interface Database extends Reader {
  readonly kind: "file" | "remote";
  /**
   * Runs `work` in one BEGIN IMMEDIATE transaction behind the in-process write lock. When another process holds
   * the database, `work` is started anew from the beginning, so it must have no effects but its statements.
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** The copy that answers reads; absent where none does. */
  readonly copy?: CopyState;
  /** How many statements have been sent since the start; BEGIN and COMMIT not counted. */
  readonly statements: number;
  close(): void;
}
