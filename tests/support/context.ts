/** Contexts for tests of operations, with a clock that tests set. */

import { type Actor, actorOf, type Context, LOCAL_ONLY, SERVICE_ACTOR } from "../../src/auth/mod.ts";
import { SHIPPED_RULES } from "../../src/domain/rules/mod.ts";
import { shippedTrust } from "../../src/domain/trust/mod.ts";
import type { Clock, Millis } from "../../src/base/clock.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../src/config/settings.ts";
import type { Database } from "../../src/db/mod.ts";
import { mapOf } from "../../src/domain/registry.ts";
import { PUBLIC_ONLY } from "../../src/http/mod.ts";

/** The current time in tests: 2026-11-20T09:22:19Z. */
export const NOW: Millis = Date.UTC(2026, 10, 20, 9, 22, 19);

/** A clock that a test can advance. */
export interface TestClock extends Clock {
  advance(by: Millis): void;
}

/** Returns a clock that shows `now` until it is changed. */
export function testClock(now: Millis = NOW): TestClock {
  return {
    now: () => now,
    advance(by): void {
      now += by;
    },
  };
}

/** Returns a context of the service itself, or of an actor. Contexts with the same `clock` share their time. */
export function testContext(
  { database, actor = SERVICE_ACTOR, now = NOW, clock = testClock(now) }: {
    database: Database;
    actor?: Actor;
    now?: Millis;
    clock?: Clock;
  },
): Context {
  return {
    actor,
    database,
    clock,
    settings: {
      defaultPageSize: DEFAULT_PAGE_SIZE,
      maxPageSize: MAX_PAGE_SIZE,
      bulkImportMaxBatchSize: 100,
      importMaxRows: 10_000,
      importFileMaxBytes: 5 * 1024 * 1024,
      maxExportSize: 1_000,
      maxTokensPerUser: 50,
      maxFeedsPerUser: 50,
      changelogRetentionDays: 0,
      evaluationTime: 0,
      probing: {
        allowedNetworks: ["10.0.0.0/8", "127.0.0.0/8"],
        concurrency: 8,
        discover: "create",
        retentionDays: 400,
      },
      renewalInfo: "on",
      revocation: { mode: "in_use", allowedNetworks: ["127.0.0.0/8"] },
      criticalDays: 14,
      warningDays: 30,
      expiryNotices: ["30d", "14d", "7d", "1d"],
      chainRequireRoot: false,
      publicRoots: () => [],
      distrust: () => shippedTrust().distrust,
      rules: SHIPPED_RULES,
      allowedTargets: PUBLIC_ONLY,
      mailConfigured: true,
      signIn: LOCAL_ONLY,
    },
    log: { log: () => {} },
    requestId: "test-request",
    baseUrl: "https://certmgr.example",
    mapOf,
  };
}

/** Returns the same context for a user, with the permissions stored in the database. */
export async function contextOf(ctx: Context, userId: number): Promise<Context> {
  const actor = await actorOf(ctx, userId);
  if (actor === undefined) throw new Error(`User ${userId} is absent or inactive`);
  return { ...ctx, actor };
}
