/** A page at a large offset of the whole list is found by the counts of its blocks of ids. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { fillInventory } from "../bench/inventory.ts";
import { testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";

const COUNT = 9_000;
/** Offsets at the ends of blocks, near them, and beyond the last row. */
const OFFSETS = [2_047, 2_048, 2_049, 3_071, 3_072, 3_500, 4_096, 5_119, 5_999, 6_000, 6_001, 7_100, 50_000];

Deno.test("a page at a large offset has the rows at that offset, in both directions, with gaps and archived rows", async () => {
  const database = await testDatabase();
  await fillInventory(database, { count: COUNT });
  await database.write((tx) =>
    tx.runAll([
      // A gap of more than two blocks, another in each block, and archived rows; the first and the last block have few rows.
      sql`DELETE FROM certificates WHERE id BETWEEN 3000 AND 5500 OR id % 10 = 3 OR id < 1000`,
      sql`UPDATE certificates SET archived = 1 WHERE id % 7 = 0`,
    ])
  );
  await using app = await testApp({ database });
  const client = await app.as("superuser");
  const compare = async (): Promise<void> => {
    const rows = await database.all<{ id: number }>(
      sql`SELECT id FROM certificates WHERE archived = 0 ORDER BY id`,
    );
    const ids = rows.map(({ id }) => id);
    for (const ordering of ["id", "-id"]) {
      const ordered = ordering === "id" ? ids : ids.toReversed();
      for (const offset of [...OFFSETS, ids.length - 5, ids.length - 1, ids.length]) {
        const query = `ordering=${ordering}&offset=${offset}&limit=7&fields=id`;
        const { count, results } = await (await client(`${PATHS.certificates}?${query}`)).json();
        assert.deepEqual(
          { count, ids: results.map(({ id }: { id: number }) => id) },
          { count: ids.length, ids: ordered.slice(offset, offset + 7) },
          query,
        );
      }
    }
  };
  await compare();
  // More rows than when they were counted, in further blocks.
  await database.write((tx) =>
    tx.runAll([sql`UPDATE sqlite_sequence SET seq = 40000 WHERE name = 'certificates'`])
  );
  const created = await client(PATHS.certificates, { method: "POST", body: metadata(1) });
  assert.equal(created.status, 201);
  await compare();
});

/** Lists of several statuses, with their condition in SQL. */
const STATUS_LISTS: Readonly<Record<string, string>> = {
  "status=active&status=pending": "status IN ('active', 'pending') AND archived = 0",
  "status=active&status=pending&archived=any": "status IN ('active', 'pending')",
  "status__n=replaced": "status <> 'replaced' AND archived = 0",
  "status=active&status=expired&algorithm=rsa":
    "status IN ('active', 'expired') AND algorithm = 'rsa' AND archived = 0",
  "in_use=true": "status NOT IN ('replaced', 'revoked') AND archived = 0",
};

Deno.test("a list of several statuses has the rows at its offset, in both directions of each order", async () => {
  const database = await testDatabase();
  await fillInventory(database, { count: 2_000 });
  await database.write((tx) =>
    tx.runAll([
      sql`UPDATE certificates SET archived = 1 WHERE id % 7 = 0`,
      // Values that many rows have, also in different statuses.
      sql`UPDATE certificates SET valid_to = valid_to / 2000000000 * 2000000000, common_name = substr(common_name, 1, 2)`,
      sql`DELETE FROM certificate_assignments`,
    ])
  );
  await using app = await testApp({ database });
  const client = await app.as("superuser");
  for (const [filter, condition] of Object.entries(STATUS_LISTS)) {
    for (const field of ["valid_to", "common_name", "issuer"]) {
      for (const [sign, direction] of [["", ""], ["-", " DESC"]]) {
        const rows = await database.all<{ id: number }>(
          sql.raw(
            `SELECT id FROM certificates WHERE ${condition} ORDER BY ${field}${direction}, id${direction}`,
          ),
        );
        for (const offset of [0, 3, 120]) {
          const query = `${filter}&ordering=${sign}${field}&offset=${offset}&limit=9&fields=id`;
          const { count, results } = await (await client(`${PATHS.certificates}?${query}`)).json();
          assert.deepEqual(
            { count, ids: results.map(({ id }: { id: number }) => id) },
            { count: rows.length, ids: rows.slice(offset, offset + 9).map(({ id }) => id) },
            query,
          );
        }
      }
    }
  }
});
