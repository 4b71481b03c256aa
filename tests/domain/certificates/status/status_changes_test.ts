/** Changes of status: their cost, their events, and a clock that advances. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { expirySweep } from "../../../../src/domain/certificates/status/expiry_sweep.ts";
import { testApp } from "../../../support/app.ts";
import { callJson } from "../../../support/call_json.ts";
import { testClock } from "../../../support/context.ts";
import { PATHS } from "../../../support/paths.ts";
import { changesSince, lastChange, selectEveryEvent } from "../../../support/store.ts";
import { metadata, storeCertificates } from "../../../support/stored.ts";
import { TEST_NOW } from "../../../support/test_ca/mod.ts";

const UPDATE = `${PATHS.certificates}bulk-status-update/`;
const SWEEP = `${PATHS.certificates}expiry-sweep/`;

Deno.test("the statements of a bulk update do not depend on the number of certificates", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await storeCertificates(app, Array.from({ length: 60 }, (_, index) => metadata(index + 1)));
  await selectEveryEvent(app.database);
  const costs: number[] = [];
  for (const some of [ids.slice(0, 1), ids.slice(1, 3), ids.slice(3)]) {
    const last = await lastChange(app.database);
    const before = app.database.statements;
    const answer = await callJson(client, UPDATE, "POST", { ids: some, status: "revoked" });
    costs.push(app.database.statements - before);
    assert.equal(answer.updated_count, some.length);
    const { changes, events } = await changesSince(app.database, last);
    assert.deepEqual(changes.map((one) => one.object_id), some);
    assert.deepEqual(events, changes);
  }
  assert.deepEqual(costs.slice(1), [costs[1], costs[1]]);
});

Deno.test("the statements of a sweep do not depend on the number of certificates, and it ends", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await callJson(client, SWEEP, "POST");
  await selectEveryEvent(app.database);
  const costs: number[] = [];
  for (const [first, count] of [[1, 2], [10, 50]] as const) {
    const bodies = Array.from(
      { length: count },
      (_, index) => metadata(first + index, { valid_to: "2026-06-15T11:00:00Z" }),
    );
    const ids = await storeCertificates(app, bodies);
    const last = await lastChange(app.database);
    const before = app.database.statements;
    assert.deepEqual(await callJson(client, SWEEP, "POST"), { expired_count: count, restored_count: 0 });
    costs.push(app.database.statements - before);
    const { changes, events } = await changesSince(app.database, last);
    assert.deepEqual(changes.map((one) => one.object_id), ids);
    assert.deepEqual(events, changes);
  }
  assert.equal(costs[0], costs[1]);
  assert.deepEqual(await callJson(client, SWEEP, "POST"), { expired_count: 0, restored_count: 0 });
});

Deno.test("a sweep that is stopped keeps its complete transactions, and the next one continues", async () => {
  await using app = await testApp();
  const bodies = Array.from(
    { length: 1_100 },
    (_, index) => metadata(index + 1, { valid_to: "2026-06-15T11:00:00Z" }),
  );
  await storeCertificates(app, bodies);
  const stopping = new AbortController();
  // Aborts at the first commit.
  const database = new Proxy(app.database, {
    get(target, name): unknown {
      const value = Reflect.get(target, name);
      if (name !== "write") return typeof value === "function" ? value.bind(target) : value;
      return async (work: Parameters<typeof target.write>[0]) => {
        const result = await target.write(work);
        stopping.abort();
        return result;
      };
    },
  });
  const { signal } = stopping;
  const stopped = await expirySweep({ ctx: { ...app.ctx, database }, signal });
  assert.deepEqual(stopped, { expired_count: 1_000, restored_count: 0 });
  // Two certificates of every test inventory have expired, too.
  assert.deepEqual(await expirySweep({ ctx: app.ctx }), { expired_count: 102, restored_count: 0 });
});

Deno.test("more certificates than one transaction takes are swept in several", async () => {
  await using app = await testApp();
  await app.database.write((tx) =>
    tx.run(
      sql`INSERT INTO certificates (common_name, serial_number, issuer, valid_from, valid_to,
            fingerprint_sha256, algorithm, created, last_updated)
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100)
          SELECT 'many-' || n, printf('%x', n), 'CN=Many', 0, ${
        TEST_NOW - 1_000
      }, '', 'rsa', 0, 0 FROM numbers`,
    )
  );
  // Includes the two of the seed.
  assert.deepEqual(await expirySweep({ ctx: app.ctx }), { expired_count: 1_102, restored_count: 0 });
});

Deno.test("certificates that expire during a sweep are left to the next one", async () => {
  await using app = await testApp();
  await storeCertificates(app, [metadata(1, { valid_to: "2026-06-15T12:00:05Z" })]);
  const clock = testClock(TEST_NOW - 10_000);
  const hurried = {
    now: (): number => {
      clock.advance(10_000);
      return clock.now();
    },
  };
  assert.deepEqual(await expirySweep({ ctx: { ...app.ctx, clock: hurried } }), {
    expired_count: 2,
    restored_count: 0,
  });
  assert.deepEqual(await expirySweep({ ctx: { ...app.ctx, clock: hurried } }), {
    expired_count: 1,
    restored_count: 0,
  });
});

Deno.test("a sweep whose transaction has to be started anew counts each certificate once", async () => {
  await using app = await testApp();
  const { database } = app;
  const again = new Error("Started anew");
  const contended = new Proxy(database, {
    get(target, name): unknown {
      const value = Reflect.get(target, name);
      if (name !== "write") return typeof value === "function" ? value.bind(target) : value;
      return async (work: Parameters<typeof target.write>[0]) => {
        const lost = target.write(async (tx) => {
          await work(tx);
          throw again;
        });
        await assert.rejects(lost, again);
        return await target.write(work);
      };
    },
  });
  assert.deepEqual(await expirySweep({ ctx: { ...app.ctx, database: contended } }), {
    expired_count: 2,
    restored_count: 0,
  });
});
