/**
 * Failed sign-ins, counted by account and address, so that nobody can try out passwords, and nobody can lock an
 * account for others either. In this process only.
 */

import { addressGroup } from "../base/addresses.ts";
import type { Millis } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import {
  SIGN_IN_COUNTERS,
  SIGN_IN_DELAY_MS,
  SIGN_IN_FAILURES_BEFORE_DELAY,
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

/** What is known of sign-ins; a pair is an account and an address. */
interface Known {
  readonly accounts: Counters;
  readonly addresses: Counters;
  readonly pairs: Counters;
  /** Pairs that have signed in; the least recent one first. */
  readonly succeeded: Set<string>;
}

const allKnown = new WeakMap<Database, Known>();

/** Characters of a username that tell accounts apart; longer ones exist nowhere. */
const COUNTED_CHARS = 200;

/** An attempt that has begun: it counts as failed until it is said to have been something else. */
export interface Attempt {
  /** Milliseconds to wait before the password is looked at: the account is being attacked, from many addresses. */
  readonly delayMs: number;
  /** Waits that long. */
  wait(): Promise<void>;
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
  const known = knownOf(database);
  const account = username.toLowerCase().slice(0, COUNTED_CHARS);
  const group = address === null ? "" : addressGroup(address);
  const pair = `${group} ${account}`;
  const byAddress = counterOf(known.addresses, group, now);
  refuseBeyond(byAddress, { most: SIGN_IN_FAILURES_PER_ADDRESS, now });
  const byPair = counterOf(known.pairs, pair, now);
  refuseBeyond(byPair, { most: SIGN_IN_FAILURES_PER_ACCOUNT, now });
  const byAccount = counterOf(known.accounts, account, now);
  const delayed = byAccount.count >= SIGN_IN_FAILURES_BEFORE_DELAY && !known.succeeded.has(pair);
  const delayMs = delayed ? SIGN_IN_DELAY_MS : 0;
  const counters = [byAddress, byPair, byAccount];
  for (const counter of counters) counter.count++;
  return {
    delayMs,
    wait: () => delayed ? new Promise((resolve) => setTimeout(resolve, delayMs)) : Promise.resolve(),
    // The address gets back no more than this attempt: an own account must not open a way to try out others. The
    // account gets back no more either: its owner's sign-in must not hide the guesses of others.
    succeed(): void {
      byAddress.count--;
      byAccount.count--;
      known.pairs.delete(pair);
      remember(known.succeeded, pair);
    },
    withdraw(): void {
      for (const counter of counters) counter.count--;
    },
  };
}

function knownOf(database: Database): Known {
  const known = allKnown.get(database) ??
    { accounts: new Map(), addresses: new Map(), pairs: new Map(), succeeded: new Set() };
  allKnown.set(database, known);
  return known;
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

function remember(succeeded: Set<string>, pair: string): void {
  succeeded.delete(pair);
  succeeded.add(pair);
  if (succeeded.size > SIGN_IN_COUNTERS) succeeded.delete(succeeded.values().next().value as string);
}

function refuseBeyond({ count, until }: Counter, { most, now }: { most: number; now: Millis }): void {
  if (count < most) return;
  const seconds = Math.ceil((until - now) / 1000);
  throw new AppError("rate_limited", `Request was throttled. Expected available in ${seconds} seconds.`, {
    headers: { "Retry-After": String(seconds) },
  });
}
