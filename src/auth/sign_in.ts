/**
 * Sign-in with username and password. Failures are limited by account and by address, so that passwords cannot be
 * guessed and nobody can lock other users out of their accounts. Counters are in memory. The workers of a service
 * send their counts to each other.
 */

import { eq } from "drizzle-orm";
import { addressGroup } from "../base/addresses.ts";
import { sha256Hex } from "../base/bytes.ts";
import type { Clock, Millis } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { SIGN_IN_FAILURES_PER_ACCOUNT, SIGN_IN_WINDOW_MS } from "../base/limits.ts";
import { dropOldest } from "../base/memoize.ts";
import type { Peers } from "../base/peers.ts";
import { type Database, perDatabase, select, update } from "../db/mod.ts";
import { users } from "../db/schema/mod.ts";
import type { AccountSource } from "./accounts.ts";
import { unauthenticated } from "./authenticate.ts";
import { verifyPassword } from "./passwords.ts";

/**
 * Number of failed sign-ins of an account from all addresses in that window after which more are delayed.
 * They are not refused, because then anyone could lock out the owner of an account.
 */
export const SIGN_IN_FAILURES_BEFORE_DELAY = 200;
export const SIGN_IN_DELAY_MS = 2_000;
/**
 * Maximum number of failed sign-ins from an address (IPv6: a /64) in that window. All users of an office
 * share an address.
 */
export const SIGN_IN_FAILURES_PER_ADDRESS = 50;
/**
 * Maximum number of entries per table of counters: accounts, addresses, and pairs that signed in
 * successfully.
 */
const SIGN_IN_COUNTERS = 10_000;

interface Counter {
  count: number;
  readonly until: Millis;
}

type Counters = Map<string, Counter>;

/** The counters of a database. A pair is an account and an address. */
interface SignInHistory {
  readonly accounts: Counters;
  readonly addresses: Counters;
  readonly pairs: Counters;
  /** Pairs that signed in successfully, least recent first. */
  readonly succeeded: Set<string>;
  /** Sends a step to the other workers; absent if there are none. */
  report?: (step: AttemptStep) => void;
}

const historyOf = perDatabase((): SignInHistory => ({
  accounts: new Map(),
  addresses: new Map(),
  pairs: new Map(),
  succeeded: new Set(),
}));

/** A step of an attempt, as workers send it to each other. */
interface AttemptStep {
  readonly step: "begin" | "succeed" | "withdraw";
  readonly account: string;
  /** The client's address, or its network. */
  readonly group: string;
}

/** Also counts the attempts at the other workers of this service. */
export function shareAttempts({ database, clock }: { database: Database; clock: Clock }, peers: Peers): void {
  const known = historyOf(database);
  known.report = (step) => peers.notify("sign-in", step);
  peers.on("sign-in", (value) => countStep(known, value as AttemptStep, clock.now()));
}

/** Counts a step of an attempt at another worker. */
function countStep(known: SignInHistory, { step, account, group }: AttemptStep, now: Millis): void {
  const pair = `${group} ${account}`;
  const counters = [counterOf(known.addresses, group, now), counterOf(known.accounts, account, now)];
  // The window may have ended since the attempt began.
  for (const counter of counters) counter.count = Math.max(0, counter.count + (step === "begin" ? 1 : -1));
  if (step === "succeed") {
    known.pairs.delete(pair);
    remember(known.succeeded, pair);
    return;
  }
  const byPair = counterOf(known.pairs, pair, now);
  byPair.count = Math.max(0, byPair.count + (step === "begin" ? 1 : -1));
}

/** Number of significant characters of a username; no stored one is longer. */
const COUNTED_CHARS = 200;

/** A started attempt. It counts as failed unless it succeeds or is withdrawn. */
interface Attempt {
  /**
   * Milliseconds to wait before the password is verified. Not 0 while the account is attacked from many
   * addresses.
   */
  readonly delayMs: number;
  /** Waits for `delayMs`. */
  wait(): Promise<void>;
  /**
   * Reports that the password was correct. Errors: rate_limited (several workers together have allowed more
   * concurrent attempts than the limits).
   */
  succeed(): void;
  /** Reports that the password was not verified. */
  withdraw(): void;
}

/**
 * Counts an attempt before its password is verified, so that concurrent attempts are counted, too. Errors:
 * rate_limited, with the seconds to wait in `Retry-After`.
 */
export function beginAttempt(
  { database, now }: { database: Database; now: Millis },
  { username, address }: { username: string; address: string | null },
): Attempt {
  const known = historyOf(database);
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
  const report = (step: AttemptStep["step"]): void => known.report?.({ step, account, group });
  report("begin");
  return {
    delayMs,
    wait: () => delayed ? new Promise((resolve) => setTimeout(resolve, delayMs)) : Promise.resolve(),
    // Resets only the counter of the pair. The address keeps its failures, because signing in to an own
    // account must not allow more guesses at others. The account keeps its failures, too, because its owner's
    // sign-in must not hide the guesses of others.
    succeed(): void {
      refuseBeyond(byAddress, { most: SIGN_IN_FAILURES_PER_ADDRESS + 1, now });
      refuseBeyond(byPair, { most: SIGN_IN_FAILURES_PER_ACCOUNT + 1, now });
      report("succeed");
      byAddress.count--;
      byAccount.count--;
      known.pairs.delete(pair);
      remember(known.succeeded, pair);
    },
    withdraw(): void {
      report("withdraw");
      for (const counter of counters) counter.count--;
    },
  };
}

function counterOf(counters: Counters, name: string, now: Millis): Counter {
  const known = counters.get(name);
  if (known !== undefined && known.until > now) return known;
  const fresh = { count: 0, until: now + SIGN_IN_WINDOW_MS };
  counters.delete(name);
  counters.set(name, fresh);
  dropOldest(counters, SIGN_IN_COUNTERS);
  return fresh;
}

function remember(succeeded: Set<string>, pair: string): void {
  succeeded.delete(pair);
  succeeded.add(pair);
  dropOldest(succeeded, SIGN_IN_COUNTERS);
}

function refuseBeyond({ count, until }: Counter, { most, now }: { most: number; now: Millis }): void {
  if (count < most) return;
  const seconds = Math.ceil((until - now) / 1000);
  throw new AppError("rate_limited", `Request was throttled. Expected available in ${seconds} seconds.`, {
    headers: { "Retry-After": String(seconds) },
  });
}

/** The credentials of a sign-in, and the client's address. */
export interface SignIn {
  readonly username: string;
  readonly password: string;
  readonly address: string | null;
}

export interface KnownUser {
  readonly userId: number;
  /** Changes with the password, but does not reveal it. */
  readonly passwordMark: string;
  readonly hasSecondFactor: boolean;
}

/**
 * Verifies username and password, and returns the user. Records the time of the sign-in, unless a second
 * factor must follow. An unknown name, a wrong password and an inactive user have the same response after the
 * same time. Errors: unauthenticated, rate_limited, unavailable.
 */
export async function signIn({ database, clock }: AccountSource, credentials: SignIn): Promise<KnownUser> {
  const attempt = beginAttempt({ database, now: clock.now() }, credentials);
  await attempt.wait();
  const { id, password_hash, is_active, has_second_factor } = users;
  const [user] = await database.all(
    select({ id, password_hash, is_active, has_second_factor }).from(users)
      .where(eq(users.username, credentials.username)),
  );
  const matches = await verifyPassword(credentials.password, user?.password_hash ?? null).catch((error) => {
    attempt.withdraw();
    throw error;
  });
  if (!matches || user === undefined || user.is_active !== 1) {
    throw unauthenticated("Invalid username/password");
  }
  attempt.succeed();
  const hasSecondFactor = user.has_second_factor === 1;
  // Without a change record, because no user changed anything.
  if (!hasSecondFactor) {
    await database.write((tx) =>
      tx.run(update(users).set({ last_login: clock.now() }).where(eq(id, user.id)))
    );
  }
  return { userId: user.id, passwordMark: passwordMark(user.password_hash), hasSecondFactor };
}

/** Returns a text that changes with the password. */
export function passwordMark(hash: string | null): string {
  return sha256Hex(hash ?? "").slice(0, 16);
}
