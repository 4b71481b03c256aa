/**
 * A libSQL server's database with a copy in a file of this machine: reads are local, writes go to the server. The copy
 * is never older than {@link REPLICA_MAX_AGE_MS}, and never older than this process's own last write; where it is, it
 * is brought up to date first. If that fails or takes long, the server is away: then the copy answers without waiting
 * until it is {@link ReplicaDatabaseOptions.staleMs} old, and after that the server itself is asked.
 */

import type { SQLWrapper } from "drizzle-orm";
import { AppError } from "../base/errors.ts";
import {
  REPLICA_FRESH_MS,
  REPLICA_MAX_AGE_MS,
  REPLICA_PATIENCE_MS,
  REPLICA_STALE_S,
} from "../base/limits.ts";
import type { CopyState, Database, Row, Transaction } from "./database.ts";
import { prepareFile, prepareFolder } from "./file_access.ts";
import { FileConnection } from "./file_connection.ts";
import { withTimeout } from "./remote_answers.ts";
import { openRemoteDatabase, type RemoteDatabase, type RemoteDatabaseOptions } from "./remote_client.ts";
import { render } from "./render.ts";
import { ReplicaSync } from "./replica_sync.ts";
import { waitForLock } from "./retry.ts";

/** Which server, and where its copy is kept. */
export interface ReplicaDatabaseOptions extends RemoteDatabaseOptions {
  /** Path of the copy; made when missing. A database that is no copy is refused. */
  readonly path: string;
  /** Age up to which the copy answers while the server does not, in milliseconds. */
  readonly staleMs?: number;
}

/** A {@link Database} on a server, read from its copy. */
export interface ReplicaDatabase extends Database, AsyncDisposable {
  /** How many statements the copy has answered. */
  readonly localReads: number;
  readonly copy: CopyState;
}

/** The copy changes by the hands of another connection; this one only looks. */
const SETUP = "PRAGMA query_only = ON; PRAGMA cache_size = -65536; PRAGMA mmap_size = 2147418112";
/** How long a read waits while the copy is changed, in milliseconds. */
const WAIT_MS = 2_000;

/** Opens the copy and brings it up to date. Throws when the server cannot be reached, or the file is no copy of it. */
export async function openReplicaDatabase(options: ReplicaDatabaseOptions): Promise<ReplicaDatabase> {
  const { url, authToken = "", staleMs = 1_000 * REPLICA_STALE_S } = options;
  const path = await prepareFolder(options.path);
  const server = openRemoteDatabase(options);
  const began = performance.now();
  try {
    const sync = await ReplicaSync.open({ path, url, authToken });
    await prepareFile(path); // the native library makes files with whatever rights
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
  /** The copy holds all that was on the server at this time (of `performance`). */
  #upToDate: number;
  readonly #staleMs: number;
  /** When this process last wrote: an older copy never answers, for it may hold a token that was revoked here. */
  #wrote = -Infinity;
  /** When it last tried to, whatever became of it. */
  #tried = -Infinity;
  /** Whether neither the copy could be brought up to date nor the server asked when that was last tried. */
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
        tx.afterCommit(wrote); // before whatever else is done then, which may read
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

  /** Closes, and waits until the file has been let go of. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#sync.ended;
  }

  /** Reads from the copy where it is up to date, else from the server, and from the copy again where that is away. */
  async #read<T>(fromCopy: () => Promise<T>, fromServer: () => Promise<T>): Promise<T> {
    if (this.#closed) return await fromCopy(); // the closed copy says so
    const asked = performance.now();
    if (await this.#isFresh(asked)) return await fromCopy();
    const isBearable = this.#upToDate >= Math.max(performance.now() - this.#staleMs, this.#wrote);
    if (!isBearable) return await this.#answered(fromServer());
    // While the server is known to be away, reads do not wait one after the other.
    if (this.#away) return await fromCopy();
    try {
      return await this.#answered(withTimeout(fromServer(), REPLICA_PATIENCE_MS));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
      this.#away = true;
      return await fromCopy();
    }
  }

  /** What the server answers; one that does is not away. */
  async #answered<T>(answer: Promise<T>): Promise<T> {
    const given = await answer;
    this.#away = false;
    return given;
  }

  /** Whether the copy is up to date; brings it there if need be, and gives up when that takes too long. */
  async #isFresh(asked: number): Promise<boolean> {
    if (asked - this.#upToDate > REPLICA_FRESH_MS) this.#refresh().catch(() => undefined);
    const required = Math.max(asked - REPLICA_MAX_AGE_MS, this.#wrote, this.#tried);
    while (this.#upToDate < required) {
      const left = REPLICA_PATIENCE_MS - (performance.now() - asked);
      if (this.#away || left <= 0 || !await completesWithin(this.#refresh(), left)) return false;
    }
    return true;
  }

  /** One at a time: whoever comes meanwhile waits for the one that runs. */
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

/** Whether `work` succeeds within so many milliseconds. */
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
