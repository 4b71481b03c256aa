/**
 * The database of a libSQL server with a copy in a local file: reads are local, writes use the server. Before
 * a read, a copy that is older than {@link REPLICA_MAX_AGE_MS} or than this process's last write is
 * synchronized. If that fails or takes too long, the server is considered unavailable. The copy then serves
 * reads without waiting, until it is {@link ReplicaDatabaseOptions.staleMs} old. After that, reads use the
 * server.
 */

import type { SQLWrapper } from "drizzle-orm";
import { AppError } from "../base/errors.ts";
import { REPLICA_STALE_S } from "../base/limits.ts";
import { REPLICA_FRESH_MS, REPLICA_MAX_AGE_MS, REPLICA_PATIENCE_MS } from "./limits.ts";
import type { CopyState, Database, Row, Transaction } from "./database.ts";
import { prepareFile, prepareFolder } from "./file_access.ts";
import { FileConnection } from "./file_connection.ts";
import { withTimeout } from "./remote_answers.ts";
import { openRemoteDatabase, type RemoteDatabase, type RemoteDatabaseOptions } from "./remote_client.ts";
import { render } from "./render.ts";
import { ReplicaSync } from "./replica_sync.ts";
import { waitForLock } from "./retry.ts";
import type { WriteQueue } from "./write_lock.ts";

/** The server and the path of its copy. */
export interface ReplicaDatabaseOptions extends RemoteDatabaseOptions {
  /** Path of the copy, which is created if it is missing. A database that is not a copy is refused. */
  readonly path: string;
  /** Maximum age of the copy while the server is unavailable, in milliseconds. */
  readonly staleMs?: number;
}

/** A {@link Database} on a server that is read from its copy. */
export interface ReplicaDatabase extends Database, AsyncDisposable {
  /** Number of statements that the copy has served. */
  readonly localReads: number;
  readonly copy: CopyState;
}

/** This connection only reads; another one updates the copy. */
const SETUP = "PRAGMA query_only = ON; PRAGMA cache_size = -65536; PRAGMA mmap_size = 2147418112";
/** How long a read waits while the copy is updated, in milliseconds. */
const WAIT_MS = 2_000;

/**
 * Opens and synchronizes the copy. Throws if the server is unavailable, or the file is not a copy of its
 * database.
 */
export async function openReplicaDatabase(options: ReplicaDatabaseOptions): Promise<ReplicaDatabase> {
  const { url, authToken = "", staleMs = 1_000 * REPLICA_STALE_S } = options;
  const path = await prepareFolder(options.path);
  const server = openRemoteDatabase(options);
  const began = performance.now();
  try {
    const sync = await ReplicaSync.open({ path, url, authToken });
    await prepareFile(path); // the native library creates files with the default mode
    return new Replica({ server, sync, file: new FileConnection(path, SETUP), upToDate: began, staleMs });
  } catch (error) {
    server.close();
    throw error;
  }
}

class Replica implements ReplicaDatabase {
  readonly kind = "remote";
  localReads = 0;
  readonly #server: RemoteDatabase;
  readonly #sync: ReplicaSync;
  readonly #file: FileConnection;
  /** Time of the last synchronization (of `performance`). */
  #upToDate: number;
  readonly #staleMs: number;
  /**
   * Time of this process's last write. An older copy never serves reads, because it may contain a token that
   * was revoked here.
   */
  #wrote = -Infinity;
  /** Time of this process's last attempt to write, with any outcome. */
  #tried = -Infinity;
  /** Whether both the last synchronization and the last read from the server failed. */
  #away = false;
  #syncing: Promise<void> | undefined;
  #closed = false;

  constructor(
    parts: {
      server: RemoteDatabase;
      sync: ReplicaSync;
      file: FileConnection;
      upToDate: number;
      staleMs: number;
    },
  ) {
    this.#server = parts.server;
    this.#sync = parts.sync;
    this.#file = parts.file;
    this.#upToDate = parts.upToDate;
    this.#staleMs = parts.staleMs;
  }

  get copy(): CopyState {
    return { ageMs: performance.now() - this.#upToDate, isStale: this.#away };
  }

  get writeQueue(): WriteQueue | undefined {
    return this.#server.writeQueue;
  }

  get statements(): number {
    return this.#server.statements + this.localReads;
  }

  all<T = Row>(query: SQLWrapper): Promise<T[]> {
    return this.#read(() => {
      const statement = render(query);
      this.localReads++;
      return waitForLock(() => this.#file.all(statement), WAIT_MS) as Promise<T[]>;
    }, () => this.#server.all<T>(query));
  }

  batch(queries: readonly SQLWrapper[]): Promise<Row[][]> {
    return this.#read(() => {
      const statements = queries.map(render);
      this.localReads += statements.length;
      const read = (): Row[][] => statements.map((each) => this.#file.all(each));
      return waitForLock(() => this.#file.snapshot(read), WAIT_MS);
    }, () => this.#server.batch(queries));
  }

  async write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const wrote = (): void => {
      this.#wrote = performance.now();
    };
    try {
      return await this.#answered(this.#server.write((tx) => {
        tx.afterCommit(wrote); // first, because other functions may read
        return work(tx);
      }));
    } finally {
      this.#tried = performance.now(); // the outcome may be unknown
      if (!this.#closed) this.#refresh().catch(() => undefined);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#file.close();
    this.#sync.close();
    this.#server.close();
  }

  /** Closes the database, and waits until the file is released. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#sync.ended;
  }

  /** Reads from the copy if it is fresh, otherwise from the server, or from the copy while the server is unavailable. */
  async #read<T>(fromCopy: () => Promise<T>, fromServer: () => Promise<T>): Promise<T> {
    if (this.#closed) return await fromCopy(); // throws that it is closed
    const asked = performance.now();
    if (await this.#isFresh(asked)) return await fromCopy();
    const isBearable = this.#upToDate >= Math.max(performance.now() - this.#staleMs, this.#wrote);
    if (!isBearable) return await this.#answered(fromServer());
    // While the server is known to be unavailable, reads do not wait for it.
    if (this.#away) return await fromCopy();
    try {
      return await this.#answered(withTimeout(fromServer(), REPLICA_PATIENCE_MS));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
      this.#away = true;
      return await fromCopy();
    }
  }

  /** Awaits a response. A server that responds is available. */
  async #answered<T>(answer: Promise<T>): Promise<T> {
    const given = await answer;
    this.#away = false;
    return given;
  }

  /** Returns whether the copy is fresh. Synchronizes it if necessary, within a time limit. */
  async #isFresh(asked: number): Promise<boolean> {
    if (asked - this.#upToDate > REPLICA_FRESH_MS) this.#refresh().catch(() => undefined);
    const required = Math.max(asked - REPLICA_MAX_AGE_MS, this.#wrote, this.#tried);
    while (this.#upToDate < required) {
      const left = REPLICA_PATIENCE_MS - (performance.now() - asked);
      if (this.#away || left <= 0 || !await completesWithin(this.#refresh(), left)) return false;
    }
    return true;
  }

  /** Synchronizes the copy. Concurrent calls share one synchronization. */
  #refresh(): Promise<void> {
    return this.#syncing ??= this.#bringUpToDate().finally(() => this.#syncing = undefined);
  }

  async #bringUpToDate(): Promise<void> {
    const began = performance.now();
    await this.#sync.sync();
    this.#upToDate = began;
    this.#away = false;
  }
}

/** Returns whether `work` succeeds within `ms` milliseconds. */
async function completesWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => timer = setTimeout(resolve, ms, false));
  const done = work.then(() => true, () => false);
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
