/** Compares a file that is filled fast with one that the service's own writes have filled. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Database, Row } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { testFileDatabase } from "../support/database.ts";
import { INDEX_ALL } from "../support/search_index.ts";
import { fillFile } from "./fill_file.ts";
import { fillInventory } from "./inventory.ts";

/** More rows than one statement has. */
const COUNT = 2_300;
/**
 * Tables with the schema and times of its migrations, and the contents of the full-text index, which depend on the order
 * of writes.
 */
const OTHER_TABLES = [
  "sqlite_schema",
  "schema_migrations",
  "evaluation_progress",
  "certificate_search_data",
  "certificate_search_docsize",
  "certificate_search_idx",
];
const SEARCHES = ['"api"', 'common_name : "exa" AND "amp"', 'sans : ("123" AND "www")', 'issuer : "let"'];

Deno.test("a file that is filled fast has the schema, rows and searches of one that is written row by row", async (t) => {
  await using expected = await testFileDatabase();
  await fillInventory(expected, { count: COUNT });
  const folder = await Deno.makeTempDir({ prefix: "certmgr-test-" });
  const path = `${folder}/filled.db`;
  await fillFile(path, { count: COUNT });
  const filled = await openFileDatabase({ path, durable: false });
  const same = async (query: string): Promise<void> => {
    const read = async (database: Database): Promise<Row[]> => await database.all(sql.raw(query));
    assert.deepEqual(await read(filled), await read(expected), query);
  };
  try {
    await t.step("the same tables, indexes and triggers, of each table in the same order", async () => {
      await same("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, tbl_name, rowid");
    });
    await t.step("the same rows", async () => {
      const tables = await expected.all<{ name: string }>(
        sql`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'view' AND type <> 'virtual'`,
      );
      assert.ok(tables.length > 50);
      for (const { name } of tables) {
        if (OTHER_TABLES.includes(name)) continue;
        const columns = await expected.all<{ name: string }>(
          sql`SELECT name FROM pragma_table_info(${name})`,
        );
        await same(`SELECT * FROM "${name}" ORDER BY ${columns.map((_, index) => index + 1).join()}`);
      }
    });
    await t.step("the same results of searches", async () => {
      await expected.write((tx) => tx.run(INDEX_ALL));
      for (const text of SEARCHES) {
        await same(`SELECT rowid FROM certificate_search WHERE certificate_search MATCH '${text}'`);
      }
    });
    await t.step("a database without faults", async () => {
      const [row] = await filled.all<Row>(sql`PRAGMA integrity_check`);
      assert.deepEqual(row, { integrity_check: "ok" });
      await filled.write((tx) =>
        tx.run(sql`INSERT INTO certificate_search (certificate_search) VALUES ('integrity-check')`)
      );
    });
  } finally {
    filled.close();
    await Deno.remove(folder, { recursive: true });
  }
});
