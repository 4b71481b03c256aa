/** The common parts of responses: JSON bodies, refusals, headers, versions. */

import { AppError, type AppErrorCode } from "../base/errors.ts";
import { etagOfObject } from "../resource/mod.ts";

const STATUS = {
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
} satisfies Record<AppErrorCode, number>;

/** Returns a response with a JSON body. */
export function json(
  body: unknown,
  options: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return new Response(JSON.stringify(body), {
    status: options.status ?? 200,
    headers: { "content-type": "application/json", ...options.headers },
  });
}

/** The answer that shows a new object, with its address and version. */
export function created(object: Record<string, unknown>): Response {
  const etag = etagOfObject(object);
  return json(object, {
    status: 201,
    headers: { location: String(object.url), ...(etag === undefined ? {} : { etag }) },
  });
}

/** The answer to a refusal. */
export function refusal(error: AppError): Response {
  return json(error.public, { status: STATUS[error.code], headers: error.headers });
}

/** Returns the response to a defect: only the request's id, under which the log has the stack. */
export function defect(requestId: string): Response {
  return json({ detail: "Internal server error.", request_id: requestId }, { status: 500 });
}

/** Headers of every response of the API: no page may embed it, and no shared cache may store it. */
export const API_HEADERS: Readonly<Record<string, string>> = {
  "api-version": "4.6",
  "cache-control": "private, no-cache",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "vary": "Accept, Authorization",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Returns the entity tags of a header as weak ones. */
export function tags(header: string): string[] {
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).map((tag) => tag.startsWith("W/") ? tag : `W/${tag}`);
}

/** Whether the client has this version already (RFC 9110 §13.1.2). `etag` is a weak entity tag. */
export function isKnown(request: Request, etag: string): boolean {
  const known = request.headers.get("if-none-match");
  return known !== null && (known.trim() === "*" || tags(known).includes(etag));
}
