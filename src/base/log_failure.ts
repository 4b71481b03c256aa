/** Logs failures of background work, and refused requests. */

import { AppError, stackOf } from "./errors.ts";
import type { Logger } from "./log.ts";

/**
 * Logs a failure. An unavailable database is not a defect, and makes every attempt fail until it is available
 * again, so it is logged as a warning without a stack.
 */
export function logFailure(
  log: Logger,
  event: string,
  { error, ...values }: { error: unknown } & Record<string, unknown>,
): void {
  if (error instanceof AppError && error.code === "unavailable") {
    const reason = "detail" in error.public ? error.public.detail : error.message;
    log.log("warn", event, { ...values, reason, cause: innermost(error) });
  } else log.log("error", event, { ...values, error: stackOf(error) });
}

/** Returns the message of the innermost cause, which is from the system or a client library. */
function innermost(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  return inner instanceof Error ? inner.message : String(inner);
}

/**
 * Logs a refused request whose error has a cause: at `warn` if a check should have refused it earlier, otherwise at
 * `debug`. `values` identify the request.
 */
export function logRefusal(
  log: Logger,
  { error, ...values }: { error: AppError } & Record<string, unknown>,
): void {
  if (error.cause === undefined) return;
  const level = error.unexpected ? "warn" : "debug";
  log.log(level, "refusal", { ...values, cause: String(error.cause) });
}
