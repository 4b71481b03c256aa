/** Several changes of one object in one transaction are one event. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { onCommittedEvents, recordChanges } from "../../src/changes/mod.ts";
import { addWebhook, changeOf } from "../domain/webhooks/sending/support.ts";
import { testContext } from "../support/context.ts";
import { testDatabase } from "../support/database.ts";

type Action = "create" | "update" | "delete";

const MERGED: readonly (readonly [actions: readonly Action[], events: readonly string[]])[] = [
  [["create"], ["created 1-1"]],
  [["create", "update"], ["created 1-2"]],
  [["create", "update", "update"], ["created 1-3"]],
  [["update", "update"], ["updated 1-2"]],
  [["update", "delete"], ["deleted 1-2"]],
  [["create", "delete"], []],
  [["create", "update", "delete"], []],
];

for (const [actions, expected] of MERGED) {
  const title = `the sequence ${actions.join(", ")} of one object in a transaction is ${
    expected.length === 0 ? "no event" : "one event"
  }`;
  for (const calls of ["one call", "several calls"]) {
    Deno.test(`${title}, recorded by ${calls}`, async () => {
      await using database = await testDatabase();
      const ctx = testContext({ database });
      await addWebhook(database);
      const changes = actions.map((action) => changeOf(1, action));
      await database.write(async (tx) => {
        if (calls === "one call") return await recordChanges(tx, ctx, changes);
        for (const change of changes) await recordChanges(tx, ctx, [change]);
      });
      const rows = await database.all<{ event: string; first_change_id: number; change_id: number }>(
        sql`SELECT event, first_change_id, change_id FROM outbox`,
      );
      assert.deepEqual(rows.map((row) => `${row.event} ${row.first_change_id}-${row.change_id}`), expected);
      const [log] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM object_changes`);
      assert.equal(log?.n, actions.length);
    });
  }
}

Deno.test("changes in different transactions, or of different objects, are different events", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database, { object_types: '["certmgr.certificate","x.y"]' });
  await database.write((tx) => recordChanges(tx, ctx, [changeOf(1, "create"), changeOf(2, "create")]));
  await database.write((tx) => recordChanges(tx, ctx, [changeOf(1), { ...changeOf(1), objectType: "x.y" }]));
  const rows = await database.all<{ event: string }>(sql`SELECT event FROM outbox ORDER BY id`);
  assert.deepEqual(rows.map(({ event }) => event), ["created", "created", "updated", "updated"]);
});

Deno.test("listeners are notified of each transaction with events once, when it is committed", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database);
  const received: number[] = [];
  const stop = onCommittedEvents(database, (id) => received.push(id));
  await database.write(async (tx) => {
    await recordChanges(tx, ctx, [changeOf(1), changeOf(2)]);
    await recordChanges(tx, ctx, [changeOf(3)]);
    assert.deepEqual(received, []);
  });
  assert.deepEqual(received, [1]);
  await database.write((tx) => recordChanges(tx, ctx, []));
  const refused = database.write(async (tx) => {
    await recordChanges(tx, ctx, [changeOf(1)]);
    throw new Error("refused");
  });
  await assert.rejects(refused);
  assert.deepEqual(received, [1]);
  stop();
  await database.write((tx) => recordChanges(tx, ctx, [changeOf(4)]));
  assert.deepEqual(received, [1]);
});
