/** Interprets the responses, errors and timeouts of a database server. */

import { AppError } from "../base/errors.ts";
import { WRITE_ATTEMPTS } from "./limits.ts";
import { constraintFailure } from "./constraint_failure.ts";
import { fileFailure, RETRY_AFTER, unavailable } from "./unavailable.ts";

/** The request had no effect for a reason that is not in its statement, so it can be retried. */
class RetryableError extends Error {
  override readonly name = "RetryableError";
}

/** Maximum pause before the first retry, in milliseconds; doubled with each retry. */
const FIRST_PAUSE_MS = 50;

/** Error codes for a transaction that the server has ended or never started, or that SQLite may have rolled back. */
const ROLLED_BACK =
  /^(SQLITE_BUSY|SQLITE_LOCKED|SQLITE_NOMEM|SQLITE_INTERRUPT|TRANSACTION_TIMEOUT|TRANSACTION_CLOSED|STREAM_EXPIRED)/;
/** Error codes of the network, a proxy or the protocol, not of the database. */
const UNANSWERED = /^(SERVER_ERROR|HRANA_|INTERNAL_ERROR|UNKNOWN)/;

/** The server did not respond in time. Not retried, because a retry would take as long. */
export class NoAnswerError extends AppError {
  override readonly name = "NoAnswerError";

  constructor(cause?: unknown) {
    super("unavailable", "The database did not answer in time.", { cause, headers: RETRY_AFTER });
  }
}

/** Returns the error for a statement that had no response and no effect. */
function withoutEffect(error: unknown): Error {
  return isTimeout(error)
    ? new NoAnswerError(error)
    : new RetryableError("The database cannot be reached", { cause: error });
}

/**
 * Awaits an answer. Rejects with {@link RetryableError} or {@link NoAnswerError} if nothing took effect, and with
 * `unavailable` if the database fails. `silent` returns the error for anything that is not an answer of the database.
 */
export async function awaitAnswer<T>(
  answer: Promise<T>,
  silent: (error: unknown) => Error = withoutEffect,
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const code = codeOf(error);
    if (isIncomplete(error, code)) throw silent(error);
    // The second is the answer to COMMIT if the server had already ended the transaction.
    if (ROLLED_BACK.test(code) || /no transaction is active/.test(String(error))) {
      throw new RetryableError("The transaction was ended by the server", { cause: error });
    }
    if (isRefusal(error)) throw unavailable("The database server refuses the token of this service.", error);
    if (code === "BLOCKED") {
      throw unavailable("The database server refuses statements of this service.", error);
    }
    const failure = fileFailure(error);
    if (failure !== undefined) throw failure;
    throw code === "" || UNANSWERED.test(code) ? silent(error) : error;
  }
}

/**
 * Returns the error for an unanswered COMMIT. A retry might repeat the transaction, so clients are not asked
 * to retry.
 */
export function outcomeUnknown(error: unknown): AppError {
  return new AppError("unavailable", "The database did not answer. The change may have been stored.", {
    cause: error,
  });
}

/**
 * Runs `attempt` again while it fails with {@link RetryableError}. Gives up after some attempts with
 * `unavailable`, and begins none after `limitMs` milliseconds. Errors: invalid and conflict if the database
 * refuses a value.
 */
export async function retryRemote<T>(attempt: () => Promise<T>, limitMs: number): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (let count = 1;; count++) {
    const pause = FIRST_PAUSE_MS * 2 ** (count - 1) * (0.5 + Math.random() / 2);
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw constraintFailure(error) ?? error;
      if (count >= WRITE_ATTEMPTS || performance.now() + pause >= deadline) {
        throw unavailable("The database is not available.", error);
      }
    }
    await new Promise((done) => setTimeout(done, pause));
  }
}

/**
 * Rejects with {@link NoAnswerError} if there is no answer in time, whatever the server sends in the
 * meantime.
 */
export async function withTimeout<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new NoAnswerError()), limitMs);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns whether the server did not respond in time. */
export function isTimeout(error: unknown): boolean {
  return causesOf(error).some((one) => one instanceof NoAnswerError || one.name === "TimeoutError");
}

/**
 * Returns whether the answer to a batch had neither a result nor an error for a statement. The client reports this as a
 * transaction that has ended, but nothing is known about the batch.
 */
function isIncomplete(error: unknown, code: string): boolean {
  return error instanceof Error && "statementIndex" in error && code === "TRANSACTION_CLOSED";
}

/** Returns whether the server refused the token, so that a retry does not help. */
function isRefusal(error: unknown): boolean {
  return causesOf(error).some((one) => "status" in one && (one.status === 401 || one.status === 403));
}

/** Returns an error and its causes. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let one = error; one instanceof Error; one = one.cause) causes.push(one);
  return causes;
}

/** Returns the code of a client error; empty for other errors, such as those of `fetch`. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
