/** A connection to a database file with a cache of prepared statements: seven times as fast as preparing each. */

import Native from "libsql";
import Asynchronous from "libsql/promise";
import { MAX_KEPT_CHARS, PREPARED_STATEMENTS } from "./limits.ts";
import { isAlone } from "../base/pace.ts";
import type { Row } from "./database.ts";
import type { Argument, Statement } from "./render.ts";

type Prepared = ReturnType<InstanceType<typeof Native>["prepare"]>;

/** A connection. All calls except the COMMIT of a write are synchronous and block the event loop. */
export class FileConnection {
  readonly #native: InstanceType<typeof Native>;
  /** By SQL text, least recently used first. */
  readonly #prepared = new Map<string, { readonly prepared: Prepared; chars: number }>();
  /** Characters of the values that they keep. */
  #keptChars = 0;
  #version: Prepared | undefined;
  #closed = false;
  /** The number of commits of others while this connection commits. */
  #versionMeanwhile: number | undefined;
  /** Transactions that {@link commit} has ended, and how many of them only stored the time of a use. */
  commits = 0;
  uses = 0;

  /** Opens the file; `setup` are PRAGMAs of this connection. Fails at once if the file is locked. */
  constructor(path: string, setup: string) {
    this.#native = new Native(path, { timeout: 0 });
    this.#native.exec(setup);
  }

  /** Runs a statement and returns all rows. */
  all(statement: Statement): Row[] {
    return this.#prepare(statement).all(statement.args) as Row[];
  }

  /** Runs a writing statement and returns the number of changed (or returned) rows. */
  run(statement: Statement): number {
    const prepared = this.#prepare(statement);
    return prepared.reader ? prepared.all(statement.args).length : prepared.run(statement.args).changes;
  }

  /** Runs SQL without values and results. */
  exec(sql: string): void {
    this.#check();
    this.#native.exec(sql);
  }

  /**
   * Commits. While others wait, it does so on a thread of the native library, so that they are served while it writes and
   * waits for the disk; no statement may run on this connection meanwhile.
   */
  async commit({ isUse = false }: { isUse?: boolean } = {}): Promise<void> {
    this.#versionMeanwhile = this.outsideVersion;
    try {
      // Both classes of the library have the same connection inside.
      if (isAlone()) this.exec("COMMIT");
      else await Asynchronous.prototype.exec.call(this.#native, "COMMIT");
      this.commits++;
      if (isUse) this.uses++;
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

  /** Whether a transaction is open; SQLite may have rolled it back by itself. */
  get inTransaction(): boolean {
    return !this.#closed && this.#native.inTransaction; // a closed connection would crash the process
  }

  /** A number that changes whenever another connection has committed. */
  get outsideVersion(): number {
    this.#check();
    // Nobody else can commit meanwhile, and a statement would wait.
    if (this.#versionMeanwhile !== undefined) return this.#versionMeanwhile;
    // Each request asks, so that this is as short as possible.
    this.#version ??= this.#native.prepare("PRAGMA data_version").raw(true);
    const [version] = this.#version.get([]) as unknown as [number];
    return version;
  }

  /**
   * Checkpoints the WAL unless another connection is reading. Closing would do so as well, but only after all statements
   * have been garbage-collected.
   */
  foldWal(): void {
    if (this.#closed || this.inTransaction) return;
    try {
      this.all({ sql: "PRAGMA wal_checkpoint(TRUNCATE)", args: [] });
    } catch {
      // Nothing is lost: the WAL is read when the file is opened the next time.
    }
  }

  /** Closes the connection and rolls back an open transaction. Idempotent. */
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

  /**
   * Returns the prepared statement. Most stay prepared, also because the garbage collector frees the others, and then waits
   * for a commit that is running on this connection.
   */
  #prepare({ sql, args }: Statement): Prepared {
    this.#check();
    const chars = charsOf(args);
    if (chars > MAX_KEPT_CHARS) return this.#native.prepare(sql);
    const kept = this.#prepared.get(sql) ?? { prepared: this.#native.prepare(sql), chars: 0 };
    this.#keptChars += chars - kept.chars;
    kept.chars = chars;
    this.#prepared.delete(sql);
    this.#prepared.set(sql, kept);
    for (const [oldest, { chars }] of this.#prepared) {
      if (this.#prepared.size <= PREPARED_STATEMENTS && this.#keptChars <= MAX_KEPT_CHARS) break;
      this.#prepared.delete(oldest);
      this.#keptChars -= chars;
    }
    return kept.prepared;
  }
}

function charsOf(args: readonly Argument[]): number {
  let chars = 0;
  for (const arg of args) if (typeof arg === "string") chars += arg.length;
  return chars;
}
