/** Several processes on one database, and the work of a process that ends. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DELIVERY_LEASE_MS } from "../../../../src/base/limits.ts";
import { openFileDatabase } from "../../../../src/db/file_client.ts";
import type { Database, Transaction } from "../../../../src/db/mod.ts";
import { drainOnce } from "../../../../src/domain/webhooks/sending/deliver.ts";
import { testClock, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { addWebhook, changeOf, commit, deliveries, drain, receiver, webhook } from "./support.ts";
import { DELIVERY_SLOTS, DELIVERY_SLOTS_PER_HOST } from "../../../../src/domain/webhooks/sending/claim.ts";

/** Returns a receiver that answers when it is released. */
function held(): { answer: () => Promise<number>; letGo: () => void } {
  const { promise, resolve } = Promise.withResolvers<number>();
  return { answer: () => promise, letGo: () => resolve(204) };
}

function rest(): Promise<void> {
  return new Promise((done) => setTimeout(done, 50));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 5));
}

Deno.test("two processes share the work, and nothing is sent twice", async () => {
  await using database = await testDatabase();
  const other = await openFileDatabase({ path: database.path });
  try {
    const ctx = testContext({ database });
    await addWebhook(database);
    await commit(ctx, ...Array.from({ length: 60 }, (_, index) => changeOf(index + 1)));
    const one = receiver(() => rest().then(() => 204));
    const two = receiver(() => rest().then(() => 204));
    await Promise.all([drain(ctx, one), drain({ ...ctx, database: other }, two)]);
    const ids = [...one.requests, ...two.requests].map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual([ids.length, new Set(ids).size], [60, 60]);
    assert.ok(one.requests.length > 0 && two.requests.length > 0);
  } finally {
    other.close();
  }
});

Deno.test("a message that a process was sending when it died is sent by another after the lease, with the same id", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  await addWebhook(database);
  await commit(ctx, changeOf(1, "create"), changeOf(1));
  const { answer, letGo } = held();
  const dying = receiver(answer);
  const dead = drain(ctx, dying);
  await until(() => dying.requests.length > 0);
  const heir = receiver();
  clock.advance(DELIVERY_LEASE_MS - 1);
  assert.equal(await drain(ctx, heir), 0);
  clock.advance(1);
  assert.equal(await drain(ctx, heir), 2);
  assert.deepEqual(heir.bodies.map(({ event }) => event), ["created", "updated"]);
  assert.equal(heir.requests[0]?.headers["webhook-id"], dying.requests[0]?.headers["webhook-id"]);
  const after = await deliveries(database);
  // A process whose result is late no longer decides the outcome.
  letGo();
  await dead;
  assert.deepEqual(await deliveries(database), after);
  assert.deepEqual(after.map(({ attempts }) => attempts), [2, 1]);
});

Deno.test("events that two processes dispatch at the same time become one message each", async () => {
  await using database = await testDatabase();
  const other = await openFileDatabase({ path: database.path });
  try {
    const ctx = testContext({ database });
    await addWebhook(database);
    await commit(ctx, ...Array.from({ length: 50 }, (_, index) => changeOf(index % 10 + 1)));
    const none = receiver();
    await Promise.all([drainOnce(ctx, 0, none), drainOnce({ ...ctx, database: other }, 0, none)]);
    const rows = await database.all(
      sql`SELECT outbox_id, count(*) AS n FROM webhook_deliveries GROUP BY 1 HAVING n > 1`,
    );
    assert.deepEqual(rows, []);
    assert.equal((await deliveries(database)).length, 50);
  } finally {
    other.close();
  }
});

Deno.test("a host is sent four messages at a time, and all hosts together sixteen", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  for (let host = 0; host < 6; host++) {
    const names = ["a", "b"].map((path) => ({
      name: `${host}${path}`,
      payload_url: `https://h${host}.example/${path}`,
    }));
    for (const own of names) await addWebhook(database, own);
  }
  await commit(ctx, ...Array.from({ length: 10 }, (_, index) => changeOf(index + 1)));
  const open = new Map<string, number>();
  let most = 0;
  // Answers some time after the maximum number is open, so that further ones would arrive in the meantime.
  let full: Promise<void> | undefined;
  const slow = receiver(async ({ url }) => {
    const { hostname } = new URL(url);
    open.set(hostname, (open.get(hostname) ?? 0) + 1);
    most = Math.max(most, open.get(hostname) as number);
    await (full ??= until(() => slow.most >= DELIVERY_SLOTS).then(rest));
    open.set(hostname, (open.get(hostname) as number) - 1);
    return 204;
  });
  assert.equal(await drain(ctx, slow), 120);
  assert.deepEqual([most, slow.most], [DELIVERY_SLOTS_PER_HOST, DELIVERY_SLOTS]);
  // Results that arrive while others are being stored are stored, too.
  assert.ok(
    (await deliveries(database)).every(({ state, lease_owner }) => state === "delivered" && !lease_owner),
  );
});

Deno.test("no more messages are begun than a caller asks for", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database);
  await commit(ctx, ...Array.from({ length: 10 }, (_, index) => changeOf(index + 1)));
  assert.equal(await drain(ctx, receiver(), 3), 3);
  assert.equal((await deliveries(database)).filter(({ state }) => state === "delivered").length, 3);
});

Deno.test("a webhook that is tried again is tried by one process only", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const id = await addWebhook(database, { failure_count: 20, probe_at: 0 });
  await commit(ctx, ...Array.from({ length: 5 }, (_, index) => changeOf(index + 1)));
  const { answer, letGo } = held();
  const first = receiver(answer);
  const trying = drain(ctx, first);
  await until(() => first.requests.length > 0);
  assert.equal(await drain(ctx, receiver()), 0);
  assert.equal(first.requests.length, 1);
  letGo();
  await trying;
  assert.equal((await webhook(database, id)).failure_count, 0);
});

Deno.test("results that arrive while others are being stored are stored as well", async () => {
  await using database = await testDatabase();
  const slow: Database = {
    kind: database.kind,
    statements: 0,
    all: (query) => database.all(query),
    batch: (queries) => database.batch(queries),
    async write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      const result = await database.write(work);
      await new Promise((done) => setTimeout(done, 20));
      return result;
    },
    close: () => {},
  };
  const ctx = testContext({ database: slow });
  await addWebhook(database);
  await commit(testContext({ database }), ...Array.from({ length: 12 }, (_, index) => changeOf(index + 1)));
  let delay = 0;
  await drain(
    ctx,
    receiver(() => new Promise((done) => setTimeout(() => done(204), delay = (delay + 7) % 30))),
  );
  const states = (await deliveries(database)).map(({ state, attempts }) => `${state} ${attempts}`);
  assert.deepEqual(states, Array(12).fill("delivered 1"));
});

Deno.test("a message that was released by the last outcome is sent in the same drain, however fast the clock runs", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ticking = {
    ...clock,
    now: () => {
      clock.advance(1);
      return clock.now();
    },
  };
  const ctx = testContext({ database, clock: ticking });
  await addWebhook(database);
  await commit(ctx, changeOf(1, "create"), changeOf(1));
  const target = receiver();
  assert.equal(await drain(ctx, target), 2);
  assert.deepEqual(target.bodies.map(({ event }) => event), ["created", "updated"]);
});
