/**
 * A database on a libSQL server, over HTTP. Reads take one round trip; a write is an interactive transaction, begun
 * with its first statement. The server ends a transaction that keeps another one waiting for some 5 seconds.
 */

import { type Client, createClient } from "@libsql/client/web";
import type { SQLWrapper } from "drizzle-orm";
import { REMOTE_TIMEOUT_MS } from "../base/limits.ts";
import type { Database, Row, Transaction } from "./database.ts";
import { answerOf, retryLost } from "./remote_answers.ts";
import { plainRow, RemoteTransaction } from "./remote_transaction.ts";
import { render, type Statement } from "./render.ts";
import { createWriteLock, type WriteLock } from "./write_lock.ts";

/** Where the server is. */
export interface RemoteDatabaseOptions {
  /** `https://…`, `http://…` or `libsql://…`. */
  readonly url: string;
  readonly authToken?: string;
  /** How long the server may take to answer one request, in milliseconds. */
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
  const timeoutMs = options.timeoutMs ?? REMOTE_TIMEOUT_MS;
  return new Server(createClient({
    url: options.url,
    ...(options.authToken === undefined ? {} : { authToken: options.authToken }),
    intMode: "number",
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
  }));
}

/** How a statement that only reads begins. */
const READS = /^\s*(SELECT|WITH|VALUES|EXPLAIN|PRAGMA)\b/i;

class Server implements RemoteDatabase {
  readonly kind = "remote";
  statements = 0;
  roundTrips = 0;
  readonly #client: Client;
  readonly #lock: WriteLock = createWriteLock();
  #closed = false;

  constructor(client: Client) {
    this.#client = client;
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
    return this.#lock.run(() => retryLost(() => this.#attempt(work)));
  }

  close(): void {
    this.#closed = true;
    this.#client.close();
  }

  #read<T>(ask: () => Promise<T>): Promise<T> {
    return retryLost(() => {
      this.roundTrips++;
      return answerOf(ask());
    });
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
    const open = await answerOf(this.#client.transaction("write"));
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
      await tx.rollback();
      throw error;
    } finally {
      open.close();
    }
  }
}
