/** An application on a database that will fail, and checks of its refusals. */

import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { MAX_BODY_BYTES } from "../../src/config/settings.ts";
import type { Database } from "../../src/db/mod.ts";
import { signIn } from "../support/actors.ts";
import { type Ask, requestOf } from "../support/app.ts";
import { testClock, testContext } from "../support/context.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";

/** A response with its whole body. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  /** All other headers. */
  readonly headers?: Headers;
}

/** Sends one request. */
export type Send = (path: string, ask?: Ask) => Promise<Answer>;

/** Returns a function that sends requests to an application as a superuser. */
export async function superuserOn(database: Database): Promise<Send> {
  return sendTo(database, await signIn(database, "superuser", TEST_NOW));
}

/** Returns a function that sends requests to another application on the same database, as an existing user. */
export function sendTo(database: Database, identity: Record<string, string>): Send {
  const clock = testClock(TEST_NOW);
  const { settings } = testContext({ database, clock });
  const app = createApp({
    database,
    clock,
    settings,
    trustedProxies: [],
    corsOrigins: [],
    maxBodyBytes: MAX_BODY_BYTES,
    rateLimit: 0,
    log: { log: () => {} },
  });
  return async (path, ask) => {
    const response = await app.fetch(requestOf(path, ask, identity));
    const { status, headers } = response;
    return { status, retryAfter: headers.get("retry-after"), text: await response.text(), headers };
  };
}

/** Asserts that this is an error with its reason and a time to retry. */
export function assertUnavailable({ status, retryAfter, text }: Answer, detail: RegExp): void {
  assert.equal(status, 503, text);
  assert.equal(retryAfter, "5");
  assert.match(JSON.parse(text).detail, detail);
}
