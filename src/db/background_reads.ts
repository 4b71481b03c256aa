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

/** A caller that waits for a read. */
interface Asking {
  readonly owner: Owner;
  readonly answer: PromiseWithResolvers<Found>;
}

/** A read, and all callers that requested it before it started. */
interface Job {
  readonly statements: readonly Statement[];
  readonly key: string;
  readonly asking: Asking[];
}

/** Runs long reads. Connections are opened when they are needed. */
export class BackgroundReads {
  readonly #open: () => Promise<BackgroundConnection>;
  readonly #timeoutMs: number;
  readonly #most: number;
  readonly #idle: BackgroundConnection[] = [];
  readonly #waiting: Job[] = [];
  /** The owners of the running jobs. */
  readonly #running: Owner[] = [];
  readonly #connections = new Set<BackgroundConnection>();
  #closed = false;

  /** `connections`: how many reads run at the same time. */
  constructor({ open, timeoutMs, connections = BACKGROUND_CONNECTIONS }: {
    open: () => Promise<BackgroundConnection>;
    timeoutMs: number;
    connections?: number;
  }) {
    this.#open = open;
    this.#timeoutMs = timeoutMs;
    this.#most = connections;
  }

  /**
   * Runs statements on one snapshot of the database. If the same statements are already waiting, they run
   * once for all callers; each caller gets a separate copy of the result. Errors for users: unavailable (too
   * many reads are waiting, or the time limit has passed). Jobs of the service have no limits.
   */
  async read(statements: readonly Statement[], owner: Owner): Promise<Found> {
    if (this.#closed) throw new Error("The database is closed");
    const asking: Asking = { owner, answer: Promise.withResolvers() };
    const job = this.#join(statements, asking);
    const timer = owner === null ? undefined : setTimeout(() => this.#giveUp(job, asking), this.#timeoutMs);
    this.#startNext();
    try {
      return await asking.answer.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Adds a request to the job that waits for the same statements. A running job may not see what was
   * committed since it began.
   */
  #join(statements: readonly Statement[], asking: Asking): Job {
    const key = JSON.stringify(statements, (_, value) => typeof value === "bigint" ? `${value}n` : value);
    const same = this.#waiting.find((job) => job.key === key);
    if (same !== undefined) {
      same.asking.push(asking);
      return same;
    }
    if (asking.owner !== null) this.#checkWaiting(asking.owner);
    const job = { statements, key, asking: [asking] };
    this.#waiting.push(job);
    return job;
  }

  #checkWaiting(user: number): void {
    const owners = this.#waiting.flatMap(({ asking }) => asking[0]?.owner ?? []);
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
    for (const { asking } of this.#waiting.splice(0)) {
      for (const { answer } of asking) answer.reject(new Error("The database is closed"));
    }
    for (const connection of this.#connections) connection.close();
  }

  #giveUp(job: Job, asking: Asking): void {
    job.asking.splice(job.asking.indexOf(asking), 1);
    const at = this.#waiting.indexOf(job);
    if (at >= 0 && job.asking.length === 0) this.#waiting.splice(at, 1);
    asking.answer.reject(new QueryTimeout(this.#timeoutMs));
  }

  #startNext(): void {
    if (this.#running.length >= this.#most) return;
    const mayRun = ({ owner }: Asking): boolean =>
      this.#running.filter((each) => each === owner).length < BACKGROUND_SHARE;
    const at = this.#waiting.findIndex(({ asking }) => asking.some(mayRun));
    const [job] = at < 0 ? [] : this.#waiting.splice(at, 1);
    const owner = job?.asking.find(mayRun)?.owner;
    if (job !== undefined && owner !== undefined) void this.#run(job, owner);
  }

  async #run({ statements, asking }: Job, owner: Owner): Promise<void> {
    this.#running.push(owner);
    let connection: BackgroundConnection | undefined;
    try {
      connection = this.#idle.pop() ?? await this.#open();
      this.#connections.add(connection);
      if (this.#closed) throw new Error("The database is closed");
      const started = performance.now();
      const results = await connection.read(statements);
      const tookMs = performance.now() - started;
      for (const [index, { answer }] of asking.entries()) {
        answer.resolve({ results: index === 0 ? results : structuredClone(results), tookMs });
      }
      if (!connection.isWorn) this.#idle.push(connection);
      else this.#discard(connection);
    } catch (error) {
      for (const { answer } of asking) answer.reject(error);
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
  readonly #ms: number;

  /**
   * `ms`: number of milliseconds from which a run counts as slow. With 0, every statement is slow from its
   * first run on.
   */
  constructor(ms = SLOW_STATEMENT_MS) {
    this.#ms = ms;
  }

  /** Returns whether one of these statements is slow. */
  includes(statements: readonly { readonly sql: string }[]): boolean {
    return this.#ms === 0 || statements.some(({ sql }) => (this.#slowRuns.get(sql) ?? 0) >= SLOW_RUNS);
  }

  /** Records how long a statement took, in milliseconds. */
  note({ sql }: { readonly sql: string }, elapsed: number): void {
    const known = this.#slowRuns.get(sql) ?? 0;
    const isSlow = elapsed >= this.#ms;
    if (known === 0 && !isSlow) return;
    const runs = Math.min(MAX_SLOW_RUNS, known + (isSlow ? 1 : -OTHER_RUN));
    this.#slowRuns.delete(sql);
    if (runs > 0) this.#slowRuns.set(sql, runs);
    const [oldest] = this.#slowRuns.keys();
    if (this.#slowRuns.size > SLOW_STATEMENTS && oldest !== undefined) this.#slowRuns.delete(oldest);
  }
}
