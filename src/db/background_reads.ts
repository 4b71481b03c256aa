/**
 * Reads that take long, on connections of their own and threads of the native library, so that other requests are served
 * meanwhile. Some run at a time, the others wait; one user cannot occupy all connections. A statement cannot be
 * interrupted: after its time limit its caller gets an error, and its connection is free when it ends.
 */

import type { Row } from "./database.ts";
import {
  BACKGROUND_CONNECTIONS,
  BACKGROUND_SHARE,
  FAST_STATEMENT_MS,
  MAX_WAITING_READS,
  SLOW_STATEMENT_MS,
  SLOW_STATEMENTS,
} from "./limits.ts";
import type { Statement } from "./render.ts";
import { QueryTimeout, unavailable } from "./unavailable.ts";

/** Runs one read at a time. */
export interface BackgroundConnection {
  /** Runs statements on one snapshot. */
  read(statements: readonly Statement[]): Promise<Row[][]>;
  /** Whether it should be replaced by a new connection. */
  readonly isWorn: boolean;
  /** Closes the connection, after the statement that is running: its thread would use it until then. */
  close(): void;
}

/** Who asks for a read: a user's id, or null for the service itself. */
export type Owner = number | null;

interface Job {
  readonly statements: readonly Statement[];
  readonly owner: Owner;
  readonly answer: PromiseWithResolvers<Row[][]>;
}

/** Runs long reads. Connections are opened when they are needed. */
export class BackgroundReads {
  readonly #open: () => Promise<BackgroundConnection>;
  readonly #timeoutMs: number;
  readonly #idle: BackgroundConnection[] = [];
  readonly #waiting: Job[] = [];
  /** The owners of the running jobs. */
  readonly #running: Owner[] = [];
  readonly #connections = new Set<BackgroundConnection>();
  #closed = false;

  constructor({ open, timeoutMs }: { open: () => Promise<BackgroundConnection>; timeoutMs: number }) {
    this.#open = open;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Runs statements on one snapshot of the database. Errors: unavailable when too many reads wait, and for a user after the
   * time limit; jobs of the service have none.
   */
  async read(statements: readonly Statement[], owner: Owner): Promise<Row[][]> {
    if (this.#closed) throw new Error("The database is closed");
    if (this.#waiting.length >= MAX_WAITING_READS) {
      throw unavailable(`${MAX_WAITING_READS} long queries are waiting already.`, undefined);
    }
    const job: Job = { statements, owner, answer: Promise.withResolvers() };
    const timer = owner === null ? undefined : setTimeout(() => this.#giveUp(job), this.#timeoutMs);
    this.#waiting.push(job);
    this.#startNext();
    try {
      return await job.answer.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes all connections, each after the statement that it is running. */
  close(): void {
    this.#closed = true;
    for (const job of this.#waiting.splice(0)) job.answer.reject(new Error("The database is closed"));
    for (const connection of this.#connections) connection.close();
  }

  #giveUp(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    job.answer.reject(new QueryTimeout(this.#timeoutMs));
  }

  #startNext(): void {
    if (this.#running.length >= BACKGROUND_CONNECTIONS) return;
    const at = this.#waiting.findIndex(({ owner }) =>
      this.#running.filter((each) => each === owner).length < BACKGROUND_SHARE
    );
    const [job] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (job !== undefined) void this.#run(job);
  }

  async #run({ statements, owner, answer }: Job): Promise<void> {
    this.#running.push(owner);
    let connection: BackgroundConnection | undefined;
    try {
      connection = this.#idle.pop() ?? await this.#open();
      this.#connections.add(connection);
      if (this.#closed) throw new Error("The database is closed");
      answer.resolve(await connection.read(statements));
      if (!connection.isWorn) this.#idle.push(connection);
      else this.#discard(connection);
    } catch (error) {
      answer.reject(error);
      if (connection !== undefined) this.#discard(connection);
    }
    this.#running.splice(this.#running.indexOf(owner), 1);
    if (!this.#closed) this.#startNext();
  }

  #discard(connection: BackgroundConnection): void {
    this.#connections.delete(connection);
    connection.close();
  }
}

/**
 * Remembers statements that have taken long, by their text, so that they run in the background from then on. Values make
 * a difference, so one that was fast again is forgotten.
 */
export class SlowStatements {
  readonly #texts = new Set<string>();

  /** Whether one of these statements has taken long. */
  includes(statements: readonly { readonly sql: string }[]): boolean {
    return statements.some(({ sql }) => this.#texts.has(sql));
  }

  /** Notes how long a statement took, in milliseconds. */
  note({ sql }: { readonly sql: string }, elapsed: number): void {
    if (elapsed < FAST_STATEMENT_MS) this.#texts.delete(sql);
    if (elapsed < SLOW_STATEMENT_MS) return;
    this.#texts.delete(sql);
    this.#texts.add(sql);
    const [oldest] = this.#texts;
    if (this.#texts.size > SLOW_STATEMENTS && oldest !== undefined) this.#texts.delete(oldest);
  }
}
