/** The parts that responses share: JSON bodies, refusals, headers, versions, links to other pages. */

import { textOf } from "../base/findings.ts";
import { type AppError, STATUS } from "../base/errors.ts";
import { sha256Hex } from "../base/bytes.ts";
import { etagOfObject } from "../resource/mod.ts";
import type { Call } from "./operation.ts";

/** Returns a response with a JSON body. */
export function jsonResponse(
  body: unknown,
  options: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return new Response(JSON.stringify(body), {
    status: options.status ?? 200,
    headers: { "content-type": "application/json", ...options.headers },
  });
}

/** Number of hexadecimal digits of the hash in an object's entity tag. */
const SHOWN_DIGITS = 16;

/**
 * Returns the response that shows an object, with a weak entity tag: its version, which If-Match compares, and
 * a hash of what is shown, because related objects and the time change that without a new version. 304 if
 * `request` says that the client has it already.
 */
export function objectResponse(
  object: Record<string, unknown>,
  { version = etagOfObject(object) ?? "", status = 200, headers = {}, request }: {
    /** Empty if the object has none. */
    version?: string;
    status?: number;
    headers?: Record<string, string>;
    request?: Request;
  } = {},
): Response {
  if (version === "") return jsonResponse(object, { status, headers });
  const text = JSON.stringify(object);
  const etag = `${version.slice(0, -1)}-${sha256Hex(text).slice(0, SHOWN_DIGITS)}"`;
  if (request !== undefined && isKnown(request, etag)) {
    return new Response(null, { status: 304, headers: { etag } });
  }
  return new Response(text, { status, headers: { "content-type": "application/json", etag, ...headers } });
}

/** Returns the response for a new object, with its URL and version. */
export function created(object: { readonly url: unknown }): Response {
  return objectResponse(object, { status: 201, headers: { location: String(object.url) } });
}

/** Returns a test for versions by `If-Match`. It compares weakly, because our tags are weak. */
export function ifMatch(request: Request): ((version: string) => boolean) | undefined {
  const given = request.headers.get("if-match");
  if (given === null) return undefined;
  const versions = entityTags(given).map((tag) => tag.replace(/-[0-9a-f]+"$/, '"'));
  return (version) => given.trim() === "*" || versions.includes(version);
}

/** Query parameter that chooses how errors are answered: `codes`, or else NetBox's form. */
export const ERROR_FORMAT = "error_format";

/** Converts an error to a response. With `codes`, to a list of codes with parameters. */
export function refusal(error: AppError, { codes = false }: { codes?: boolean } = {}): Response {
  const body = codes ? { errors: codesOf(error) } : error.public;
  return jsonResponse(body, { status: STATUS[error.code], headers: error.headers });
}

function codesOf(error: AppError): object[] {
  const given = error.public;
  if (error.findings.length === 0) {
    return [{ code: error.code, field: null, params: {}, message: "detail" in given ? given.detail : "" }];
  }
  return error.findings.flatMap((findings, index) =>
    findings.map((one) => ({
      code: one.code,
      field: one.field ?? null,
      ...(one.path === undefined || one.path.length === 0 ? {} : { path: one.path }),
      params: one.params,
      message: textOf(one),
      ...(Array.isArray(given) ? { row: index + 1 } : {}),
    }))
  );
}

/** Returns the response for a defect: only the request id, with which the log has the stack. */
export function defect(requestId: string): Response {
  return jsonResponse({ detail: "Internal server error.", request_id: requestId }, { status: 500 });
}

/** Headers of every API response: no page may embed it, and no shared cache may store it. */
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
function entityTags(header: string): string[] {
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).map((tag) => tag.startsWith("W/") ? tag : `W/${tag}`);
}

/** Returns whether the client already has this version (RFC 9110 §13.1.2). `etag` is a weak entity tag. */
export function isKnown(request: Request, etag: string): boolean {
  const known = request.headers.get("if-none-match");
  return known !== null && (known.trim() === "*" || entityTags(known).includes(etag));
}

export interface PagePosition {
  readonly count: number;
  readonly limit: number;
  readonly offset: number;
}

/** Returns the URL of the request with changed parameters. */
export function linkWith(
  { ctx, query, request }: Pick<Call, "ctx" | "query" | "request">,
  changes: Readonly<Record<string, number>>,
): string {
  const params = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) params.set(name, String(value));
  return `${ctx.baseUrl}${new URL(request.url).pathname}?${params}`;
}

/** Answers a page of a list with its links; a page without a count has only the next one. */
export function listResponse(
  call: Pick<Call, "ctx" | "query" | "request">,
  { count, nextStart, results, query: { limit, offset } }: {
    count: number | null;
    nextStart: number | null;
    results: readonly unknown[];
    query: Pick<PagePosition, "limit" | "offset">;
  },
): Response {
  const links = count === null
    ? { next: nextStart === null ? null : linkWith(call, { start: nextStart, limit }), previous: null }
    : pageLinks(call, { count, limit, offset });
  return jsonResponse({ count, ...links, results });
}

/** Returns `next` and `previous` of a page; null if there is none. */
export function pageLinks(
  call: Pick<Call, "ctx" | "query" | "request">,
  { count, limit, offset }: PagePosition,
): { next: string | null; previous: string | null } {
  return {
    next: offset + limit < count ? linkWith(call, { limit, offset: offset + limit }) : null,
    previous: offset > 0 ? linkWith(call, { limit, offset: Math.max(0, offset - limit) }) : null,
  };
}
