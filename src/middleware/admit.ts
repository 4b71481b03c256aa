/** Decides whether a request reaches its handler, and throttles clients. */

import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app_options.ts";
import type { Clock } from "../base/clock.ts";
import { isPreflight } from "./headers.ts";
import { addressGroup } from "../base/addresses.ts";
import { AppError } from "../base/errors.ts";

/** Clients whose requests are counted; the least recent one is evicted. */
export const RATE_LIMIT_CLIENTS = 10_000;

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

const WINDOW_MS = 60_000;

/** Counts a request from an address; the addresses of one IPv6 /64 are one client. Errors: rate_limited. */
export type RateLimiter = (address: string, now: number) => void;

/** Creates a limiter of `limit` requests in each minute; 0 never limits. */
export function createRateLimiter(limit: number): RateLimiter {
  const windows = new Map<string, { start: number; count: number }>();
  if (limit === 0) return () => {};
  return (address, now) => {
    const client = addressGroup(address);
    const known = windows.get(client);
    const window = known === undefined || now - known.start >= WINDOW_MS ? { start: now, count: 0 } : known;
    window.count++;
    windows.delete(client);
    windows.set(client, window);
    if (windows.size > RATE_LIMIT_CLIENTS) windows.delete(windows.keys().next().value as string);
    if (window.count <= limit) return;
    const seconds = Math.max(1, Math.ceil((window.start + WINDOW_MS - now) / 1000));
    throw new AppError(
      "rate_limited",
      `Request was throttled: more than ${limit} requests in a minute. Expected available in ${seconds} seconds.`,
      { headers: { "retry-after": String(seconds) } },
    );
  };
}
