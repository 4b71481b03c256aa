/** Decides whether a request reaches its handler. */

import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app_options.ts";
import type { Clock } from "../base/clock.ts";
import { isPreflight } from "./cors.ts";
import type { RateLimiter } from "./rate_limit.ts";

/** Addresses that monitoring polls: it is not throttled together with the clients of its address. */
export const MONITORED: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Answers preflight requests of any origin before they are counted; counts all others, and refuses those that no
 * interface can interpret. Errors: rate_limited, invalid, method_not_allowed, uri_too_long.
 */
export function admit(limit: RateLimiter, clock: Clock): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { url, refusal } = c.env;
    if (refusal === undefined && isPreflight(c)) {
      c.res = new Response(null, { status: 204 });
      return;
    }
    try {
      if (!MONITORED.has(url.pathname)) limit(c.get("client").address ?? "", clock.now());
      if (refusal !== undefined) throw refusal;
      await next();
    } catch (thrown) {
      // Hono handles errors only: anything else that is thrown is wrapped.
      throw thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
    }
  };
}
