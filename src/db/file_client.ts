/**
 * A database in a local file, with one connection for writes and one for reads, whose calls are synchronous,
 * because that is fastest for short statements. Long reads have their own connections, on other threads.
 */

import type { SQLWrapper } from "drizzle-orm";
import { isInBackground } from "../base/pace.ts";
import type { WriteTurns } from "../base/peers.ts";
import {
  BACKGROUND_CONNECTIONS,
  BUSY_TIMEOUT_MS,
  GROUP_MS,
  JOB_CONNECTIONS,
  SLOW_JOB_STATEMENT_MS,
} from "./limits.ts";
import { BackgroundReads, SlowStatements } from "./background_reads.ts";
import type { Database, ReadOptions, Row, Transaction, WriteOptions } from "./database.ts";
import { prepareFile, watchFile } from "./file_access.ts";
import { FileConnection } from "./file_connection.ts";
import { FileTransaction } from "./file_transaction.ts";
import { groupCommit, type GroupWrite } from "./group_commit.ts";
import { provideThreads } from "./native_threads.ts";
import { render, type Statement } from "./render.ts";
import { NOT_IN_PLACE } from "./readiness.ts";
import { retryBusy, waitForLock } from "./retry.ts";
import { unavailable } from "./unavailable.ts";
import { createWriteLock, type WriteLock, type WriteQueue } from "./write_lock.ts";

/** How to open a database file. */
export interface FileDatabaseOptions {
  /**
   * Path of the file. The file and its folder are created if they are missing, accessible only to the owner.
   */
  readonly path: string;
  /** How long an attempt waits for another process's lock, in milliseconds. */
  readonly busyTimeoutMs?: number;
  /** The turns in which the workers of this service write; absent if there is only one process. */
  readonly turns?: WriteTurns;
  /** How long a transaction of several short writes accepts more of them, in milliseconds. */
  readonly groupMs?: number;
  /** Time limit of long reads in milliseconds. Without it, they run like all other reads. */
  readonly queryTimeoutMs?: number | undefined;
  /** Number of milliseconds from which a statement of background work runs on another thread. */
  readonly slowJobStatementMs?: number;
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
  const aside = (connections: number): BackgroundReads | undefined =>
    timeoutMs === undefined ? undefined : new BackgroundReads({
      // Loaded when it is needed, so that the start is fast.
      open: async () => (await import("./file_background.ts")).openBackgroundConnection(path, reading),
      timeoutMs,
      connections,
    });
  return new FileDatabase({
    writer,
    reader,
    longReads: aside(BACKGROUND_CONNECTIONS),
    jobReads: aside(JOB_CONNECTIONS),
    waitMs,
    isInPlace: watchFile(path),
    turns: options.turns,
    groupMs: options.groupMs ?? GROUP_MS,
    slowJobStatementMs: options.slowJobStatementMs ?? SLOW_JOB_STATEMENT_MS,
  });
}

class FileDatabase implements Database {
  readonly kind = "file";
  statements = 0;
  readonly #writer: FileConnection;
  readonly #reader: FileConnection;
  readonly #lock: WriteLock;
  readonly #group: GroupWrite;
  readonly #hasWorkers: boolean;
  readonly #longReads: BackgroundReads | undefined;
  readonly #jobReads: BackgroundReads | undefined;
  readonly #slow = new SlowStatements();
  /** Statements that are slow for background work, for which no caller waits. */
  readonly #slowInJobs: SlowStatements;

  readonly #waitMs: number;

  readonly #isInPlace: () => boolean;

  constructor(parts: {
    writer: FileConnection;
    reader: FileConnection;
    longReads: BackgroundReads | undefined;
    jobReads: BackgroundReads | undefined;
    waitMs: number;
    isInPlace: () => boolean;
    turns: WriteTurns | undefined;
    groupMs: number;
    slowJobStatementMs: number;
  }) {
    this.#slowInJobs = new SlowStatements(parts.slowJobStatementMs);
    this.#lock = createWriteLock({ turns: parts.turns });
    this.#hasWorkers = parts.turns !== undefined;
    this.#isInPlace = parts.isInPlace;
    this.#longReads = parts.longReads;
    this.#jobReads = parts.jobReads;
    this.#writer = parts.writer;
    this.#reader = parts.reader;
    this.#waitMs = parts.waitMs;
    this.#group = groupCommit({
      lock: this.#lock,
      writer: parts.writer,
      begin: () => this.#begin(),
      transaction: () => this.#transaction(),
      groupMs: parts.groupMs,
    });
  }

  get writeQueue(): WriteQueue {
    return this.#lock.queue;
  }

  /** Read by the connection that writes, because its own commits do not change the number. */
  get outsideVersion(): number | undefined {
    return this.#hasWorkers ? this.#writer.outsideVersion : undefined;
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
    const elapsed = performance.now() - started;
    this.#slow.note(statement, elapsed);
    if (isInBackground()) this.#slowInJobs.note(statement, elapsed);
    return rows;
  }

  /**
   * Returns the connections for statements that run on another thread: if no caller waits for them, if they
   * are long, or if they were slow before.
   */
  #backgroundFor(
    statements: readonly Statement[],
    { long = false, owner = null }: ReadOptions,
  ): Promise<Row[][]> | undefined {
    const isLong = long || this.#slow.includes(statements);
    const isLongInJob = isInBackground() && this.#slowInJobs.includes(statements);
    const reads = isLong ? this.#longReads : isLongInJob ? this.#jobReads : undefined;
    return reads?.read(statements, owner).then(({ results, tookMs }) => {
      for (const each of statements) {
        if (!long) this.#slow.note(each, tookMs / statements.length);
        if (isInBackground()) this.#slowInJobs.note(each, tookMs / statements.length);
      }
      return results;
    });
  }

  async write<T>(
    work: (tx: Transaction) => Promise<T>,
    { short = false }: WriteOptions = {},
  ): Promise<T> {
    const done = short ? await this.#group(work) : undefined;
    if (done !== undefined) return done.value;
    return await this.#lock.run(() => retryBusy(() => this.#attempt(work)));
  }

  close(): void {
    this.#longReads?.close();
    this.#jobReads?.close();
    this.#reader.close();
    this.#writer.foldWal();
    this.#writer.close();
  }

  get isInPlace(): boolean {
    return this.#isInPlace();
  }

  async #begin(): Promise<void> {
    if (!this.isInPlace) throw unavailable(NOT_IN_PLACE, undefined);
    await waitForLock(() => this.#writer.exec("BEGIN IMMEDIATE"), this.#waitMs);
  }

  #transaction(): FileTransaction {
    return new FileTransaction(this.#writer, {
      count: () => this.statements++,
      slowInJobs: this.#slowInJobs,
    });
  }

  async #attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const writer = this.#writer;
    await this.#begin();
    const tx = this.#transaction();
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
