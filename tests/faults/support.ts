/** An application on a database that is about to fail, and what must be true of its refusals. */

import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { MAX_BODY_BYTES } from "../../src/config/defaults.ts";
import type { Database } from "../../src/db/mod.ts";
import { signIn } from "../support/actors.ts";
import { type Ask, requestOf } from "../support/app.ts";
import { testClock, testContext } from "../support/context.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  /** All others. */
  readonly headers?: Headers;
}

/** Sends one request. */
export type Send = (path: string, ask?: Ask) => Promise<Answer>;

/** An application as its superuser meets it. */
export async function superuserOn(database: Database): Promise<Send> {
  return sendTo(database, await signIn(database, "superuser", TEST_NOW));
}

/** Another application on the same database, for a user who exists already. */
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

/** Whether this is a refusal that says what is wrong and when to come again. */
export function assertUnavailable({ status, retryAfter, text }: Answer, detail: RegExp): void {
  assert.equal(status, 503, text);
  assert.equal(retryAfter, "5");
  assert.match(JSON.parse(text).detail, detail);
}
