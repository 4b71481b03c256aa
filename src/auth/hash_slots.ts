/** Limits concurrent password hashes: each one takes tens of megabytes and a core for a tenth of a second. */

import { AppError } from "../base/errors.ts";
import { MAX_CONCURRENT_HASHES, MAX_WAITING_HASHES } from "../base/limits.ts";

let running = 0;
const waiting: (() => void)[] = [];

/** Runs `work` as soon as a slot is free. Errors: unavailable when too many calls are waiting. */
export async function withHashSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running < MAX_CONCURRENT_HASHES) running++;
  else await queue();
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // The slot is passed on directly, so that calls are served in order.
    if (next === undefined) running--;
    else next();
  }
}

function queue(): Promise<void> {
  if (waiting.length >= MAX_WAITING_HASHES) {
    throw new AppError("unavailable", "Too many sign-ins at once. Try again in a moment.", {
      headers: { "Retry-After": "3" },
    });
  }
  return new Promise((resolve) => waiting.push(resolve));
}
