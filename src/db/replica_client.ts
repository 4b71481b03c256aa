/**
 * A libSQL server's database with a copy in a file of this machine: reads are local, writes go to the server. The copy
 * is never older than {@link REPLICA_MAX_AGE_MS}, and never older than this process's own last write; where it is, it
 * is brought up to date first, and if that takes long the server itself is asked.
 */

import type { SQLWrapper } from "drizzle-orm";
import { REPLICA_FRESH_MS, REPLICA_MAX_AGE_MS, REPLICA_PATIENCE_MS } from "../base/limits.ts";
import type { Database, Row, Transaction } from "./database.ts";
import { prepareFile, prepareFolder } from "./file_access.ts";
import { FileConnection } from "./file_connection.ts";
import { openRemoteDatabase, type RemoteDatabase } from "./remote_client.ts";
import { render } from "./render.ts";
import { ReplicaSync } from "./replica_sync.ts";
import { waitForLock } from "./retry.ts";

/** Which server, and where its copy is kept. */
export interface ReplicaDatabaseOptions {
  /** Path of the copy; made when missing. A database that is no copy is refused. */
  readonly path: string;
  /** As for a remote database. */
  readonly url: string;
  readonly authToken?: string;
}

/** A {@link Database} on a server, read from its copy. */
export interface ReplicaDatabase extends Database, AsyncDisposable {
  /** How many statements the copy has answered. */
  readonly localReads: number;
}

/** The copy changes by the hands of another connection; this one only looks. */
const SETUP = "PRAGMA query_only = ON; PRAGMA cache_size = -65536; PRAGMA mmap_size = 2147418112";
/** How long a read waits while the copy is changed, in milliseconds. */
const WAIT_MS = 2_000;

/** Opens the copy and brings it up to date. Throws when the server cannot be reached, or the file is no copy of it. */
export async function openReplicaDatabase(options: ReplicaDatabaseOptions): Promise<ReplicaDatabase> {
  const { url, authToken = "" } = options;
  const path = await prepareFolder(options.path);
  const server = openRemoteDatabase({ url, ...(authToken === "" ? {} : { authToken }) });
  const began = performance.now();
  try {
    const sync = await ReplicaSync.open({ path, url, authToken });
    await prepareFile(path); // the native library makes files with whatever rights
    return new Replica({ server, sync, copy: new FileConnection(path, SETUP), upToDate: began });
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
  readonly #copy: FileConnection;
  /** The copy holds all that was on the server at this time (of `performance`). */
  #upToDate: number;
  /** When this process last wrote, or tried to. */
  #wrote = -Infinity;
  #syncing: Promise<void> | undefined;
  #closed = false;

  constructor(parts: { server: RemoteDatabase; sync: ReplicaSync; copy: FileConnection; upToDate: number }) {
    this.#server = parts.server;
    this.#sync = parts.sync;
    this.#copy = parts.copy;
    this.#upToDate = parts.upToDate;
  }

  get statements(): number {
    return this.#server.statements + this.localReads;
  }

  async all<T = Row>(query: SQLWrapper): Promise<T[]> {
    if (!await this.#isFresh()) return await this.#server.all<T>(query);
    const statement = render(query);
    this.localReads++;
    return await waitForLock(() => this.#copy.all(statement), WAIT_MS) as T[];
  }

  async batch(queries: readonly SQLWrapper[]): Promise<Row[][]> {
    if (!await this.#isFresh()) return await this.#server.batch(queries);
    const statements = queries.map(render);
    this.localReads += statements.length;
    return await waitForLock(
      () => this.#copy.snapshot(() => statements.map((each) => this.#copy.all(each))),
      WAIT_MS,
    );
  }

  async write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const wrote = (): void => {
      this.#wrote = performance.now();
    };
    try {
      return await this.#server.write((tx) => {
        tx.afterCommit(wrote); // before whatever else is done then, which may read
        return work(tx);
      });
    } finally {
      wrote(); // also when the outcome is not known; and whoever reads next need not wait as long
      if (!this.#closed) this.#refresh().catch(() => undefined);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#copy.close();
    this.#sync.close();
    this.#server.close();
  }

  /** Closes, and waits until the file has been let go of. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#sync.ended;
  }

  /** Whether the copy may answer; brings it up to date if need be, and gives up when that takes too long. */
  async #isFresh(): Promise<boolean> {
    if (this.#closed) return true; // the closed copy says so
    const asked = performance.now();
    if (asked - this.#upToDate > REPLICA_FRESH_MS) this.#refresh().catch(() => undefined);
    const wanted = Math.max(asked - REPLICA_MAX_AGE_MS, this.#wrote);
    while (this.#upToDate < wanted) {
      const left = REPLICA_PATIENCE_MS - (performance.now() - asked);
      if (left <= 0 || !await within(this.#refresh(), left)) return false;
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
  }
}

/** Whether `work` succeeds within so many milliseconds. */
async function within(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => timer = setTimeout(resolve, ms, false));
  const done = work.then(() => true, () => false);
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
