/** No connection of the service reaches another file by SQL. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { ownFileOnly } from "../../src/db/prepared_statements.ts";
import { testFileDatabase } from "../support/database.ts";

for (
  const statement of [
    "ATTACH 'x.db' AS x",
    "attach database 'x.db' as x",
    "VACUUM INTO 'x.db'",
    "vacuum main into 'x.db'",
    " \n\t ATTACH 'x.db' AS x",
    "; ; ATTACH 'x.db' AS x",
    "/* a /* b */ ATTACH 'x.db' AS x",
    "-- a\n-- b\nVACUUM INTO 'x.db'",
    "EXPLAIN ATTACH 'x.db' AS x",
    "EXPLAIN QUERY PLAN ATTACH 'x.db' AS x",
    "SELECT 1; ATTACH 'x.db' AS x",
    "PRAGMA query_only = ON;/**/VACUUM INTO 'x.db'",
  ]
) {
  Deno.test(`${JSON.stringify(statement)} is refused before SQLite sees it`, () => {
    assert.throws(() => ownFileOnly(statement), /neither ATTACH nor VACUUM/);
  });
}

for (
  const statement of [
    "SELECT attach FROM vacuum",
    "SELECT 'ATTACH'",
    "INSERT INTO notes (text) VALUES (?)",
    "UPDATE certificates SET name = 'VACUUM INTO'",
    "EXPLAIN QUERY PLAN SELECT 1",
    "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END",
    "PRAGMA wal_checkpoint(TRUNCATE)",
  ]
) {
  Deno.test(`${JSON.stringify(statement)} runs`, () => assert.equal(ownFileOnly(statement), statement));
}

Deno.test("neither reads nor writes nor long reads of a database attach or write another file, nor load an extension", async () => {
  await using database = await testFileDatabase();
  const other = `${database.path}.other`;
  const attach = sql.raw(`ATTACH '${other}' AS other`);
  const copy = sql.raw(`/**/ VACUUM INTO '${other}'`);
  for (const statement of [attach, copy]) {
    await assert.rejects(database.all(statement), /neither ATTACH nor VACUUM/);
    await assert.rejects(database.write((tx) => tx.run(statement)), /neither ATTACH nor VACUUM/);
  }
  await assert.rejects(database.all(sql`SELECT load_extension(${other})`), /not authorized/);
  await assert.rejects(Deno.stat(other), Deno.errors.NotFound);
});

Deno.test("the check of a long text takes no time", () => {
  const begun = performance.now();
  for (const part of ["/*", "-- ", "; ", " ", "EXPLAIN ", ";/**/"]) {
    ownFileOnly(`SELECT 1 ${part.repeat(100_000)}`);
  }
  assert.ok(performance.now() - begun < 1_000);
});
