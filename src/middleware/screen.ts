/** Recognizes requests that no interface can interpret, before any handler reads them. */

import { AppError } from "../base/errors.ts";
import { HTTP_METHODS } from "../base/http_methods.ts";
import { MAX_QUERY_CHARS, MAX_QUERY_PARAMETERS } from "../base/limits.ts";

/** A name or an IPv4 address, or an IPv6 address in brackets; with a port or without (RFC 9110 §7.2). */
const HOST = /^(?:[\w.~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

/** Placeholder for the address of a request whose own address cannot be parsed. */
const UNREADABLE = "http://unreadable.invalid/";

/** Returns the URL of a request, and the reason to refuse the request, if any. */
export function screenRequest(request: Request): { url: URL; refusal?: AppError } {
  const url = URL.parse(request.url);
  const host = request.headers.get("host");
  if (url === null || !/^https?:$/.test(url.protocol) || (host !== null && host !== "" && !HOST.test(host))) {
    return { url: new URL(UNREADABLE), refusal: badHost(host ?? request.url) };
  }
  const refusal = badMethod(request.method, url) ?? badQuery(url.search);
  return refusal === undefined ? { url } : { url, refusal };
}

/** Whether an address belongs to the REST API. */
export function isApi({ pathname }: URL): boolean {
  return pathname === "/api" || pathname.startsWith("/api/");
}

function badHost(given: string): AppError {
  return new AppError(
    "invalid",
    `Invalid host ${JSON.stringify(given.slice(0, 100))}. Expected a host name.`,
  );
}

/** The API refuses unknown methods itself: it knows which methods each of its addresses has. */
function badMethod(method: string, url: URL): AppError | undefined {
  if (HTTP_METHODS.has(method) || isApi(url)) return undefined;
  return new AppError("method_not_allowed", `Method "${method.slice(0, 20)}" not allowed.`, {
    headers: { allow: [...HTTP_METHODS].join(", ") },
  });
}

/** A list pays more for a parameter than for its bytes. Long queries fit in a body (GraphQL, bulk operations). */
function badQuery(search: string): AppError | undefined {
  if (search.length - 1 > MAX_QUERY_CHARS) {
    const text = `The query string is too long. Expected at most ${MAX_QUERY_CHARS} characters.`;
    return new AppError("uri_too_long", text);
  }
  let parameters = 1;
  for (let at = search.indexOf("&"); at !== -1; at = search.indexOf("&", at + 1)) parameters++;
  if (parameters <= MAX_QUERY_PARAMETERS) return undefined;
  return new AppError("invalid", `Too many query parameters. Expected at most ${MAX_QUERY_PARAMETERS}.`);
}
