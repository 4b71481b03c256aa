/**
 * Errors of operations. An operation that refuses a request throws an {@link AppError}, and each interface
 * maps its code in one place. Findings about data (an invalid row, a chain status) are values, never errors.
 */

import type { Code } from "../messages/mod.ts";
import {
  cappedFindings,
  type FieldErrors,
  type Finding,
  findingAt,
  type Given,
  MAX_FINDINGS,
  textOf,
  textsByField,
} from "./findings.ts";

export type { FieldErrors };

/** Why a request was refused, and the HTTP status of the response. */
export const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  rate_limited: 429,
  client_closed: 499,
  unavailable: 503,
} as const;

export type AppErrorCode = keyof typeof STATUS;

/** The public part of an error: field errors, a list that is aligned with an input list, or one sentence. */
export type PublicError = { detail: string; [extra: string]: unknown } | FieldErrors | FieldErrors[];

/** What a request is refused for: one finding about the whole, findings by field, or a list aligned with an input list. */
export type Findings = Finding | readonly Finding[] | readonly (readonly Finding[])[];

/** An expected error: a code for the interface, a text for the caller, and a cause that is only logged. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  /** What is wrong with the request, or with each of its objects. Empty if `code` says it. */
  readonly findings: readonly (readonly Finding[])[];
  /** The error as the API shows it: with its own names of fields. */
  readonly public: PublicError;
  /** Response headers that belong to this error (`Retry-After`, `WWW-Authenticate`, `Allow`). */
  readonly headers: Record<string, string>;
  /** Whether a check should have refused the request earlier with a better message. Logged as a warning. */
  readonly unexpected: boolean;

  constructor(
    code: AppErrorCode,
    content: string | { detail: string; [extra: string]: unknown } | Findings,
    { cause, headers = {}, unexpected = false }: {
      cause?: unknown;
      headers?: Record<string, string>;
      unexpected?: boolean;
    } = {},
  ) {
    super("", { cause });
    this.name = "AppError";
    this.code = code;
    this.headers = headers;
    this.unexpected = unexpected;
    if (typeof content === "string") [this.findings, this.public] = [[], { detail: content }];
    else if ("detail" in content) [this.findings, this.public] = [[], content];
    else if ("code" in content) [this.findings, this.public] = [[[content]], { detail: textOf(content) }];
    else {
      const lists = content.filter((one) => isList(one));
      this.findings = lists.length > 0 ? cappedList(lists) : [cappedFindings(content.filter(isFinding))];
      const shown = this.findings.map((one) => textsByField(one));
      this.public = lists.length > 0 ? shown : shown[0] ?? {};
    }
    this.message = `${code}: ${JSON.stringify(this.public)}${unexpected ? ` (${cause})` : ""}`;
  }
}

function isFinding(one: Finding | readonly Finding[]): one is Finding {
  return !isList(one);
}

function isList(one: Finding | readonly Finding[]): one is readonly Finding[] {
  return Array.isArray(one);
}

/** Limits the number of findings. Each object of a list with findings keeps at least one. */
function cappedList(all: readonly (readonly Finding[])[]): (readonly Finding[])[] {
  let left = MAX_FINDINGS;
  return all.map((own) => {
    const shown = cappedFindings(own, left);
    left = Math.max(0, left - own.length);
    return shown;
  });
}

/** Returns an error with findings. */
export function invalid(findings: Findings): AppError {
  return new AppError("invalid", findings);
}

/** Returns an error with one finding about a field. */
export function invalidField<const Of extends Code>(field: string, code: Of, ...given: Given<Of>): AppError {
  return invalid([findingAt(field, code, ...given)]);
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
