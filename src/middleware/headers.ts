/** Headers of every response, unless its handler sets them itself, and CORS (Fetch standard). */

import type { Context } from "hono";
import type { AppEnv } from "../app_options.ts";
import { API_HEADERS } from "../rest/mod.ts";

/** Completes a response after its handler. */
export type Step = (c: Context<AppEnv>) => Promise<void> | void;

/** Headers of GraphQL's responses: those of the API without its version. */
const { "api-version": _, ...DATA_HEADERS } = API_HEADERS;
const API = Object.entries(API_HEADERS);
const DATA = Object.entries(DATA_HEADERS);
const PLAIN = Object.entries({ "x-content-type-options": "nosniff" });

/** Adds the request id and security headers. */
export function defaultHeaders(): Step {
  return (c) => {
    const { headers } = c.res;
    headers.set("x-request-id", c.get("requestId"));
    for (const [name, value] of headersOf(c.env.url)) if (!headers.has(name)) headers.set(name, value);
  };
}

function headersOf({ pathname }: URL): readonly (readonly [string, string])[] {
  if (pathname.startsWith("/api")) return API;
  return pathname.startsWith("/graphql") ? DATA : PLAIN;
}

const EXPOSED_HEADERS = "etag, location, retry-after, x-request-id";
const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": "authorization, content-type, if-match, if-none-match",
  "access-control-max-age": "600",
};

/**
 * Adds CORS headers to responses for configured origins. Their pages send a token in a header; cookies are
 * not allowed.
 */
export function cors(origins: readonly string[]): Step {
  return (c) => {
    const origin = c.req.header("origin");
    if (origin === undefined || !origins.includes(origin)) return;
    const { headers } = c.res;
    headers.set("access-control-allow-origin", origin);
    headers.append("vary", "Origin");
    const others = isPreflight(c) ? PREFLIGHT_HEADERS : { "access-control-expose-headers": EXPOSED_HEADERS };
    for (const [name, value] of Object.entries(others)) headers.set(name, value);
  };
}

/** Returns whether this is a preflight request of a browser. */
export function isPreflight(c: Context<AppEnv>): boolean {
  return c.req.method === "OPTIONS" && c.req.header("access-control-request-method") !== undefined;
}
