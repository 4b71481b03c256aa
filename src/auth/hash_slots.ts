/** Password hashes wait for their turn: each one takes much memory and a core for a while. */

import { AppError } from "../base/errors.ts";
import { MAX_CONCURRENT_HASHES, MAX_WAITING_HASHES } from "../base/limits.ts";

let running = 0;
const waiting: (() => void)[] = [];

/** Runs `work` when fewer than the allowed number are running. Errors: unavailable when too many wait already. */
export async function withHashSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running < MAX_CONCURRENT_HASHES) running++;
  else await queue();
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // The place is handed on, so that nobody slips in between.
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
