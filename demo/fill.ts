/** Fills a database with the demo inventory. */

import { sql } from "drizzle-orm";
import type { Context } from "../src/auth/mod.ts";
import { type Millis, startOfDay } from "../src/base/clock.ts";
import { FIRST_USERNAME, firstAdmin } from "../src/domain/accounts/tokens/first_admin.ts";
import { changePassword } from "../src/domain/accounts/users/change_password.ts";
import { readTrustFile } from "../src/domain/trust/mod.ts";
import { planEndpoints } from "./endpoints.ts";
import { playHistory } from "./history.ts";
import { authorityBodies, makeIssuers, trustData } from "./issuers.ts";
import { updateObject } from "../src/resource/mod.ts";
import { makePeople, resource } from "./people.ts";
import { HISTORY_DAYS, planCertificates } from "./plan.ts";
import { seeded } from "./random.ts";
import { makeReferences } from "./references.ts";
import { makeServed } from "./served.ts";
import { contextOf, type DemoState, type SetClock, setTime } from "./state.ts";

/** Options of the demo inventory. */
export interface DemoOptions {
  /** The date on which the inventory ends. */
  readonly now: Millis;
  /** The same seed gives the same names, dates and events; keys, and so signatures and fingerprints, are new. */
  readonly seed: string;
  /** Password of all users; that of an existing `admin` is changed. */
  readonly password: string;
  /** Takes only every nth name, for tests; absent: all. */
  readonly every?: number;
  readonly progress?: (done: number, of: number) => void;
}

/** Result of the demo. */
export interface Demo {
  readonly certificates: number;
  readonly changes: number;
  /** Key of the administrator's API token; absent if `admin` existed already. */
  readonly token?: string;
  /** Trust data by which the roots of the demo's public authorities count as public. */
  readonly trust: string;
}

/** Returns whether the database is still empty, except for the superuser that the first start creates. */
export async function isFresh({ database }: Pick<Context, "database">): Promise<boolean> {
  const [row] = await database.all<{ found: number }>(
    sql`SELECT EXISTS (SELECT 1 FROM certificates) OR EXISTS (SELECT 1 FROM tenants)
      OR EXISTS (SELECT 1 FROM users WHERE username <> ${FIRST_USERNAME} OR NOT is_superuser) AS found`,
  );
  return row?.found === 0;
}

/**
 * Fills a fresh database through the operations, with a clock that runs through the last {@link HISTORY_DAYS} days.
 */
export async function fillDemo(service: Context, options: DemoOptions): Promise<Demo> {
  const { now, seed, password, progress, every = 1 } = options;
  const clock: SetClock = { at: now, now: () => clock.at };
  setTime({ clock, now }, -HISTORY_DAYS, 0);
  const issuers = await makeIssuers(startOfDay(now));
  const trust = trustData(issuers);
  const { distrust } = readTrustFile(trust);
  const settings = { ...service.settings, distrust: () => distrust };
  const ctx = contextOf({ ...service, settings }, { actor: service.actor, clock });
  const admin = await firstAdmin({ ctx, password });
  await setAdmin(ctx, admin === undefined ? password : undefined);
  const random = seeded(seed);
  const endpoints = planEndpoints(random).filter((_, index) => index % every === 0);
  const people = await makePeople({ ctx, clock, password });
  const targets = await makeReferences(ctx, { endpoints, authorities: authorityBodies(issuers) });
  const demo: DemoState = {
    ctx,
    people,
    clock,
    now,
    issuers,
    plan: planCertificates(endpoints, random),
    targets,
    random,
    stored: new Map(),
    requests: new Map(),
    completed: new Set(),
    live: new Set(),
  };
  await playHistory(demo, (day) => progress?.(HISTORY_DAYS + day + 1, HISTORY_DAYS + 1));
  clock.at = now;
  await makeServed(demo);
  return { ...await counts(ctx), trust, ...(admin === undefined ? {} : { token: admin.token }) };
}

/** Gives `admin` an address; the one that an earlier start created gets the printed password, which is everyone's. */
async function setAdmin(ctx: Context, password: string | undefined): Promise<void> {
  const [admin] = await ctx.database.all<{ id: number }>(
    sql`SELECT id FROM users WHERE username = ${FIRST_USERNAME}`,
  );
  if (admin === undefined) return;
  await updateObject({
    ctx,
    resource: resource("users.user"),
    id: admin.id,
    input: { email: `${FIRST_USERNAME}@aldgate.example` },
    mode: "patch",
  });
  if (password !== undefined) await changePassword({ ctx, input: { userId: admin.id, password } });
}

async function counts({ database }: Context): Promise<Pick<Demo, "certificates" | "changes">> {
  const [row] = await database.all<{ certificates: number; changes: number }>(
    sql`SELECT (SELECT count(*) FROM certificates) AS certificates,
      (SELECT count(*) FROM object_changes) AS changes`,
  );
  return row as { certificates: number; changes: number };
}
