/**
 * A database on a libSQL server, over HTTP. Reads take one round trip; a write is an interactive transaction, begun
 * with its first statement. The server ends a transaction that keeps another one waiting for some 5 seconds.
 */

import { type Client, createClient } from "@libsql/client/web";
import type { SQLWrapper } from "drizzle-orm";
import { DATABASE_TIMEOUT_S } from "../base/limits.ts";
import type { Database, Row, Transaction } from "./database.ts";
import { awaitAnswer, isTimeout, NoAnswerError, retryRemote, withTimeout } from "./remote_answers.ts";
import { plainRow, RemoteTransaction } from "./remote_transaction.ts";
import { render, type Statement } from "./render.ts";
import { createWriteLock, type WriteLock } from "./write_lock.ts";

/** Where the server is. */
export interface RemoteDatabaseOptions {
  /** `https://…`, `http://…` or `libsql://…`. */
  readonly url: string;
  readonly authToken?: string;
  /** How long the server may take to answer, in milliseconds. */
  readonly timeoutMs?: number;
}

/** A {@link Database} on a server. */
export interface RemoteDatabase extends Database {
  /** How often the server's answer has been waited for since the start. */
  readonly roundTrips: number;
}

/** A database on a server; nothing is sent before the first statement. Throws when the URL is no such address. */
export function openRemoteDatabase(options: RemoteDatabaseOptions): RemoteDatabase {
  if (!/^(https?|libsql):\/\//i.test(options.url)) {
    throw new Error(`Database URL "${options.url}" has another scheme, want "https:", "http:" or "libsql:"`);
  }
  const timeoutMs = options.timeoutMs ?? 1_000 * DATABASE_TIMEOUT_S;
  const client = createClient({
    url: options.url,
    ...(options.authToken === undefined ? {} : { authToken: options.authToken }),
    intMode: "number",
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(REQUEST_SHARE * timeoutMs) }),
  });
  return new Server(client, timeoutMs);
}

/**
 * Share of the time limit that one request may take. The server ends an abandoned transaction after 5 seconds, the
 * default limit: writers that gave up at just that moment would leave one more behind each.
 */
const REQUEST_SHARE = 0.9;

/** How a statement that only reads begins. */
const READS = /^\s*(SELECT|WITH|VALUES|EXPLAIN|PRAGMA)\b/i;

class Server implements RemoteDatabase {
  readonly kind = "remote";
  statements = 0;
  roundTrips = 0;
  readonly #client: Client;
  readonly #lock: WriteLock = createWriteLock();
  readonly #timeoutMs: number;
  /** When the server last left a write without an answer (of `performance`). */
  #silentAt = -Infinity;
  #closed = false;

  constructor(client: Client, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
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
      // Those that waited for a write that was left without an answer have waited long enough.
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

  /** Renders a statement that reads; the server itself would run any. */
  #reading(query: SQLWrapper): Statement {
    this.#check();
    const statement = render(query);
    if (!READS.test(statement.sql)) throw new Error("Statement writes, want it in a write transaction");
    return statement;
  }

  #check(): void {
    if (this.#closed) throw new Error("Database is closed, want it open");
  }

  async #attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#check();
    const open = await awaitAnswer(this.#client.transaction("write"));
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
      // A server that does not answer would not answer this either, and rolls back by itself.
      if (!isTimeout(error)) await tx.rollback();
      throw error;
    } finally {
      open.close();
    }
  }
}
