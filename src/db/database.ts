/**
 * The interface to libSQL: what an operation can do with a database, whether it is a file in this process or
 * a server. Statements are built with Drizzle (the query builder of `query_builder.ts`, or `sql` templates).
 * Rows are raw, as SQLite stores them: integers, text, null; booleans as 0 and 1, datetimes as milliseconds
 * since the epoch, JSON as text.
 */

import type { SQLWrapper } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { WriteQueue } from "./write_lock.ts";

/** A value in a row. */
export type Cell = string | number | null;
/** A raw row by column name. */
export type Row = Record<string, Cell>;
/** A raw row of an object. */
export type ObjectRow = Row & { id: number };
/** A raw row with columns of a table, and others that its statement selects. */
export type RowOf<Table extends SQLiteTable> = ObjectRow & Table["$inferSelect"];

/** A statement of the query builder, which knows the type of its rows. */
export interface TypedQuery<R> extends SQLWrapper {
  readonly _: { readonly result: R[] };
}

/** Properties of a read. */
export interface ReadOptions {
  /**
   * Whether it reads many rows. The database of a file then runs it in the background, so that other requests
   * do not wait.
   */
  readonly long?: boolean;
  /**
   * The user who requests it, because each user has a share of the reads in the background. Absent or null
   * for the service.
   */
  readonly owner?: number | null;
}

/** Reads, inside or outside of a transaction. */
export interface Reader {
  /** Runs a statement, and returns all its rows. */
  all<R>(query: TypedQuery<R>, options?: ReadOptions): Promise<R[]>;
  all<T = Row>(query: SQLWrapper, options?: ReadOptions): Promise<T[]>;
  /** Runs several reading statements. On a server, they share one round trip. */
  batch(queries: readonly SQLWrapper[], options?: ReadOptions): Promise<Row[][]>;
}

/** An open write transaction. */
export interface Transaction extends Reader {
  /** Runs a writing statement, and returns the number of changed rows. */
  run(query: SQLWrapper): Promise<number>;
  /**
   * Runs writing statements without results. On a server, they are sent with the next statement that has a
   * result, so an error of one of them may only be reported at the end of the transaction.
   */
  runAll(queries: readonly SQLWrapper[]): Promise<void>;
  /** Calls `work` after the transaction was committed. It must not throw. */
  afterCommit(work: () => void): void;
}

/** A database. Reads use {@link Reader}'s methods, writes must use {@link Database.write}. */
export interface Database extends Reader {
  readonly kind: "file" | "remote";
  /** Whether the file is still at its path, where the next start opens it; undefined without a file. */
  readonly isInPlace?: boolean;
  /**
   * Runs `work` in a BEGIN IMMEDIATE transaction, under the write lock of this process. If another process
   * holds the database, `work` runs again, so it must have no effects other than its statements.
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * A number that changes when another process has committed; undefined if that is not tracked. Caches that
   * must not outlive a commit compare it. Takes a few microseconds.
   */
  readonly outsideVersion?: number | undefined;
  /** The writes of this process. */
  readonly writeQueue?: WriteQueue | undefined;
  /** Number of statements since the start, without BEGIN and COMMIT. */
  readonly statements: number;
  close(): void;
}
