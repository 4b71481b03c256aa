/** CORS (Fetch standard): lets the pages of configured origins call the API. */

import type { Context } from "hono";
import type { AppEnv } from "../app_options.ts";
import type { Step } from "./chain.ts";

const EXPOSED_HEADERS = "age, etag, location, retry-after, warning, x-request-id";
const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": "authorization, content-type, if-match, if-none-match",
  "access-control-max-age": "600",
};

/** Adds CORS headers to responses to configured origins. Their pages send a token in a header; cookies are not allowed. */
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

/** Whether a browser asks what a page of another origin may send. */
export function isPreflight(c: Context<AppEnv>): boolean {
  return c.req.method === "OPTIONS" && c.req.header("access-control-request-method") !== undefined;
}
