/** Throttles clients by the number of requests in a minute from one source address. Each process counts on its own. */

import { addressGroup } from "../base/addresses.ts";
import { AppError } from "../base/errors.ts";
import { RATE_LIMIT_CLIENTS } from "../base/limits.ts";

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
