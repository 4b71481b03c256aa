/** Failures of background work in the log. */

import { AppError, stackOf } from "./errors.ts";
import type { Logger } from "./log.ts";

/**
 * Logs a failure. A database that is away is no defect, and is met again at every try until it is back: a warning of one
 * line, without a stack.
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

/** What the system or the client library has said. */
function innermost(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  return inner instanceof Error ? inner.message : String(inner);
}

/**
 * Logs a refusal that has a cause: at `debug`, and at `warn` where no check had predicted it. `values` name the
 * request.
 */
export function logRefusal(
  log: Logger,
  { error, ...values }: { error: AppError } & Record<string, unknown>,
): void {
  if (error.cause === undefined) return;
  const level = error.unexpected ? "warn" : "debug";
  log.log(level, "refusal", { ...values, cause: String(error.cause) });
}
