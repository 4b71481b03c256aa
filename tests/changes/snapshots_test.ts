/** Change records return snapshots exactly as they were recorded. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { SHARING_ROWS } from "../../src/db/rows.ts";
import { type Change, recordChanges, type Snapshot } from "../../src/changes/mod.ts";
import { changeLog } from "../support/change_log.ts";
import { testClock, testContext } from "../support/context.ts";
import { testDatabase } from "../support/database.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";

const ODD: Snapshot = {
  id: 7,
  text: 'a "quoted" \\ text',
  "odd name": "é\u{1f600}\n",
  nested: { list: [1, null, { of: [true, false] }], text: "[" },
  nothing: null,
  big: 9_007_199_254_740_991,
  huge: 1e300,
  empty: "",
};

/** What is recorded, and the maximum number of stored bytes. */
const CASES: Record<string, readonly [Snapshot | null, Snapshot | null, number]> = {
  "a creation": [null, ODD, 300],
  "an update of a small object": [ODD, { ...ODD, text: null }, 360],
  "an update, whose snapshots have much in common": [
    { ...ODD, big: "ab1".repeat(400) },
    { ...ODD, big: "ab1".repeat(400), text: null },
    260,
  ],
  "a deletion": [ODD, null, 300],
  "no fields at all": [{}, {}, 20],
  "a compressed text of the maximum size": [null, { text: "a".repeat(16_360) }, 100],
  "a longer one, which is stored as it is": [null, { text: "a".repeat(16_380) }, 17_000],
};

for (const [what, [prechange, postchange, bytes]] of Object.entries(CASES)) {
  Deno.test(`${what} is read as it was recorded, and takes at most ${bytes} bytes`, async () => {
    await using database = await testDatabase();
    const ctx = testContext({ database, clock: testClock(TEST_NOW) });
    const change: Change = {
      action: "update",
      objectType: "extras.tag",
      objectId: 1,
      repr: "x",
      prechange,
      postchange,
    };
    // Columns with the same values in many rows are written once.
    const same = Array<Change>(SHARING_ROWS).fill(change);
    await database.write((tx) => recordChanges(tx, ctx, same));
    const [record] = await changeLog(database);
    const text = (snapshot: Snapshot | null): string | null =>
      snapshot === null ? null : JSON.stringify(snapshot);
    assert.deepEqual([record?.prechange, record?.postchange], [text(prechange), text(postchange)]);
    const [size] = await database.all<{ bytes: number }>(
      sql`SELECT DISTINCT octet_length(snapshots) AS bytes FROM object_changes`,
    );
    assert(size!.bytes <= bytes && size!.bytes >= bytes / 30, String(size?.bytes));
  });
}
