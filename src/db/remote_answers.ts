/** What a server's answer, or its silence, means for a transaction. */

import { AppError } from "../base/errors.ts";
import { WRITE_ATTEMPTS } from "../base/limits.ts";
import { constraintFailure } from "./constraint_failure.ts";
import { unavailable } from "./unavailable.ts";

/** Nothing of what was asked has taken effect, through no fault of the statement: it may be asked again. */
export class Lost extends Error {
  override readonly name = "Lost";
}

/** The longest pause before the first retry, in milliseconds; it doubles with each. */
const FIRST_PAUSE_MS = 50;

/** Codes by which the server says that the transaction is gone, or was never begun. */
const ROLLED_BACK = /^(SQLITE_BUSY|SQLITE_LOCKED|TRANSACTION_TIMEOUT|TRANSACTION_CLOSED|STREAM_EXPIRED)/;
/** Codes that are no answer of the database: of the network, of a proxy, of the protocol. */
const UNANSWERED = /^(SERVER_ERROR|HRANA_|INTERNAL_ERROR|UNKNOWN)/;

/** Awaits an answer. Rejects with {@link Lost} when nothing took effect; silence is `silent`'s to judge. */
export async function answerOf<T>(
  answer: Promise<T>,
  silent: (error: unknown) => Error = (error) => new Lost("The database cannot be reached", { cause: error }),
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const code = codeOf(error);
    // The second: what COMMIT is told when the server had ended the transaction before.
    if (ROLLED_BACK.test(code) || /no transaction is active/.test(String(error))) {
      throw new Lost("The transaction was ended by the server", { cause: error });
    }
    throw !isRefusal(error) && (code === "" || UNANSWERED.test(code)) ? silent(error) : error;
  }
}

/** A COMMIT that was not answered: asking again might do everything twice, so no client is told to. */
export function outcomeUnknown(error: unknown): AppError {
  return new AppError("unavailable", "The database did not answer. The change may have been stored.", {
    cause: error,
  });
}

/**
 * Runs `attempt` anew while it is {@link Lost}; gives up as `unavailable`. Errors: invalid and conflict when the database
 * refuses a value.
 */
export async function retryLost<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1;; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Lost)) throw constraintFailure(error) ?? error;
      if (count >= WRITE_ATTEMPTS) {
        throw unavailable("The database is not available.", error);
      }
    }
    const pause = FIRST_PAUSE_MS * 2 ** (count - 1) * (0.5 + Math.random() / 2);
    await new Promise((done) => setTimeout(done, pause));
  }
}

/** Whether the server answered that it will not hear the request (credentials, size): asking again does not help. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof Error && error.cause instanceof Error && "status" in error.cause &&
    error.cause.status;
  return typeof status === "number" && status >= 400 && status < 500;
}

/** The client's code; empty for an error that is none of the client's, such as one of `fetch`. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
