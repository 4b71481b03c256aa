/** One connection to a database file, with statements that stay prepared: seven times as fast as preparing each. */

import Native from "libsql";
import { MAX_CACHED_ARGUMENT_CHARS, PREPARED_STATEMENTS } from "../base/limits.ts";
import type { Row } from "./database.ts";
import type { Argument, Statement } from "./render.ts";

type Prepared = ReturnType<InstanceType<typeof Native>["prepare"]>;

/** A connection. Every call is synchronous: it ends before anything else in this process runs. */
export class FileConnection {
  readonly #native: InstanceType<typeof Native>;
  /** By SQL text, the least lately used first. */
  readonly #prepared = new Map<string, Prepared>();
  #closed = false;

  /** Opens the file; `setup` are PRAGMAs of this connection. A locked file is refused at once, never waited for. */
  constructor(path: string, setup: string) {
    this.#native = new Native(path, { timeout: 0 });
    this.#native.exec(setup);
  }

  /** Runs one statement and gives all its rows. */
  all(statement: Statement): Row[] {
    return this.#prepare(statement).all(statement.args) as Row[];
  }

  /** Runs one writing statement; gives the number of rows it changed (or returned). */
  run(statement: Statement): number {
    const prepared = this.#prepare(statement);
    return prepared.reader ? prepared.all(statement.args).length : prepared.run(statement.args).changes;
  }

  /** Runs SQL that takes no values and gives no rows. */
  exec(sql: string): void {
    this.#check();
    this.#native.exec(sql);
  }

  /** Runs several reads on one state of the database. */
  snapshot<T>(read: () => T): T {
    this.exec("BEGIN");
    try {
      return read();
    } finally {
      if (this.inTransaction) this.exec("COMMIT");
    }
  }

  /** Whether BEGIN has been run and neither COMMIT nor ROLLBACK, SQLite's own included. */
  get inTransaction(): boolean {
    return !this.#closed && this.#native.inTransaction; // asking a closed one would end the process
  }

  /**
   * Moves what is in the WAL to the file itself, unless someone else is reading. Closing would do so too, but only
   * when the garbage collector has found every statement.
   */
  foldWal(): void {
    if (this.#closed || this.inTransaction) return;
    try {
      this.all({ sql: "PRAGMA wal_checkpoint(TRUNCATE)", args: [] });
    } catch {
      // Nothing is lost: what stays in the WAL is read from there when the file is opened next.
    }
  }

  /** Rolls back what is open. Twice is once. */
  close(): void {
    if (this.#closed) return;
    if (this.inTransaction) this.#native.exec("ROLLBACK");
    this.#closed = true;
    this.#prepared.clear();
    this.#native.close();
  }

  #check(): void {
    if (this.#closed) throw new Error("Database is closed, want it open");
  }

  #prepare({ sql, args }: Statement): Prepared {
    this.#check();
    const known = this.#prepared.get(sql);
    // A prepared statement keeps its values until the next ones: long texts are not left lying in the cache.
    if (isLong(args)) return this.#native.prepare(sql);
    const prepared = known ?? this.#native.prepare(sql);
    this.#prepared.delete(sql);
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > PREPARED_STATEMENTS) {
      this.#prepared.delete(this.#prepared.keys().next().value as string);
    }
    return prepared;
  }
}

function isLong(args: readonly Argument[]): boolean {
  let length = 0;
  for (const arg of args) if (typeof arg === "string") length += arg.length;
  return length > MAX_CACHED_ARGUMENT_CHARS;
}
