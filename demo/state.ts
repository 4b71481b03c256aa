/** State of the demo while it is created: actors, objects and the clock. */

import type { Context } from "../src/auth/mod.ts";
import { DAY_MS, type Millis } from "../src/base/clock.ts";
import type { TestKey } from "../tests/support/test_ca/mod.ts";
import type { Issuer, IssuerName } from "./issuers.ts";
import type { People } from "./people.ts";
import type { PlannedCertificate } from "./plan.ts";
import type { Random } from "./random.ts";
import type { TargetIds } from "./references.ts";

/** An adjustable clock. */
export interface SetClock {
  at: Millis;
  now(): Millis;
}

/** The database that is filled. */
export interface DemoState {
  /** The service itself. */
  readonly ctx: Context;
  readonly people: People;
  readonly clock: SetClock;
  /** The date on which the finished inventory ends. */
  readonly now: Millis;
  readonly issuers: ReadonlyMap<IssuerName, Issuer>;
  readonly plan: readonly PlannedCertificate[];
  readonly targets: TargetIds;
  readonly random: Random;
  /** Ids of what has been stored. */
  readonly stored: Map<PlannedCertificate, number>;
  /** Requests by name, with their keys. */
  readonly requests: Map<string, { readonly id: number; readonly key: TestKey }>;
  /** Ids of certificates that were given their chains later. */
  readonly completed: Set<number>;
  /** Ids of certificates that are neither replaced nor revoked. */
  readonly live: Set<number>;
}

const MINUTE_MS = 60_000;
/** The events of a day happen within this time before the hour of the end date. */
const WORKDAY_MINUTES = 120;

/** Sets the clock to a day (0 is today) and a minute of its working hours; within a day the clock never goes back. */
export function setTime({ clock, now }: Pick<DemoState, "clock" | "now">, day: number, minute: number): void {
  clock.at = now + day * DAY_MS - (WORKDAY_MINUTES - Math.min(minute, WORKDAY_MINUTES)) * MINUTE_MS;
}

/** Returns a context for one actor: what they do at the same time has the same request id. */
export function contextOf(
  service: Context,
  { actor, clock }: Pick<Context, "actor"> & { clock: SetClock },
): Context {
  let [id, at] = [crypto.randomUUID(), clock.at];
  return {
    ...service,
    clock,
    actor,
    get requestId(): string {
      if (at !== clock.at) [id, at] = [crypto.randomUUID(), clock.at];
      return id;
    },
  };
}

/** Splits a list into pieces. */
export function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from(
    { length: Math.ceil(list.length / size) },
    (_, index) => list.slice(index * size, (index + 1) * size),
  );
}
