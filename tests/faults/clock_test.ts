/** A clock that jumps by a day and back: responses follow it, stored data stay, and jobs continue. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../src/base/clock.ts";
import { runDueJobs } from "../../src/domain/system/jobs/jobs.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";

const { certificates } = PATHS;

async function runs(app: TestApp): Promise<string[]> {
  const done: string[] = [];
  const jobs = ["one", "two"].map((name) => ({
    name,
    intervalMs: 3_600_000,
    run: (): Promise<object> => Promise.resolve({ n: done.push(name) }),
  }));
  await runDueJobs(() => app.ctx, { jobs, owner: "a node" });
  return done;
}

Deno.test("after the clock was a day ahead, each job runs again within its interval, not a day later", async () => {
  await using app = await testApp();
  assert.deepEqual(await runs(app), ["one", "two"]);
  app.clock.advance(DAY_MS);
  assert.deepEqual(await runs(app), ["one", "two"]);
  app.clock.advance(-DAY_MS);
  assert.deepEqual(await runs(app), ["one", "two"]);
  assert.deepEqual(await runs(app), []);
  app.clock.advance(3_600_000);
  assert.deepEqual(await runs(app), ["one", "two"]);
});

Deno.test("a token that expires tomorrow is refused while the clock is ahead, and accepted when the clock is correct again", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await app.database.write((tx) => tx.run(sql`UPDATE tokens SET expires = ${TEST_NOW + DAY_MS / 2}`));
  const status = async (): Promise<number> => {
    const response = await client("/api/status/");
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await status(), 200);
  app.clock.advance(DAY_MS);
  assert.equal(await status(), 401);
  app.clock.advance(-DAY_MS);
  assert.equal(await status(), 200);
});

Deno.test("versions keep their order when the clock jumps, and cached expiries are read again", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const json = async (path: string, body?: unknown, method = "POST"): Promise<Record<string, unknown>> => {
    const response = await client(path, body === undefined ? {} : { method, body });
    assert(response.ok, `${method} ${path} → ${response.status}`);
    return await response.json();
  };
  const valid_to = new Date(TEST_NOW + DAY_MS / 2).toISOString();
  const { id } = await json(certificates, metadata(77, { valid_from: "2020-01-01", valid_to }));
  const path = `${certificates}${id}/`;
  const before = await json(path);
  assert.notEqual(before.expiry_status, "expired");
  app.clock.advance(DAY_MS);
  assert.equal((await json(path)).expiry_status, "expired");
  const ahead = await json(path, { private_key_location: "ahead" }, "PATCH");
  app.clock.advance(-DAY_MS);
  const back = await json(path, { private_key_location: "back" }, "PATCH");
  assert.equal(back.expiry_status, before.expiry_status);
  assert.equal(back.private_key_location, "back");
  const stamps = [before, ahead, back].map(({ last_updated }) => Date.parse(String(last_updated)));
  assert.deepEqual(stamps, stamps.toSorted((a, b) => a - b), "A later version has a later stamp");
  assert.equal(new Set(stamps).size, 3);
});
