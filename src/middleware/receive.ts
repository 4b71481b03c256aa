/**
 * Reads what every handler needs of a request: its URL, its sender, its body. Forwarded headers are used only
 * if a trusted proxy sent them. Refuses what no interface can interpret.
 */

import type { MiddlewareHandler } from "hono";
import type { Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import type { AppEnv, AppOptions, Client } from "../app_options.ts";
import { inNetworks } from "../auth/mod.ts";
import type { BodyBudget } from "../base/body_bytes.ts";
import { AppError } from "../base/errors.ts";
import { HTTP_METHODS, UNKNOWN_METHOD } from "../base/http_methods.ts";
import { holdsPrivateKey, MIN_KEY_CHARS, PRIVATE_KEY_MESSAGE } from "../x509/mod.ts";

/**
 * Treats every unknown method as {@link UNKNOWN_METHOD}, because the trie router fails for some names, such
 * as `constructor`. Hono's faster router refuses paths that have both literal and numeric siblings (`export/`
 * and `:id{[0-9]+}/`).
 */
export class MethodSafeRouter<T> extends TrieRouter<T> {
  override match(method: string, path: string): Result<T> {
    return super.match(HTTP_METHODS.has(method) ? method : UNKNOWN_METHOD, path);
  }
}

/** Maximum length of a query string: an escaped GraphQL query of the maximum size, or a thousand ids, fit. */
export const MAX_QUERY_CHARS = 32 * 1024;
/**
 * Maximum number of parameters in a query string: a filter has at most a thousand values, and lists have some
 * more parameters.
 */
export const MAX_QUERY_PARAMETERS = 1_200;

/** Sets the variables of a request, and releases the memory of its body after the response. */
export function receive(
  { trustedProxies, baseUrl }: AppOptions,
  bodies: BodyBudget,
): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const request = c.req.raw;
    const { remoteAddr, url } = c.env;
    const remote = remoteAddr?.hostname ?? null;
    c.set("client", readClient(request, { remote, trustedProxies, baseUrl, url }));
    const body = bodies.bodyOf(request);
    c.set("body", body);
    try {
      await next();
    } finally {
      body.release();
    }
  };
}

/**
 * Reads the sender. `X-Forwarded-For` is read from the right, as long as the addresses are trusted proxies.
 */
function readClient(
  request: Request,
  options: {
    remote: string | null;
    trustedProxies: readonly string[];
    baseUrl: string | undefined;
    url: URL;
  },
): Client {
  const { remote, trustedProxies, baseUrl, url } = options;
  const trusted = (address: string): boolean =>
    trustedProxies.length > 0 && inNetworks(address, trustedProxies);
  if (remote === null || !trusted(remote)) return { address: remote, origin: baseUrl ?? url.origin };
  let address = remote;
  const hops = (request.headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim()).filter(
    Boolean,
  );
  for (const hop of hops.toReversed()) {
    if (!trusted(address)) break;
    address = hop;
  }
  return { address, origin: baseUrl ?? forwardedOrigin(request, url) };
}

function forwardedOrigin(request: Request, url: URL): string {
  const protocol = request.headers.get("x-forwarded-proto")?.trim().toLowerCase();
  const host = request.headers.get("x-forwarded-host")?.trim();
  const scheme = protocol === "https" || protocol === "http" ? protocol : url.protocol.slice(0, -1);
  const candidate = `${scheme}://${host ?? url.host}`;
  return URL.canParse(candidate) ? new URL(candidate).origin : url.origin;
}

/** A name, an IPv4 address, or an IPv6 address in brackets, with or without a port (RFC 9110 §7.2). */
const HOST = /^(?:[\w.~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

/** Placeholder for the URL of a request whose own URL cannot be parsed. */
const UNREADABLE = "http://unreadable.invalid/";

/** A path of words and numbers, which no notation of a key has: searching it would be a part of the work of each request. */
const PLAIN_PATH = /^(?:\/[a-z][a-z_-]{0,40}|\/\d{0,19})*$/;

/** Returns the URL of a request, and the reason to refuse the request, if any. */
export function checkRequest(request: Request): { url: URL; refusal?: AppError } {
  const url = URL.parse(request.url);
  const host = request.headers.get("host");
  if (url === null || !/^https?:$/.test(url.protocol) || (host !== null && host !== "" && !HOST.test(host))) {
    return { url: new URL(UNREADABLE), refusal: badHost(host ?? request.url) };
  }
  // Both are recorded: the path in the log, the user agent with sign-ins.
  if (
    !PLAIN_PATH.test(url.pathname) && holdsKey(pathText(url)) ||
    holdsKey(request.headers.get("user-agent") ?? "")
  ) {
    return { url: new URL("/", url), refusal: new AppError("invalid", PRIVATE_KEY_MESSAGE) };
  }
  const refusal = badMethod(request.method, url) ?? badQuery(url.search) ?? badEncoding(request);
  return refusal === undefined ? { url } : { url, refusal };
}

function pathText({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Returns whether a URL belongs to the REST API. */
export function isApi({ pathname }: URL): boolean {
  return pathname === "/api" || pathname.startsWith("/api/");
}

function badHost(given: string): AppError {
  return new AppError(
    "invalid",
    `Invalid host ${JSON.stringify(given.slice(0, 100))}. Expected a host name.`,
  );
}

/**
 * Returns the error for an unknown method. The API refuses these itself, because it knows the methods of each
 * path.
 */
function badMethod(method: string, url: URL): AppError | undefined {
  if (HTTP_METHODS.has(method) || isApi(url)) return undefined;
  return new AppError("method_not_allowed", `Method "${method.slice(0, 20)}" not allowed.`, {
    headers: { allow: [...HTTP_METHODS].join(", ") },
  });
}

/**
 * Returns the error for a query string that is too long. In a list, a parameter costs more than its bytes.
 * Long queries can be sent in a body (GraphQL, bulk operations).
 */
function badQuery(search: string): AppError | undefined {
  if (search.length - 1 > MAX_QUERY_CHARS) {
    const text = `The query string is too long. Expected at most ${MAX_QUERY_CHARS} characters.`;
    return new AppError("uri_too_long", text);
  }
  let parameters = 1;
  for (let at = search.indexOf("&"); at !== -1; at = search.indexOf("&", at + 1)) parameters++;
  if (parameters > MAX_QUERY_PARAMETERS) {
    return new AppError("invalid", `Too many query parameters. Expected at most ${MAX_QUERY_PARAMETERS}.`);
  }
  return [...new URLSearchParams(search)].flat().some(holdsKey)
    ? new AppError("invalid", PRIVATE_KEY_MESSAGE)
    : undefined;
}

/** Returns the error for a compressed body: none is decompressed, because its size is limited before it is read. */
function badEncoding({ headers }: Request): AppError | undefined {
  const given = headers.get("content-encoding")?.trim() || "identity";
  if (given.toLowerCase() === "identity") return undefined;
  const text = `Unsupported content encoding ${
    JSON.stringify(given.slice(0, 100))
  }. Send the body uncompressed.`;
  // RFC 7694 §3.
  return new AppError("unsupported_media_type", text, { headers: { "accept-encoding": "identity" } });
}

/** Returns whether a text contains a private key, which an error message must not repeat. */
function holdsKey(text: string): boolean {
  return text.length >= MIN_KEY_CHARS && holdsPrivateKey(text);
}
