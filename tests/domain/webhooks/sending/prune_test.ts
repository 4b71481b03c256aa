/** Deletion of old messages and events, and the random part of pauses. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../../../src/base/clock.ts";
import { PRUNE_BATCH } from "../../../../src/base/limits.ts";
import type { Database } from "../../../../src/db/mod.ts";
import { drainOnce } from "../../../../src/domain/webhooks/sending/deliver.ts";
import { pruneDeliveries } from "../../../../src/domain/webhooks/deliveries/prune_deliveries.ts";
import { testClock, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { addWebhook, changeOf, commit, deliveries, drain, receiver } from "./support.ts";

Deno.test("messages and events are removed after 30 days, those of the last 30 days stay", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  await addWebhook(database);
  await commit(ctx, changeOf(1));
  await drain(ctx, receiver());
  clock.advance(30 * DAY_MS);
  await commit(ctx, changeOf(2));
  await drain(ctx, receiver());
  assert.deepEqual(await pruneDeliveries({ ctx }), { deliveries: 0, unsent: 0, events: 0 });
  clock.advance(1);
  assert.deepEqual(await pruneDeliveries({ ctx }), { deliveries: 1, unsent: 0, events: 1 });
  assert.deepEqual((await deliveries(database)).map(({ object_id }) => object_id), [2]);
});

Deno.test("events that have not been dispatched stay, however old they are", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  await commit(ctx, changeOf(1));
  clock.advance(100 * DAY_MS);
  assert.deepEqual(await pruneDeliveries({ ctx }), { deliveries: 0, unsent: 0, events: 0 });
});

Deno.test("messages that waited for a removed message wait no longer", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  await addWebhook(database);
  await commit(ctx, changeOf(1, "create"));
  await drain(ctx, receiver(), 0);
  await database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 0`));
  clock.advance(20 * DAY_MS);
  await database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 1`));
  await commit(ctx, changeOf(1));
  await drain(ctx, receiver(), 0);
  assert.equal((await deliveries(database))[1]?.next_attempt, null);
  clock.advance(11 * DAY_MS);
  assert.deepEqual(await pruneDeliveries({ ctx }), { deliveries: 1, unsent: 1, events: 1 });
  const received = receiver();
  await drain(ctx, received);
  assert.deepEqual(received.bodies.map(({ event }) => event), ["updated"]);
});

Deno.test("a job that stops between two steps leaves no message that waits for ever", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const id = await addWebhook(database);
  const old = clock.now() - 31 * DAY_MS;
  // The first message and its successor are about the same object, with more messages than one step between them.
  await database.write((tx) =>
    tx.run(
      sql`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n <= ${PRUNE_BATCH})
        INSERT INTO webhook_deliveries (webhook_id, event_id, object_type, object_id, event, next_attempt, body, created,
          last_updated)
        SELECT ${id}, 'msg_' || n, 'certmgr.certificate', n, 'created', 0, '{}', ${old}, 0 FROM n`,
    )
  );
  await commit(ctx, changeOf(1));
  await drain(ctx, receiver(), 0);
  assert.equal((await deliveries(database)).at(-1)?.next_attempt, null);
  const stopping = new AbortController();
  const between: Database = {
    kind: database.kind,
    statements: 0,
    all: (query) => database.all(query),
    batch: (queries) => database.batch(queries),
    write: (work) => database.write(work).finally(() => stopping.abort()),
    close: () => {},
  };
  const { deliveries: removed } = await pruneDeliveries({
    ctx: { ...ctx, database: between },
    signal: stopping.signal,
  });
  assert.equal(removed, PRUNE_BATCH);
  assert.equal((await deliveries(database)).at(-1)?.next_attempt, clock.now());
});

Deno.test("more than one step of old messages is removed", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const id = await addWebhook(database);
  await database.write((tx) =>
    tx.run(
      sql`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n <= ${PRUNE_BATCH})
        INSERT INTO webhook_deliveries (webhook_id, event_id, object_type, object_id, event, state, created, last_updated)
        SELECT ${id}, 'msg_' || n, 'certmgr.certificate', n, 'updated', 'delivered', 0, 0 FROM n`,
    )
  );
  assert.deepEqual(await pruneDeliveries({ ctx }), { deliveries: PRUNE_BATCH + 1, unsent: 0, events: 0 });
});

Deno.test("a pause is lengthened at random by at most a tenth, never shortened", async () => {
  for (const [random, pause] of [[0, 5_000], [0.5, 5_250], [1, 5_500]] as const) {
    await using database = await testDatabase();
    const ctx = testContext({ database });
    await addWebhook(database);
    await commit(ctx, changeOf(1));
    await drainOnce(ctx, 10, { send: receiver(() => 500).send, random: () => random });
    assert.equal((await deliveries(database))[0]?.next_attempt, ctx.clock.now() + pause);
  }
});
