/** Failed sign-ins, counted by account and by address, so that nobody can try out passwords. In this process only. */

import { addressGroup } from "../base/addresses.ts";
import type { Millis } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import {
  SIGN_IN_COUNTERS,
  SIGN_IN_FAILURES_PER_ACCOUNT,
  SIGN_IN_FAILURES_PER_ADDRESS,
  SIGN_IN_WINDOW_MS,
} from "../base/limits.ts";
import type { Database } from "../db/mod.ts";

interface Counter {
  count: number;
  readonly until: Millis;
}

type Counters = Map<string, Counter>;

const allCounters = new WeakMap<Database, { accounts: Counters; addresses: Counters }>();

/** Characters of a username that tell accounts apart; longer ones exist nowhere. */
const COUNTED_CHARS = 200;

/** An attempt that has begun: it counts as failed until it is said to have been something else. */
export interface Attempt {
  /** The password was right. */
  succeed(): void;
  /** It was never looked at. */
  withdraw(): void;
}

/**
 * Counts an attempt before its password is looked at, so that many at once count as many.
 * Errors: rate_limited, with the seconds to wait in `Retry-After`.
 */
export function beginAttempt(
  { database, now }: { database: Database; now: Millis },
  { username, address }: { username: string; address: string | null },
): Attempt {
  const counters = allCounters.get(database) ?? { accounts: new Map(), addresses: new Map() };
  allCounters.set(database, counters);
  const account = username.toLowerCase().slice(0, COUNTED_CHARS);
  const byAddress = counterOf(counters.addresses, address === null ? "" : addressGroup(address), now);
  refuseBeyond(byAddress, { most: SIGN_IN_FAILURES_PER_ADDRESS, now });
  const byAccount = counterOf(counters.accounts, account, now);
  refuseBeyond(byAccount, { most: SIGN_IN_FAILURES_PER_ACCOUNT, now });
  byAddress.count++;
  byAccount.count++;
  return {
    // The address gets back no more than this attempt: an own account must not open a way to try out others.
    succeed(): void {
      byAddress.count--;
      counters.accounts.delete(account);
    },
    withdraw(): void {
      byAddress.count--;
      byAccount.count--;
    },
  };
}

function counterOf(counters: Counters, name: string, now: Millis): Counter {
  const known = counters.get(name);
  if (known !== undefined && known.until > now) return known;
  const fresh = { count: 0, until: now + SIGN_IN_WINDOW_MS };
  counters.delete(name);
  counters.set(name, fresh);
  if (counters.size > SIGN_IN_COUNTERS) counters.delete(counters.keys().next().value as string);
  return fresh;
}

function refuseBeyond({ count, until }: Counter, { most, now }: { most: number; now: Millis }): void {
  if (count < most) return;
  const seconds = Math.ceil((until - now) / 1000);
  throw new AppError("rate_limited", `Request was throttled. Expected available in ${seconds} seconds.`, {
    headers: { "Retry-After": String(seconds) },
  });
}
