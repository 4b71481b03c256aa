/**
 * A database on a libSQL server, over HTTP. Reads take one round trip. A write is an interactive transaction
 * that starts with its first statement. The server ends a transaction that has blocked another one for about
 * 5 seconds.
 */

import { type Client, type Config, createClient, LibsqlError } from "@libsql/client/web";
import type { SQLWrapper } from "drizzle-orm";
import { DATABASE_TIMEOUT_S } from "../base/limits.ts";
import { tokenFault } from "../base/web_url.ts";
import type { Database, Row, Transaction } from "./database.ts";
import { awaitAnswer, isTimeout, NoAnswerError, retryRemote, withTimeout } from "./remote_answers.ts";
import { plainRow, RemoteTransaction } from "./remote_transaction.ts";
import { render, type Statement } from "./render.ts";
import { createWriteLock, type WriteLock, type WriteQueue } from "./write_lock.ts";

/** The URL of the server, and options. */
export interface RemoteDatabaseOptions {
  /** `https://…`, `http://…` or `libsql://…`. */
  readonly url: string;
  readonly authToken?: string;
  /** Time limit for a response, in milliseconds. */
  readonly timeoutMs?: number;
}

/** A {@link Database} on a server. */
export interface RemoteDatabase extends Database {
  /** Number of round trips since the start. */
  readonly roundTrips: number;
}

/**
 * Returns a database on a server. Sends nothing before the first statement. Throws for a URL with another
 * scheme.
 */
export function openRemoteDatabase(options: RemoteDatabaseOptions): RemoteDatabase {
  if (!/^(https?|libsql):\/\//i.test(options.url)) {
    throw new Error(`Invalid database URL "${options.url}". Use "https:", "http:" or "libsql:"`);
  }
  const timeoutMs = options.timeoutMs ?? 1_000 * DATABASE_TIMEOUT_S;
  const config: Config = {
    url: options.url,
    ...(options.authToken === undefined ? {} : { authToken: options.authToken }),
    intMode: "number",
  };
  const send: Send = (request) => {
    // An answer can name another address for the next request.
    const fault = options.authToken === undefined ? undefined : tokenFault(request.url);
    if (fault !== undefined) throw new Error(fault);
    return fetch(request, { signal: AbortSignal.timeout(REQUEST_SHARE * timeoutMs), redirect: "error" });
  };
  return new Server({ config, send, timeoutMs });
}

/** Sends a request to the server. */
type Send = (request: Request) => Promise<Response>;

interface ServerOptions {
  readonly config: Config;
  readonly send: Send;
  readonly timeoutMs: number;
}

/**
 * Returns a function that sends the requests of one transaction. An answer without a baton ends its stream
 * (Hrana 2): the client would send the next statement in a new stream, outside of the transaction.
 */
function sendInOneStream(send: Send): Send {
  let ended = false;
  return async (request) => {
    if (ended) throw new LibsqlError("The server has ended the stream", "STREAM_EXPIRED");
    const response = await send(request);
    const json = async (): Promise<{ baton?: unknown } | null> => {
      const body = await Response.prototype.json.call(response);
      ended = !body?.baton;
      return body;
    };
    return Object.defineProperty(response, "json", { value: json });
  };
}

/**
 * Fraction of the time limit that one request may take. The server ends an abandoned transaction after 5
 * seconds, which is also the default limit: a writer that gave up at that time would leave another abandoned
 * transaction.
 */
const REQUEST_SHARE = 0.9;

/** Start of statements that only read. */
const READS = /^\s*(SELECT|WITH|VALUES|EXPLAIN|PRAGMA)\b/i;

class Server implements RemoteDatabase {
  readonly kind = "remote";
  statements = 0;
  roundTrips = 0;
  readonly #options: ServerOptions;
  /** For reads. Each transaction has its own client. */
  readonly #client: Client;
  readonly #lock: WriteLock;
  readonly #timeoutMs: number;
  /** Time of the last write that timed out (of `performance`). */
  #silentAt = -Infinity;
  #closed = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#client = createClient({ ...options.config, fetch: options.send });
    this.#timeoutMs = options.timeoutMs;
    this.#lock = createWriteLock();
  }

  get writeQueue(): WriteQueue {
    return this.#lock.queue;
  }

  async all<T = Row>(query: SQLWrapper): Promise<T[]> {
    const statement = this.#reading(query);
    this.statements++;
    const result = await this.#read(() => this.#client.execute(statement));
    return result.rows.map(plainRow) as T[];
  }

  async batch(queries: readonly SQLWrapper[]): Promise<Row[][]> {
    const statements = queries.map((query) => this.#reading(query));
    this.statements += statements.length;
    if (statements.length === 0) return [];
    const results = await this.#read(() => this.#client.batch(statements, "read"));
    return results.map((result) => result.rows.map(plainRow));
  }

  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const asked = performance.now();
    return this.#lock.run(async () => {
      // Writes that waited for one that timed out have waited long enough.
      if (this.#silentAt >= asked) throw new NoAnswerError();
      try {
        return await retryRemote(() => this.#attempt(work), this.#timeoutMs);
      } catch (error) {
        if (isTimeout(error)) this.#silentAt = performance.now();
        throw error;
      }
    });
  }

  close(): void {
    this.#closed = true;
    this.#client.close();
  }

  #read<T>(ask: () => Promise<T>): Promise<T> {
    const attempts = retryRemote(() => {
      this.roundTrips++;
      return awaitAnswer(ask());
    }, this.#timeoutMs);
    return withTimeout(attempts, this.#timeoutMs);
  }

  /** Renders a reading statement. Throws for others, which the server would run. */
  #reading(query: SQLWrapper): Statement {
    this.#check();
    const statement = render(query);
    if (!READS.test(statement.sql)) throw new Error("Writing statements need a write transaction");
    return statement;
  }

  #check(): void {
    if (this.#closed) throw new Error("The database is closed");
  }

  async #attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#check();
    const { config, send } = this.#options;
    const client = createClient({ ...config, fetch: sendInOneStream(send) });
    const open = await awaitAnswer(client.transaction("write"));
    const tx = new RemoteTransaction(open, {
      asked: () => this.roundTrips++,
      counted: (statements) => this.statements += statements,
    });
    try {
      const result = await work(tx);
      await tx.commit();
      for (const each of tx.committed) each();
      return result;
    } catch (error) {
      // A server that does not respond would not respond to this either, and rolls back by itself.
      if (!isTimeout(error)) await tx.rollback();
      throw error;
    } finally {
      open.close();
    }
  }
}
