/**
 * Errors of operations. An operation that refuses a request throws an {@link AppError}, and each interface
 * maps its code in one place. Findings about data (an invalid row, a chain status) are values, never errors.
 */

import { cappedFindings } from "./findings.ts";

/** Why a request was refused. Each interface maps every code (`satisfies Record<AppErrorCode, …>`). */
export type AppErrorCode =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "timeout"
  | "conflict"
  | "precondition_failed"
  | "too_large"
  | "uri_too_long"
  | "unsupported_media_type"
  | "rate_limited"
  | "client_closed"
  | "unavailable";

/** Messages by field name. Those under `__all__` concern several fields. */
export type FieldErrors = Record<string, string[]>;

/** The public part of an error: field errors, a list that is aligned with an input list, or one sentence. */
export type PublicError = { detail: string; [extra: string]: unknown } | FieldErrors | FieldErrors[];

/** An expected error: a code for the interface, a text for the caller, and a cause that is only logged. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly public: PublicError;
  /** Response headers that belong to this error (`Retry-After`, `WWW-Authenticate`, `Allow`). */
  readonly headers: Record<string, string>;
  /** Whether a check should have refused the request earlier with a better message. Logged as a warning. */
  readonly unexpected: boolean;

  constructor(
    code: AppErrorCode,
    detail: string | PublicError,
    options: { cause?: unknown; headers?: Record<string, string>; unexpected?: boolean } = {},
  ) {
    const body = typeof detail === "string" ? { detail } : cappedFindings(detail);
    const cause = options.unexpected === true ? ` (${options.cause})` : "";
    super(`${code}: ${JSON.stringify(body)}${cause}`, { cause: options.cause });
    this.unexpected = options.unexpected ?? false;
    this.name = "AppError";
    this.code = code;
    this.public = body;
    this.headers = options.headers ?? {};
  }
}

/** Returns an error with messages by field. */
export function invalid(errors: FieldErrors | FieldErrors[]): AppError {
  return new AppError("invalid", errors);
}

/** Returns the error for an object that does not exist or is hidden from the caller. */
export function notFound(): AppError {
  return new AppError("not_found", "Not found.");
}

/** Returns the error for an action for which the caller has no permission. */
export function forbidden(message = "You do not have permission to perform this action."): AppError {
  return new AppError("forbidden", message);
}

/** Returns a thrown value as text for the log, with its stack if it has one. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}

/** Adds a message under a field name. */
export function addError(errors: FieldErrors, field: string, message: string): void {
  if (Object.hasOwn(errors, field)) errors[field]?.push(message);
  // Defined, not assigned, because names come from requests, and one of them may be `__proto__`.
  else {Object.defineProperty(errors, field, {
      value: [message],
      enumerable: true,
      configurable: true,
      writable: true,
    });}
}
