/** Decides whether a request reaches its handler, and throttles clients. */

import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app_options.ts";
import type { Clock } from "../base/clock.ts";
import { isPreflight } from "./headers.ts";
import { addressGroup } from "../base/addresses.ts";
import { AppError } from "../base/errors.ts";
import type { Peers } from "../base/peers.ts";

/** Maximum number of clients whose requests are counted; the least recent one is evicted. */
export const RATE_LIMIT_CLIENTS = 10_000;

/** Paths that monitoring polls. It is not throttled together with the clients of its address. */
export const MONITORED: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Answers preflight requests of all origins before they are counted. Counts all other requests, and refuses
 * those that no interface can interpret. Errors: rate_limited, invalid, method_not_allowed, uri_too_long.
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
      // Hono only handles errors, so anything else that is thrown is wrapped.
      throw thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
    }
  };
}

const WINDOW_MS = 60_000;

/** Counts a request from an address. The addresses of an IPv6 /64 are one client. Errors: rate_limited. */
export type RateLimiter = (address: string, now: number) => void;

/** Interval at which workers send each other what they have counted, in milliseconds. */
const NOTIFY_MS = 500;

/** What the limiters of several workers need to count together. */
export interface SharedCounting {
  readonly peers: Peers;
  readonly clock: Clock;
}

/**
 * Creates a limiter of `limit` requests per minute at all workers of the service together; 0 for no limit.
 */
export function createRateLimiter(limit: number, shared?: SharedCounting): RateLimiter {
  const windows = new Map<string, { start: number; count: number }>();
  if (limit === 0) return () => {};
  const count = (client: string, now: number, requests: number): { start: number; count: number } => {
    const known = windows.get(client);
    const window = known === undefined || now - known.start >= WINDOW_MS ? { start: now, count: 0 } : known;
    window.count += requests;
    windows.delete(client);
    windows.set(client, window);
    const [oldest = client] = windows.size > RATE_LIMIT_CLIENTS ? windows.keys() : [];
    if (oldest !== client) windows.delete(oldest);
    return window;
  };
  const note = shared === undefined ? () => {} : shareCounts(shared, count);
  return (address, now) => {
    const client = addressGroup(address);
    const window = count(client, now, 1);
    note(client);
    if (window.count <= limit) return;
    const seconds = Math.max(1, Math.ceil((window.start + WINDOW_MS - now) / 1000));
    throw new AppError(
      "rate_limited",
      `Request was throttled: more than ${limit} requests in a minute. Expected available in ${seconds} seconds.`,
      { headers: { "retry-after": String(seconds) } },
    );
  };
}

/** Sends what is counted to the other workers a few times per second, and adds what they send. */
function shareCounts(
  { peers, clock }: SharedCounting,
  count: (client: string, now: number, requests: number) => void,
): (client: string) => void {
  const unsent = new Map<string, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  peers.on("requests", (value) => {
    const now = clock.now();
    for (const [client, requests] of value as [string, number][]) count(client, now, requests);
  });
  return (client) => {
    unsent.set(client, (unsent.get(client) ?? 0) + 1);
    timer ??= setTimeout(() => {
      timer = undefined;
      peers.notify("requests", [...unsent]);
      unsent.clear();
    }, NOTIFY_MS);
  };
}
