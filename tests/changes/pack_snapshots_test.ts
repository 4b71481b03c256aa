/** How change records store snapshots: as values without names, and updates as changed fields only. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { sha256Hex } from "../../src/base/bytes.ts";
import { type Change, recordChanges, snapshotText } from "../../src/changes/mod.ts";
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
  const rows = await database.all<Cells>(
    sql`SELECT prechange, postchange FROM ${sql.identifier(table)} ORDER BY id`,
  );
  return rows.map(({ prechange, postchange }) => ({
    prechange: snapshotText(prechange),
    postchange: snapshotText(postchange),
  }));
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

const SMALL: Snapshot = { id: 7, "odd name": "a", yes: true, nested: { list: [] } };

Deno.test("an update stores what it changed, and names are stored once", async () => {
  await using database = await testDatabase();
  await record(database, [null, SMALL], [SMALL, { ...SMALL, yes: false, id: null }]);
  await record(database, [{ ...SMALL, id: 8 }, null]);
  const [created, updated, deleted] = await cellsIn(database, "object_changes");
  assert.equal(updated?.postchange, '{"#0":null,"#2":false}');
  assert.equal(created?.postchange, updated?.prechange);
  assert.equal(JSON.parse(created?.postchange ?? "").length, Object.keys(SMALL).length + 1);
  assert.doesNotMatch(`${created?.postchange}${deleted?.prechange}`, /odd name|nested/);
  assert.deepEqual(await database.all(sql`SELECT names FROM snapshot_shapes`), [
    { names: JSON.stringify(Object.keys(SMALL)) },
  ]);
});

/** Returns a snapshot with digits as certificates have them, and other sequences of digits. */
function digits(seed: number): Record<string, unknown> {
  const hex = sha256Hex(String(seed));
  const names = Array.from(
    { length: seed % 7 },
    (_, place) => `${"ab".repeat(place)}-${place}.é.example.com`,
  );
  return {
    id: seed,
    fingerprint: hex.toUpperCase().replace(/..(?=.)/g, "$&:"),
    serial: hex.slice(0, seed % 64).toUpperCase().match(/../g)?.join(":") ?? "",
    pem: `sha256:${hex}`,
    odd: [hex.slice(0, seed % 64), hex.repeat(seed % 9), `${hex}:${hex}`, hex.slice(0, 17).toUpperCase()],
    names,
    text: ["\u0001\u0002\n\u001f", "\u{1f600}".repeat(seed % 5), "CN=x, O=" + hex.slice(0, 5)],
    ...Object.fromEntries(Array.from({ length: 20 }, (_, place) => [`empty${place}`, place % 3 ? "" : null])),
  };
}

Deno.test("snapshots with digits are stored as a third of their texts, and read as they were", async () => {
  await using database = await testDatabase();
  const pairs = Array.from({ length: 150 }, (_, seed): [Snapshot, Snapshot] => {
    const [one, other] = [digits(seed), { ...digits(seed), pem: digits(seed + 1).pem }];
    return seed % 3 === 0 ? [null, one] : seed % 3 === 1 ? [one, other] : [one, null];
  });
  await record(database, ...pairs);
  assert.deepEqual(
    await cellsIn(database, "change_snapshots"),
    pairs.map(([prechange, postchange]) => ({
      prechange: textOf(prechange),
      postchange: textOf(postchange),
    })),
  );
  const [sizes] = await database.all<{ packed: number; n: number; texts: number }>(
    sql`SELECT count(*) AS n, sum(length(snapshots)) AS packed, count(prechange) + count(postchange) AS texts
      FROM object_changes`,
  );
  assert.equal(sizes?.texts, 0);
  const chars = pairs.flat().reduce((sum, each) => sum + (textOf(each)?.length ?? 0), 0);
  assert(Number(sizes?.packed) < chars / 3, `${sizes?.packed} of ${chars}`);
});

Deno.test("large snapshots are stored as texts: a page of changes would be many times larger than its rows", async () => {
  await using database = await testDatabase();
  const large = { id: 1, text: "a".repeat(16_400) };
  const fitting = { id: 1, text: "a".repeat(16_300) };
  await record(database, [null, large], [null, fitting]);
  assert.deepEqual(
    await database.all(sql`SELECT length(postchange) > 16384 AS text, length(snapshots) < 200 AS packed
      FROM object_changes ORDER BY id`),
    [{ text: 1, packed: null }, { text: null, packed: 1 }],
  );
  assert.deepEqual(
    (await cellsIn(database, "change_snapshots")).map(({ postchange }) => postchange),
    [textOf(large), textOf(fitting)],
  );
});

Deno.test("damaged snapshots are refused, not read as something else", () => {
  const names = '["id"]';
  for (const digits of ["", "00", "02015b", "0105505b", "01FFFFFFFF7F", "0103305b375dFF", "010A0F0000"]) {
    assert.throws(() => snapshotText(`b${digits}${names}`), digits);
  }
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
