/**
 * Refusals. A verb that cannot do what it was asked throws an {@link AppError}; a surface maps its code to its
 * own form exactly once. Findings about data (a bad row, a verdict) are values, never errors.
 */

import { cappedFindings } from "./findings.ts";

/** Why a request was refused. Each surface maps every code (`satisfies Record<AppErrorCode, …>`). */
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

/** Messages by field name; `__all__` holds those that concern several fields. */
export type FieldErrors = Record<string, string[]>;

/** What the caller may read about a refusal: field errors, a list aligned with a list input, or one sentence. */
export type PublicError = { detail: string; [extra: string]: unknown } | FieldErrors | FieldErrors[];

/** A refusal: a code for the surface, a text for the caller, and a cause for the log only. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly public: PublicError;
  /** Response headers that belong to this refusal (`Retry-After`, `WWW-Authenticate`, `Allow`). */
  readonly headers: Record<string, string>;
  /** Whether a check should have refused this earlier, with a better message: worth a warning in the log. */
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

/** A refusal that names fields. */
export function invalid(errors: FieldErrors | FieldErrors[]): AppError {
  return new AppError("invalid", errors);
}

/** The one answer for what is absent and for what is hidden. */
export function notFound(): AppError {
  return new AppError("not_found", "Not found.");
}

/** The one answer for an action the caller holds no permission for. */
export function forbidden(): AppError {
  return new AppError("forbidden", "You do not have permission to perform this action.");
}

/** What was thrown, for the log: with its stack where there is one. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}

/** Adds a message under a field name. */
export function addError(errors: FieldErrors, field: string, message: string): void {
  if (Object.hasOwn(errors, field)) errors[field]?.push(message);
  // Defined, not assigned: the names come from outside, and `__proto__` is a name.
  else {Object.defineProperty(errors, field, {
      value: [message],
      enumerable: true,
      configurable: true,
      writable: true,
    });}
}
