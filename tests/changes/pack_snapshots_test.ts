/** How change records store snapshots: as values without names, and updates as what they changed. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Change, recordChanges } from "../../src/changes/mod.ts";
import { testClock, testContext } from "../support/context.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";

type Snapshot = Record<string, unknown> | null;

async function record(
  database: TestDatabase,
  ...pairs: readonly (readonly [Snapshot, Snapshot])[]
): Promise<void> {
  const ctx = testContext({ database, clock: testClock(TEST_NOW) });
  const changes = pairs.map(([prechange, postchange], index): Change => ({
    action: prechange === null ? "create" : postchange === null ? "delete" : "update",
    objectType: "extras.tag",
    objectId: index + 1,
    repr: "x",
    prechange,
    postchange,
  }));
  await database.write((tx) => recordChanges(tx, ctx, changes));
}

interface Cells {
  readonly prechange: string | null;
  readonly postchange: string | null;
}

async function cellsIn(database: TestDatabase, table: string): Promise<Cells[]> {
  return await database.all<Cells>(
    sql`SELECT prechange, postchange FROM ${sql.identifier(table)} ORDER BY id`,
  );
}

function textOf(snapshot: Snapshot): string | null {
  return snapshot === null ? null : JSON.stringify(snapshot);
}

const ODD: Snapshot = {
  id: 7,
  text: 'a "quoted" \\ text',
  "odd name": "é\u{1f600}\n",
  list: [],
  nested: { list: [1, null, { of: [true, false] }], text: "#0" },
  yes: true,
  no: false,
  nothing: null,
  "#0": "like a place",
  big: 9_007_199_254_740_991,
  small: -0.000001,
  huge: 1e300,
  empty: "",
  date: "2026-11-20T00:00:00Z",
};

Deno.test("a snapshot is read exactly as it was recorded", async () => {
  await using database = await testDatabase();
  const changed = { ...ODD, text: null, nothing: 0, list: [[]], yes: false, nested: {}, "#0": "other" };
  const { text: _, ...fewer } = changed;
  const pairs: [Snapshot, Snapshot][] = [
    [null, ODD],
    [ODD, changed],
    [changed, ODD],
    [ODD, ODD],
    [changed, fewer],
    [fewer, changed],
    [changed, Object.fromEntries(Object.entries(changed).reverse())],
    [ODD, null],
    [null, {}],
    [{}, ODD],
    [{ a: 1, b: undefined }, { a: 2, c: undefined }],
  ];
  await record(database, ...pairs);
  assert.deepEqual(
    await cellsIn(database, "change_snapshots"),
    pairs.map(([prechange, postchange]) => ({
      prechange: textOf(prechange),
      postchange: textOf(postchange),
    })),
  );
});

Deno.test("an update stores what it changed, and names are stored once", async () => {
  await using database = await testDatabase();
  await record(database, [null, ODD], [ODD, { ...ODD, yes: false, text: null }]);
  await record(database, [{ ...ODD, id: 8 }, null]);
  const [created, updated, deleted] = await cellsIn(database, "object_changes");
  assert.equal(updated?.postchange, '{"#1":null,"#5":false}');
  assert.equal(created?.postchange, updated?.prechange);
  assert.equal(JSON.parse(created?.postchange ?? "").length, Object.keys(ODD ?? {}).length + 1);
  assert.doesNotMatch(`${created?.postchange}${deleted?.prechange}`, /odd name|nested/);
  assert.deepEqual(await database.all(sql`SELECT names FROM snapshot_shapes`), [
    { names: JSON.stringify(Object.keys(ODD ?? {})) },
  ]);
});

Deno.test("names are stored again when the transaction that stored them was rolled back", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database, clock: testClock(TEST_NOW) });
  const change: Change = {
    action: "create",
    objectType: "extras.tag",
    objectId: 1,
    repr: "x",
    prechange: null,
    postchange: ODD,
  };
  await assert.rejects(database.write(async (tx) => {
    await recordChanges(tx, ctx, [change]);
    throw new Error("no");
  }));
  await record(database, [null, ODD]);
  assert.deepEqual(await cellsIn(database, "change_snapshots"), [{
    prechange: null,
    postchange: textOf(ODD),
  }]);
});

Deno.test("records of earlier releases can be read", async () => {
  await using database = await testDatabase();
  const texts = ['{"id":1,"name":"a"}', '{"id":1,"name":"b"}', "{}"];
  await database.write((tx) =>
    tx.runAll(
      texts.map((text, index) =>
        sql`INSERT INTO object_changes (time, action, object_type, object_id, prechange, postchange)
        VALUES (0, 'update', 'extras.tag', 1, ${texts[index - 1] ?? null}, ${text})`
      ),
    )
  );
  assert.deepEqual(
    await cellsIn(database, "change_snapshots"),
    texts.map((postchange, index) => ({ prechange: texts[index - 1] ?? null, postchange })),
  );
});
