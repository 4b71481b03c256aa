/**
 * A database on a libSQL server, over HTTP. Reads take one round trip; a write is an interactive transaction, begun
 * with its first statement. The server ends a transaction that keeps another one waiting for some 5 seconds.
 */

import { type Client, createClient, type Transaction as ClientTransaction } from "@libsql/client/web";
import type { SQLWrapper } from "drizzle-orm";
import { REMOTE_TIMEOUT_MS } from "../base/limits.ts";
import type { Database, Row, Transaction } from "./database.ts";
import { answerOf, outcomeUnknown, retryLost } from "./remote_answers.ts";
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

/** A database on a server; nothing is sent before the first statement. Throws when the URL is no such address. */
export function openRemoteDatabase(options: RemoteDatabaseOptions): Database {
  if (!/^(https?|libsql):\/\//i.test(options.url)) {
    throw new Error(`Database URL "${options.url}" has another scheme, want "https:", "http:" or "libsql:"`);
  }
  const timeoutMs = options.timeoutMs ?? REMOTE_TIMEOUT_MS;
  return new RemoteDatabase(createClient({
    url: options.url,
    ...(options.authToken === undefined ? {} : { authToken: options.authToken }),
    intMode: "number",
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
  }));
}

const ENDED = "Transaction has ended, want statements within its work";
/** How a statement that only reads begins. */
const READS = /^\s*(SELECT|WITH|VALUES|EXPLAIN|PRAGMA)\b/i;

class RemoteDatabase implements Database {
  readonly kind = "remote";
  statements = 0;
  readonly #client: Client;
  readonly #lock: WriteLock = createWriteLock();
  #closed = false;

  constructor(client: Client) {
    this.#client = client;
  }

  async all<T = Row>(query: SQLWrapper): Promise<T[]> {
    const statement = this.#reading(query);
    this.statements++;
    const result = await retryLost(() => answerOf(this.#client.execute(statement)));
    return result.rows.map(plainRow) as T[];
  }

  async batch(queries: readonly SQLWrapper[]): Promise<Row[][]> {
    const statements = queries.map((query) => this.#reading(query));
    this.statements += statements.length;
    const results = await retryLost(() => answerOf(this.#client.batch(statements, "read")));
    return results.map((result) => result.rows.map(plainRow));
  }

  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#lock.run(() => retryLost(() => this.#attempt(work)));
  }

  close(): void {
    this.#closed = true;
    this.#client.close();
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
    const tx = new RemoteTransaction(open, (count) => this.statements += count);
    try {
      const result = await work(tx);
      tx.end();
      // The client commits nothing once a statement of the transaction went lost, even if the work made light of it.
      await answerOf(open.commit(), outcomeUnknown);
      for (const each of tx.committed) each();
      return result;
    } catch (error) {
      tx.end();
      // The answer does not matter: a server that does not hear of it rolls back by itself.
      await open.rollback().catch(() => undefined);
      throw error;
    } finally {
      open.close();
    }
  }
}

class RemoteTransaction implements Transaction {
  readonly #open: ClientTransaction;
  readonly #count: (statements: number) => void;
  #ended = false;
  /** What is to be done when all is committed. */
  readonly committed: (() => void)[] = [];

  constructor(open: ClientTransaction, count: (statements: number) => void) {
    this.#open = open;
    this.#count = count;
  }

  async all<T = Row>(query: SQLWrapper): Promise<T[]> {
    const [rows] = await this.batch([query]);
    return rows as T[];
  }

  async batch(queries: readonly SQLWrapper[]): Promise<Row[][]> {
    return (await this.#send(queries)).map((result) => result.rows.map(plainRow));
  }

  async run(query: SQLWrapper): Promise<number> {
    const [result] = await this.#send([query]);
    return result!.columns.length > 0 ? result!.rows.length : result!.rowsAffected;
  }

  async runAll(queries: readonly SQLWrapper[]): Promise<void> {
    await this.#send(queries);
  }

  afterCommit(work: () => void): void {
    if (this.#ended) throw new Error(ENDED);
    this.committed.push(work);
  }

  end(): void {
    this.#ended = true;
  }

  async #send(queries: readonly SQLWrapper[]): ReturnType<ClientTransaction["batch"]> {
    if (this.#ended) throw new Error(ENDED);
    if (queries.length === 0) return [];
    const statements = queries.map(render);
    this.#count(statements.length);
    return await answerOf(this.#open.batch(statements));
  }
}

/** The client's rows carry hidden extra properties. */
function plainRow(row: object): Row {
  return { ...row } as Row;
}
