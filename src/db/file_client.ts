/** A database in a file of this machine. */

import { createClient } from "@libsql/client";
import type { Client, Transaction as ClientTransaction } from "@libsql/client";
import { type SQLWrapper } from "drizzle-orm";
import { BUSY_TIMEOUT_MS } from "../base/limits.ts";
import type { Database, Row, Transaction } from "./database.ts";
import { prepareFile } from "./file_access.ts";
import { render } from "./render.ts";
import { retryBusy } from "./retry.ts";
import { createWriteLock, type WriteLock } from "./write_lock.ts";

/** How to open a database file. */
export interface FileDatabaseOptions {
  /** Path of the file; it and its folder are made when missing, for the owner alone. */
  readonly path: string;
}

/** Opens (and makes, when missing) the database file at `path`, in WAL mode. */
export async function openFileDatabase(options: FileDatabaseOptions): Promise<Database> {
  const url = await prepareFile(options.path);
  const client = createClient({ url, intMode: "number", timeout: BUSY_TIMEOUT_MS });
  await client.execute("PRAGMA journal_mode = WAL");
  return new FileDatabase(client);
}

class FileDatabase implements Database {
  readonly kind = "file";
  statements = 0;
  readonly #client: Client;
  readonly #lock: WriteLock = createWriteLock();

  constructor(client: Client) {
    this.#client = client;
  }

  async all<T = Row>(query: SQLWrapper): Promise<T[]> {
    this.statements++;
    return (await this.#client.execute(render(query))).rows as T[];
  }

  async batch(queries: readonly SQLWrapper[]): Promise<Row[][]> {
    this.statements += queries.length;
    const results = await this.#client.batch(queries.map(render), "read");
    return results.map((result) => result.rows as unknown as Row[]);
  }

  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#lock.run(() => retryBusy(() => this.#attempt(work)));
  }

  close(): void {
    this.#client.close();
  }

  async #attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const open = await this.#client.transaction("write");
    try {
      const result = await work(new FileTransaction(open, () => this.statements++));
      await open.commit();
      return result;
    } finally {
      open.close();
    }
  }
}

class FileTransaction implements Transaction {
  readonly #open: ClientTransaction;
  readonly #count: () => void;

  constructor(open: ClientTransaction, count: () => void) {
    this.#open = open;
    this.#count = count;
  }

  async all<T = Row>(query: SQLWrapper): Promise<T[]> {
    this.#count();
    return (await this.#open.execute(render(query))).rows as T[];
  }

  async batch(queries: readonly SQLWrapper[]): Promise<Row[][]> {
    const results: Row[][] = [];
    for (const query of queries) results.push(await this.all(query));
    return results;
  }

  async run(query: SQLWrapper): Promise<number> {
    this.#count();
    const result = await this.#open.execute(render(query));
    return result.columns.length > 0 ? result.rows.length : result.rowsAffected;
  }

  async runAll(queries: readonly SQLWrapper[]): Promise<void> {
    for (const query of queries) await this.run(query);
  }
}
