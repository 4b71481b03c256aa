/**
 * A connection to a database file with cached prepared statements, which is seven times as fast as preparing
 * each.
 */

import Native from "libsql";
import Asynchronous from "libsql/promise";
import { isAlone } from "../base/pace.ts";
import type { Row } from "./database.ts";
import { ownFileOnly, PreparedStatements } from "./prepared_statements.ts";
import type { Statement } from "./render.ts";

type Prepared = ReturnType<InstanceType<typeof Native>["prepare"]>;

/** A connection. Its calls block the event loop, except {@link FileConnection.commit}. */
export class FileConnection {
  readonly #native: InstanceType<typeof Native>;
  readonly #prepared = new PreparedStatements<Prepared>();
  #version: Prepared | undefined;
  #closed = false;
  /** The number of commits of others while a COMMIT runs on another thread. */
  #versionMeanwhile: number | undefined;

  /**
   * Opens the file. `setup` contains the PRAGMAs of this connection. Fails immediately if the file is locked.
   */
  constructor(path: string, setup: string) {
    this.#native = new Native(path, { timeout: 0 });
    this.#native.exec(setup);
  }

  /** Runs a statement, and returns all rows. */
  all(statement: Statement): Row[] {
    return this.#prepare(statement).all(statement.args) as Row[];
  }

  /** Runs a writing statement, and returns the number of changed (or returned) rows. */
  run(statement: Statement): number {
    const prepared = this.#prepare(statement);
    return prepared.reader ? prepared.all(statement.args).length : prepared.run(statement.args).changes;
  }

  /** Runs SQL without values and results. */
  exec(sql: string): void {
    this.#check();
    this.#native.exec(ownFileOnly(sql));
  }

  /**
   * Commits. If others are waiting, commits on a thread of the native library, so that they are served while
   * it writes and waits for the disk. No statement may run on this connection in the meantime.
   */
  async commit(): Promise<void> {
    if (isAlone()) return this.exec("COMMIT");
    this.#versionMeanwhile = this.outsideVersion;
    try {
      // Both classes of the library use the same connection.
      await Asynchronous.prototype.exec.call(this.#native, "COMMIT");
    } finally {
      this.#versionMeanwhile = undefined;
    }
  }

  /** Runs several reads on one snapshot of the database. */
  snapshot<T>(read: () => T): T {
    this.exec("BEGIN");
    try {
      return read();
    } finally {
      if (this.inTransaction) this.exec("COMMIT");
    }
  }

  /** Whether a transaction is open. SQLite may have rolled it back by itself. */
  get inTransaction(): boolean {
    return !this.#closed && this.#native.inTransaction; // a closed connection would crash the process
  }

  /** A number that changes when another connection has committed. */
  get outsideVersion(): number {
    this.#check();
    // Nobody else can commit in the meantime, and a statement would wait.
    if (this.#versionMeanwhile !== undefined) return this.#versionMeanwhile;
    // As short as possible, because each request needs it.
    this.#version ??= this.#native.prepare("PRAGMA data_version").raw(true);
    const [version] = this.#version.get([]) as unknown as [number];
    return version;
  }

  /**
   * Checkpoints the WAL, unless another connection is reading. Closing the connection would do so as well,
   * but only after all statements were garbage-collected.
   */
  foldWal(): void {
    if (this.#closed || this.inTransaction) return;
    try {
      this.all({ sql: "PRAGMA wal_checkpoint(TRUNCATE)", args: [] });
    } catch {
      // Nothing is lost, because the WAL is read when the file is opened the next time.
    }
  }

  /** Closes the connection, and rolls back an open transaction. Idempotent. */
  close(): void {
    if (this.#closed) return;
    if (this.inTransaction) this.#native.exec("ROLLBACK");
    this.#closed = true;
    this.#prepared.clear();
    this.#version = undefined;
    this.#native.close();
  }

  #check(): void {
    if (this.#closed) throw new Error("The database is closed");
  }

  #prepare(statement: Statement): Prepared {
    this.#check();
    return this.#prepared.get(statement, (sql) => this.#native.prepare(ownFileOnly(sql)));
  }
}
