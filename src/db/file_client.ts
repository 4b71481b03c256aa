/**
 * A database in a local file, with one connection for writes and one for reads, whose calls are synchronous,
 * because that is fastest for short statements. Long reads have their own connections, on other threads.
 */

import type { SQLWrapper } from "drizzle-orm";
import { pacer } from "../base/pace.ts";
import { BackgroundReads, SlowStatements } from "./background_reads.ts";
import type { Database, ReadOptions, Row, Transaction } from "./database.ts";
import { openTurns, prepareFile, watchFile } from "./file_access.ts";
import { FileConnection } from "./file_connection.ts";
import { BACKGROUND_CONNECTIONS, BUSY_TIMEOUT_MS } from "./limits.ts";
import { NOT_IN_PLACE } from "./readiness.ts";
import { render, type Statement } from "./render.ts";
import { retryBusy, unavailable, waitForLock } from "./unavailable.ts";
import { createWriteLock, type WriteLock, type WriteQueue, type WriteTurns } from "./write_lock.ts";

/** A transaction on the connection that writes. {@link end} must be called at its end. */
class FileTransaction implements Transaction {
  readonly #connection: FileConnection;
  readonly #count: () => void;
  /** One for all statements, so that there is a pause between two calls with one large statement each. */
  readonly #pause = pacer();
  #ended = false;
  /** Functions to call after the commit. */
  readonly committed: (() => void)[] = [];

  /** `count` is called for each statement. */
  constructor(connection: FileConnection, count: () => void) {
    this.#connection = connection;
    this.#count = count;
  }

  // deno-lint-ignore require-await -- a failure must be a rejection
  async all<T = Row>(query: SQLWrapper): Promise<T[]> {
    return this.#connection.all(this.#statement(query)) as T[];
  }

  async batch(queries: readonly SQLWrapper[]): Promise<Row[][]> {
    const results: Row[][] = [];
    for (const query of queries) results.push(await this.all(query));
    return results;
  }

  // deno-lint-ignore require-await -- as above
  async run(query: SQLWrapper): Promise<number> {
    return this.#connection.run(this.#statement(query));
  }

  async runAll(queries: readonly SQLWrapper[]): Promise<void> {
    for (const query of queries) {
      await this.#pause();
      await this.run(query);
    }
  }

  afterCommit(work: () => void): void {
    this.check();
    this.committed.push(work);
  }

  #statement(query: SQLWrapper): Statement {
    this.check();
    this.#count();
    return render(query);
  }

  /** Throws if the transaction has ended, because a statement would run outside of it. */
  check(): void {
    if (this.#ended) throw new Error("The transaction has ended. Run statements before its work ends");
    if (!this.#connection.inTransaction) throw new Error("The database has rolled back the transaction");
  }

  end(): void {
    this.#ended = true;
  }
}

let areProvided = false;

/**
 * Gives the library one thread for each read in the background, and one for writes, which must not wait for
 * reads. The library reads the variable when it starts its threads. Changing the environment while threads
 * read it is not safe, so this must be called once, before the first of them.
 */
function provideThreads(): void {
  if (areProvided) return;
  areProvided = true;
  Deno.env.set("TOKIO_WORKER_THREADS", String(BACKGROUND_CONNECTIONS + 1));
}

/** How to open a database file. */
export interface FileDatabaseOptions {
  /**
   * Path of the file. The file and its folder are created if they are missing, accessible only to the owner.
   */
  readonly path: string;
  /** How long an attempt waits for another process's lock, in milliseconds. */
  readonly busyTimeoutMs?: number;
  /** Whether several processes of this service write. They then take turns, by a lock on `<path>-turn`. */
  readonly shared?: boolean;
  /** Time limit of long reads in milliseconds. Without it, they run like all other reads. */
  readonly queryTimeoutMs?: number | undefined;
  /**
   * Whether a committed write survives a power failure; true by default. Otherwise no write waits for the
   * disk, for files that are deleted soon, such as those of tests.
   */
  readonly durable?: boolean;
}

/**
 * Settings of each connection. The file is mapped into memory up to SQLite's limit (2 GiB), which makes scans
 * twice as fast, and random reads three times.
 */
const SETUP = "PRAGMA foreign_keys = ON; PRAGMA mmap_size = 2147418112; " +
  // In KiB, negative by SQLite's convention. Small, because only pages of the WAL and beyond the memory map
  // are cached, an export would fill any cache, and each COMMIT of the writer walks through all cached pages.
  "PRAGMA cache_size = -8192";

/**
 * Number of pages in the WAL from which a COMMIT copies them into the file; SQLite's default is 1,000. A page
 * that many commits write is copied once, and pages are copied in fewer, longer runs, which saves a tenth of
 * a write. More pages would not fit into one block of the WAL's index, and each read would search two.
 */
const CHECKPOINT_PAGES = 4_000;

/** Maximum size of the WAL file after a checkpoint, in bytes. */
const MAX_IDLE_WAL_BYTES = 64 * 1024 * 1024;

/** Opens the database file at `path` in WAL mode, and creates it if it is missing. */
export async function openFileDatabase(options: FileDatabaseOptions): Promise<Database> {
  provideThreads();
  const path = await prepareFile(options.path);
  const waitMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  const open = (setup: string): Promise<FileConnection> =>
    waitForLock(() => new FileConnection(path, setup), waitMs);
  const synchronous = options.durable === false ? "OFF" : "FULL";
  const writer = await open(
    `PRAGMA synchronous = ${synchronous}; PRAGMA journal_mode = WAL; ` +
      `PRAGMA journal_size_limit = ${MAX_IDLE_WAL_BYTES}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; ${SETUP}`,
  );
  const reading = `${SETUP}; PRAGMA query_only = ON`;
  const reader = await open(reading);
  const timeoutMs = options.queryTimeoutMs;
  const longReads = timeoutMs === undefined ? undefined : new BackgroundReads({
    // Loaded when it is needed, so that the start is fast.
    open: async () => (await import("./file_background.ts")).openBackgroundConnection(path, reading),
    timeoutMs,
  });
  return new FileDatabase({
    writer,
    reader,
    longReads,
    waitMs,
    isInPlace: watchFile(path),
    turns: options.shared ? await openTurns(`${path}-turn`) : undefined,
  });
}

class FileDatabase implements Database {
  readonly kind = "file";
  statements = 0;
  readonly #writer: FileConnection;
  readonly #reader: FileConnection;
  readonly #lock: WriteLock;
  readonly #turns: (WriteTurns & Disposable) | undefined;
  readonly #longReads: BackgroundReads | undefined;
  readonly #slow = new SlowStatements();
  readonly #waitMs: number;
  readonly #isInPlace: () => boolean;

  constructor(parts: {
    writer: FileConnection;
    reader: FileConnection;
    longReads: BackgroundReads | undefined;
    waitMs: number;
    isInPlace: () => boolean;
    turns: (WriteTurns & Disposable) | undefined;
  }) {
    this.#lock = createWriteLock({ turns: parts.turns });
    this.#turns = parts.turns;
    this.#isInPlace = parts.isInPlace;
    this.#longReads = parts.longReads;
    this.#writer = parts.writer;
    this.#reader = parts.reader;
    this.#waitMs = parts.waitMs;
  }

  get writeQueue(): WriteQueue {
    return this.#lock.queue;
  }

  /** Read by the connection that writes, because its own commits do not change the number. */
  get outsideVersion(): number | undefined {
    return this.#turns !== undefined ? this.#writer.outsideVersion : undefined;
  }

  async all<T = Row>(query: SQLWrapper, options: ReadOptions = {}): Promise<T[]> {
    const statement = render(query);
    this.statements++;
    const background = this.#backgroundFor([statement], options);
    if (background !== undefined) return (await background)[0] as T[];
    return await waitForLock(() => this.#read(statement), this.#waitMs) as T[];
  }

  async batch(queries: readonly SQLWrapper[], options: ReadOptions = {}): Promise<Row[][]> {
    const statements = queries.map(render);
    this.statements += statements.length;
    const background = this.#backgroundFor(statements, options);
    if (background !== undefined) return await background;
    const read = (): Row[][] => statements.map((each) => this.#read(each));
    return await waitForLock(() => this.#reader.snapshot(read), this.#waitMs);
  }

  #read(statement: Statement): Row[] {
    if (this.#longReads === undefined) return this.#reader.all(statement);
    const started = performance.now();
    const rows = this.#reader.all(statement);
    this.#slow.note(statement, performance.now() - started);
    return rows;
  }

  /** Runs statements on another thread if they are long, or were slow before. */
  #backgroundFor(
    statements: readonly Statement[],
    { long = false, owner = null }: ReadOptions,
  ): Promise<Row[][]> | undefined {
    if (!long && !this.#slow.includes(statements)) return undefined;
    return this.#longReads?.read(statements, owner).then(({ results, tookMs }) => {
      for (const each of long ? [] : statements) this.#slow.note(each, tookMs / statements.length);
      return results;
    });
  }

  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#lock.run(() => retryBusy(() => this.#attempt(work)));
  }

  close(): void {
    this.#longReads?.close();
    this.#reader.close();
    this.#writer.foldWal();
    this.#writer.close();
    this.#turns?.[Symbol.dispose]();
  }

  get isInPlace(): boolean {
    return this.#isInPlace();
  }

  async #attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const writer = this.#writer;
    if (!this.isInPlace) throw unavailable(NOT_IN_PLACE, undefined);
    await waitForLock(() => writer.exec("BEGIN IMMEDIATE"), this.#waitMs);
    const tx = new FileTransaction(writer, () => this.statements++);
    try {
      const result = await work(tx);
      tx.check();
      tx.end();
      await writer.commit();
      for (const each of tx.committed) each();
      return result;
    } finally {
      tx.end();
      if (writer.inTransaction) writer.exec("ROLLBACK");
    }
  }
}
