/**
 * A write transaction on a libSQL server. Statements without results are sent with the next statement that has one, or
 * with the COMMIT, in one round trip.
 */

import { LibsqlBatchError, LibsqlError, type Transaction as ClientTransaction } from "@libsql/client/web";
import type { SQLWrapper } from "drizzle-orm";
import type { Row, Transaction } from "./database.ts";
import { awaitAnswer, outcomeUnknown } from "./remote_answers.ts";
import { render, type Statement } from "./render.ts";

/** Counts the round trips and statements of a transaction. */
export interface StatementCounter {
  /** Called for each round trip. */
  asked(): void;
  counted(statements: number): void;
}

const ENDED = "The transaction has ended. Run statements before its work ends";

/** A transaction. BEGIN is sent with its first statement. */
export class RemoteTransaction implements Transaction {
  /** Functions to call after the commit. */
  readonly committed: (() => void)[] = [];
  readonly #open: ClientTransaction;
  readonly #counter: StatementCounter;
  #waiting: Statement[] = [];
  /** Error of a deferred statement, or of a statement without an answer; prevents further ones and the commit. */
  #refusal: unknown;
  /** Resolves when the statements that were sent last are answered. */
  #answered: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(open: ClientTransaction, counter: StatementCounter) {
    this.#open = open;
    this.#counter = counter;
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

  // deno-lint-ignore require-await -- a refusal must be a rejection
  async runAll(queries: readonly SQLWrapper[]): Promise<void> {
    this.#waiting.push(...this.#rendered(queries));
  }

  afterCommit(work: () => void): void {
    if (this.#ended) throw new Error(ENDED);
    this.committed.push(work);
  }

  /** Commits. Errors: those of deferred statements; {@link outcomeUnknown} if the COMMIT has no response. */
  async commit(): Promise<void> {
    this.#ended = true;
    await this.#answered;
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#counter.asked();
    // Nothing is committed after a statement of the transaction was lost, even if the caller ignored that
    // error.
    if (this.#waiting.length === 0) return await awaitAnswer(this.#open.commit(), outcomeUnknown);
    // Each statement of a batch runs only if the one before it did.
    const commit = { sql: "COMMIT", args: [] };
    await awaitAnswer(this.#open.batch([...this.#waiting, commit]), outcomeUnknown);
  }

  /**
   * Rolls back, and ignores errors, because the server rolls back by itself if it does not receive the
   * request.
   */
  async rollback(): Promise<void> {
    this.#ended = true;
    this.#refusal ??= new Error(ENDED);
    await this.#open.rollback().catch(() => undefined);
  }

  #rendered(queries: readonly SQLWrapper[]): Statement[] {
    if (this.#ended) throw new Error(ENDED);
    const statements = queries.map(render);
    this.#counter.counted(statements.length);
    return statements;
  }

  /**
   * Sends statements with the deferred ones before them, after the previous ones have been answered: only then is known
   * whether the transaction is still open.
   */
  async #send(queries: readonly SQLWrapper[]): ReturnType<ClientTransaction["batch"]> {
    const statements = this.#rendered(queries);
    if (statements.length === 0) return [];
    const waiting = this.#waiting;
    this.#waiting = [];
    const results = this.#answered.then(() => this.#sendNext(statements, waiting));
    this.#answered = results.catch(() => undefined);
    return await results;
  }

  async #sendNext(
    statements: readonly Statement[],
    waiting: readonly Statement[],
  ): ReturnType<ClientTransaction["batch"]> {
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#counter.asked();
    try {
      const results = await awaitAnswer(this.#open.batch([...waiting, ...statements]));
      return results.slice(waiting.length);
    } catch (error) {
      // A caller may handle an error of its own statement, but not one of the deferred statements before it.
      const refused = error instanceof LibsqlBatchError ? error.statementIndex : 0;
      // Any other error is no answer of the database: the server may have ended the transaction, and would run
      // further statements outside of it.
      if (refused < waiting.length || !(error instanceof LibsqlError)) this.#refusal = error;
      throw error;
    }
  }
}

/** Removes the hidden additional properties of the client's rows. */
export function plainRow(row: object): Row {
  return { ...row } as Row;
}
