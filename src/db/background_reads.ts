/**
 * Long reads on separate connections and threads of the native library, so that other requests are served in
 * the meantime. A limited number runs at a time, and the others wait. One user cannot occupy all connections.
 * A statement cannot be interrupted: after its time limit its caller gets an error, and its connection
 * becomes free when it ends.
 */

import type { Row } from "./database.ts";
import {
  BACKGROUND_CONNECTIONS,
  BACKGROUND_SHARE,
  MAX_SLOW_RUNS,
  MAX_WAITING_READS,
  OTHER_RUN,
  SLOW_RUNS,
  SLOW_STATEMENT_MS,
  SLOW_STATEMENTS,
  WAITING_SHARE,
} from "./limits.ts";
import type { Statement } from "./render.ts";
import { QueryTimeout, unavailable } from "./unavailable.ts";

/** Runs one read at a time. */
export interface BackgroundConnection {
  /** Runs statements on one snapshot. */
  read(statements: readonly Statement[]): Promise<Row[][]>;
  /** Whether it should be replaced by a new connection. */
  readonly isWorn: boolean;
  /** Closes the connection after its running statement, because its thread uses the connection until then. */
  close(): void;
}

/** The user who requests a read: an id, or null for the service itself. */
export type Owner = number | null;

/** The rows of a read, and how long it ran, in milliseconds, without the time that it waited. */
export interface Found {
  readonly results: Row[][];
  readonly tookMs: number;
}

/** A read that waits, or runs. */
interface Job {
  readonly statements: readonly Statement[];
  readonly owner: Owner;
  readonly answer: PromiseWithResolvers<Found>;
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
   * Runs statements on one snapshot of the database. Errors for users: unavailable (too many reads are
   * waiting, or the time limit has passed). Jobs of the service have no limits.
   */
  async read(statements: readonly Statement[], owner: Owner): Promise<Found> {
    if (this.#closed) throw new Error("The database is closed");
    if (owner !== null) this.#checkWaiting(owner);
    const job: Job = { statements, owner, answer: Promise.withResolvers() };
    this.#waiting.push(job);
    const timer = owner === null ? undefined : setTimeout(() => this.#giveUp(job), this.#timeoutMs);
    this.#startNext();
    try {
      return await job.answer.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #checkWaiting(user: number): void {
    const owners = this.#waiting.flatMap(({ owner }) => owner ?? []);
    const own = owners.filter((owner) => owner === user).length;
    if (own >= WAITING_SHARE) {
      throw unavailable(`${own} long queries of this user are waiting already.`, undefined);
    }
    if (owners.length >= MAX_WAITING_READS) {
      throw unavailable(`${MAX_WAITING_READS} long queries are waiting already.`, undefined);
    }
  }

  /** Closes all connections, each after its running statement. */
  close(): void {
    this.#closed = true;
    for (const { answer } of this.#waiting.splice(0)) answer.reject(new Error("The database is closed"));
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
      const started = performance.now();
      const results = await connection.read(statements);
      answer.resolve({ results, tookMs: performance.now() - started });
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
 * Records which statements are slow repeatedly, by their text, so that they run in the background. The time
 * depends on the values and on how busy the machine is, so a statement that is fast for some time is
 * forgotten.
 */
export class SlowStatements {
  readonly #slowRuns = new Map<string, number>();

  /** Returns whether one of these statements is slow. */
  includes(statements: readonly { readonly sql: string }[]): boolean {
    return statements.some(({ sql }) => (this.#slowRuns.get(sql) ?? 0) >= SLOW_RUNS);
  }

  /** Records how long a statement took, in milliseconds. */
  note({ sql }: { readonly sql: string }, elapsed: number): void {
    const known = this.#slowRuns.get(sql) ?? 0;
    const isSlow = elapsed >= SLOW_STATEMENT_MS;
    if (known === 0 && !isSlow) return;
    const runs = Math.min(MAX_SLOW_RUNS, known + (isSlow ? 1 : -OTHER_RUN));
    this.#slowRuns.delete(sql);
    if (runs > 0) this.#slowRuns.set(sql, runs);
    const [oldest] = this.#slowRuns.keys();
    if (this.#slowRuns.size > SLOW_STATEMENTS && oldest !== undefined) this.#slowRuns.delete(oldest);
  }
}
