/** From a change to its messages. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { render } from "../../../../src/db/render.ts";
import { recordChanges, recordNotices } from "../../../../src/changes/mod.ts";
import { webhooks } from "../../../../src/domain/webhooks/mod.ts";
import { DISPATCH_BATCH, dispatchEvents } from "../../../../src/domain/webhooks/sending/dispatch.ts";
import { createObject, updateObject } from "../../../../src/resource/mod.ts";
import { testContext } from "../../../support/context.ts";
import { type TestDatabase, testDatabase } from "../../../support/database.ts";
import { addWebhook, changeOf, commit, deliveries, drain, receiver } from "./support.ts";

async function outboxStates(database: TestDatabase): Promise<string[]> {
  const rows = await database.all<{ state: string }>(sql`SELECT state FROM outbox ORDER BY id`);
  return rows.map(({ state }) => state);
}

Deno.test("an event becomes one message for each webhook that selects it, and is then done", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const all = await addWebhook(database);
  const deletions = await addWebhook(database, { name: "deletions", events: '["deleted"]' });
  await addWebhook(database, { name: "requests", object_types: '["certmgr.certificatesigningrequest"]' });
  await addWebhook(database, { name: "off", enabled: 0 });
  await addWebhook(database, { name: "others", conditions: '{"common_name": "elsewhere"}' });
  await commit(ctx, changeOf(1, "create"), changeOf(1, "delete"));
  assert.deepEqual(await outboxStates(database), ["pending", "pending"]);
  await drain(ctx, receiver());
  assert.deepEqual(
    (await deliveries(database)).map(({ webhook_id, event }) => [webhook_id, event]),
    [[all, "created"], [all, "deleted"], [deletions, "deleted"]],
  );
  assert.deepEqual(await outboxStates(database), ["done", "done"]);
});

Deno.test("each message has a unique id, in its headers and in its body", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database);
  await addWebhook(database, { name: "second" });
  await commit(ctx, changeOf(1), changeOf(2));
  const received = receiver();
  await drain(ctx, received);
  const ids = received.requests.map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual([ids.length, new Set(ids).size], [4, 4]);
  assert.deepEqual(received.bodies.map(({ id }) => id), ids);
});

Deno.test("events that no webhook selects any more are done, however many there are", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const id = await addWebhook(database);
  const count = 2 * DISPATCH_BATCH + 1;
  const changes = Array.from({ length: count }, (_, index) => changeOf(index + 1));
  await database.write((tx) => recordChanges(tx, ctx, changes));
  assert.equal((await outboxStates(database)).length, count);
  await setEnabled(database, id, 0);
  assert.equal(await drain(ctx, receiver()), 0);
  assert.deepEqual([...new Set(await outboxStates(database))], ["done"]);
});

async function setEnabled(database: TestDatabase, id: number, enabled: 0 | 1): Promise<void> {
  await database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = ${enabled} WHERE id = ${id}`));
}

Deno.test("objects are read only for events that a webhook still selects", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database, { events: '["deleted"]' });
  const disabled = await addWebhook(database, { name: "disabled later" });
  const read: unknown[] = [];
  const all = database.all.bind(database);
  database.all = async (query, options) => {
    const statement = render(query);
    if (statement.sql.includes("hex(")) read.push(...statement.args);
    return await all(query, options);
  };
  await commit(ctx, changeOf(1));
  await setEnabled(database, disabled, 0);
  assert.equal(await dispatchEvents(ctx), 1);
  assert.deepEqual(read, []);
  await setEnabled(database, disabled, 1);
  await commit(ctx, changeOf(2), changeOf(3, "delete"), changeOf(4));
  await setEnabled(database, disabled, 0);
  assert.equal(await dispatchEvents(ctx), 3);
  assert.deepEqual(read, ["[3]"]);
  assert.deepEqual([...new Set(await outboxStates(database))], ["done"]);
  assert.deepEqual((await deliveries(database)).map(({ object_id }) => object_id), [3]);
});

Deno.test("events that many webhooks select become messages for all; of each object only the first one does not wait", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  for (const name of ["a", "b", "c"]) await addWebhook(database, { name });
  const changes = [1, 2].flatMap(() =>
    Array.from({ length: DISPATCH_BATCH / 2 }, (_, index) => changeOf(index + 1))
  );
  await commit(ctx, ...changes);
  await drain(ctx, receiver(), 0);
  const rows = await deliveries(database);
  assert.equal(rows.length, 3 * DISPATCH_BATCH);
  for (const own of Map.groupBy(rows, ({ webhook_id, object_id }) => `${webhook_id} ${object_id}`).values()) {
    assert.deepEqual(own.map(({ next_attempt }) => next_attempt), [ctx.clock.now(), null]);
  }
});

Deno.test("a transaction stores the messages of one event, or DISPATCH_BATCH messages of several", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  for (let webhook = 0; webhook < 60; webhook++) await addWebhook(database, { name: `w${webhook}` });
  await commit(ctx, ...Array.from({ length: 20 }, (_, index) => changeOf(index % 15 + 1)));
  const events = (await outboxStates(database)).length;
  const sizes: number[] = [];
  const write = database.write.bind(database);
  database.write = async (work) => {
    const before = (await deliveries(database)).length;
    const result = await write(work);
    sizes.push((await deliveries(database)).length - before);
    return result;
  };
  assert.equal(await dispatchEvents(ctx), events);
  const group = Math.floor(DISPATCH_BATCH / 60);
  assert.deepEqual(sizes, [
    ...Array(Math.floor(events / group)).fill(60 * group),
    ...(events % group === 0 ? [] : [60 * (events % group)]),
  ]);
  assert.deepEqual([...new Set(await outboxStates(database))], ["done"]);
});

Deno.test("deleting a webhook deletes its messages", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const id = await addWebhook(database);
  await commit(ctx, changeOf(1));
  await drain(ctx, receiver(), 0);
  await database.write((tx) => tx.run(sql`DELETE FROM webhooks WHERE id = ${id}`));
  await commit(ctx, changeOf(2));
  assert.equal(await drain(ctx, receiver()), 0);
  assert.deepEqual(await deliveries(database), []);
});

Deno.test("an event that is not a change has the object as it is, with its details", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database, { events: '["certificate_expiring"]' });
  const snapshot = { id: 7, common_name: "a.example", status: "active", valid_to: "2026-12-01T00:00:00Z" };
  await database.write((tx) =>
    recordNotices(tx, ctx, [{
      event: "certificate_expiring",
      objectType: "certmgr.certificate",
      objectId: 7,
      snapshot,
      details: { threshold: "30d" },
    }])
  );
  const received = receiver();
  await drain(ctx, received);
  const [{ id: _, ...body }] = received.bodies;
  assert.deepEqual(body, {
    event: "certificate_expiring",
    timestamp: "2026-11-20T09:22:19Z",
    model: "certificate",
    object_type: "certmgr.certificate",
    username: "system",
    request_id: null,
    data: {
      id: 7,
      common_name: "a.example",
      status: "active",
      valid_to: "2026-12-01T00:00:00Z",
      days_remaining: 11,
      threshold: "30d",
    },
    snapshots: { prechange: null, postchange: { ...snapshot, owner: null } },
  });
});

Deno.test("only open events and due messages are read, however many are done", async () => {
  await using database = await testDatabase();
  const plans = async (query: ReturnType<typeof sql>): Promise<string> =>
    (await database.all<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${query}`)).map(({ detail }) => detail)
      .join("; ");
  const asked: string[] = [];
  const noting = {
    ...testContext({ database }),
    database: {
      kind: database.kind,
      statements: 0,
      batch: database.batch.bind(database),
      write: database.write.bind(database),
      close: () => {},
      async all<T>(query: ReturnType<typeof sql>): Promise<T[]> {
        asked.push(await plans(query));
        return await database.all<T>(query);
      },
    },
  };
  await addWebhook(database);
  await drain(noting as never, receiver());
  assert.match(asked[0] ?? "", /SCAN outbox USING INDEX outbox_open/);
  const due = asked.at(-1) ?? "";
  assert.match(
    due,
    /SEARCH due USING (COVERING )?INDEX webhook_deliveries_due \(webhook_id=\? AND next_attempt>\? AND next_attempt<\?\)/,
  );
  assert.match(due, /SEARCH earlier USING COVERING INDEX webhook_deliveries_order/);
  assert.doesNotMatch(due, /SCAN (d|due|earlier)\b/);
});

Deno.test("a webhook gets no event of a change that was made before it was created or enabled", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const input = (name: string, enabled: boolean): Record<string, unknown> => ({
    name,
    enabled,
    object_types: ["certmgr.certificate"],
    events: ["created"],
    payload_url: "https://hooks.example/",
  });
  const create = async (name: string, enabled: boolean): Promise<number> =>
    (await createObject({ ctx, resource: webhooks, input: input(name, enabled) })).id as number;
  const patch = (id: number, change: Record<string, unknown>): Promise<unknown> =>
    updateObject({ ctx, resource: webhooks, id, input: change, mode: "patch" });
  const always = await create("always", true);
  const paused = await create("paused", false);
  const gone = await create("gone", true);
  await database.write((tx) =>
    tx.run(sql`UPDATE webhooks SET enabled = 0, disabled_reason = '410' WHERE id = ${gone}`)
  );
  // The events wait in the outbox, as they do while no process dispatches them.
  await commit(ctx, changeOf(1, "create"));
  await patch(paused, { enabled: true });
  await patch(gone, { payload_url: "https://other.example/" });
  await patch(always, { enabled: true, name: "still enabled" });
  const added = await create("added", true);
  await commit(ctx, changeOf(2, "create"));
  await dispatchEvents(ctx);
  assert.deepEqual(
    (await deliveries(database)).map(({ webhook_id, object_id }) => [webhook_id, object_id]),
    [[always, 1], [always, 2], [paused, 2], [gone, 2], [added, 2]],
  );
});
