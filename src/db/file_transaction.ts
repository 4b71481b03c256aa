/** A transaction of a database file. */

import type { SQLWrapper } from "drizzle-orm";
import { isInBackground, pacer } from "../base/pace.ts";
import type { SlowStatements } from "./background_reads.ts";
import type { Row, Transaction } from "./database.ts";
import type { FileConnection } from "./file_connection.ts";
import { render, type Statement } from "./render.ts";

/** A transaction on the connection that writes. {@link end} must be called at its end. */
export class FileTransaction implements Transaction {
  readonly #connection: FileConnection;
  readonly #count: () => void;
  readonly #slowInJobs: SlowStatements;
  /** One for all statements, so that there is a pause between two calls with one large statement each. */
  readonly #pause = pacer();
  #ended = false;
  /** Functions to call after the commit. */
  readonly committed: (() => void)[] = [];

  /** `count` is called for each statement. `slowInJobs` run on another thread in background work. */
  constructor(
    connection: FileConnection,
    { count, slowInJobs }: { count: () => void; slowInJobs: SlowStatements },
  ) {
    this.#connection = connection;
    this.#count = count;
    this.#slowInJobs = slowInJobs;
  }

  async all<T = Row>(query: SQLWrapper): Promise<T[]> {
    const connection = this.#connection;
    return await this.#execute(query, {
      here: (statement) => connection.all(statement),
      aside: (statement) => connection.allAside(statement),
    }) as T[];
  }

  async batch(queries: readonly SQLWrapper[]): Promise<Row[][]> {
    const results: Row[][] = [];
    for (const query of queries) results.push(await this.all(query));
    return results;
  }

  async run(query: SQLWrapper): Promise<number> {
    const connection = this.#connection;
    return await this.#execute(query, {
      here: (statement) => connection.run(statement),
      aside: (statement) => connection.runAside(statement),
    });
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

  async #execute<T>(
    query: SQLWrapper,
    { here, aside }: { here: (statement: Statement) => T; aside: (statement: Statement) => Promise<T> },
  ): Promise<T> {
    this.check();
    this.#count();
    const statement = render(query);
    if (!isInBackground()) return here(statement);
    const started = performance.now();
    const result = this.#slowInJobs.includes([statement]) ? await aside(statement) : here(statement);
    this.#slowInJobs.note(statement, performance.now() - started);
    return result;
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
