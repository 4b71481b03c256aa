/** Upgrades the first released schema to this one, and checks that no stored data is lost. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { type Database, MIGRATIONS } from "../../src/db/mod.ts";
import { issuerChainSql } from "../../src/domain/certificates/mod.ts";
import { CERTIFICATES, fillFirstSchema, OLD_KEY } from "../support/first_schema.ts";
import { api, certmgr, startService, testFolder } from "./process.ts";

type Rows = Readonly<Record<string, unknown>>[];

/**
 * Tables whose rows change. They had no user data before the first release: nothing was sent and no preview was stored.
 * The events are in the change log.
 */
const REWRITTEN_TABLES = ["outbox", "webhook_deliveries", "import_previews", "expiry_notices"];

async function tables(database: Database): Promise<string[]> {
  const found = await database.all<{ name: string }>(
    sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND name NOT GLOB 'certificate_search*' AND name <> 'schema_migrations' ORDER BY name`,
  );
  return found.map(({ name }) => name);
}

/** Returns all rows of a table, ordered by their columns. */
async function content(database: Database, table: string, columns: readonly string[]): Promise<Rows> {
  const list = sql.join(columns.map((name) => sql.identifier(name)), sql`, `);
  const order = sql.join(columns.map((_, index) => sql.raw(String(index + 1))), sql`, `);
  return await database.all(sql`SELECT ${list} FROM ${sql.identifier(table)} ORDER BY ${order}`);
}

async function columnsOf(database: Database, table: string): Promise<string[]> {
  const found = await database.all<{ name: string }>(sql`SELECT name FROM pragma_table_info(${table})`);
  return found.map(({ name }) => name);
}

async function opened<T>(path: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openFileDatabase({ path });
  try {
    return await work(database);
  } finally {
    database.close();
    // This process keeps the file open until its statements are garbage-collected, and a restore would be refused.
    const { gc } = globalThis as { gc?: () => void };
    assert(gc, "This test is run with --v8-flags=--expose-gc, as its lane does");
    gc();
  }
}

Deno.test("a filled database of the first schema starts with this release and keeps every row", async () => {
  await using folder = await testFolder();
  const path = `${folder.path}/certmgr.db`;
  const env = { CERTMGR_DATA_DIR: folder.path };
  const before = new Map<string, { columns: string[]; rows: Rows }>();
  await opened(path, async (database) => {
    await fillFirstSchema(database, Date.now());
    for (const table of await tables(database)) {
      const columns = await columnsOf(database, table);
      const rows = await content(database, table, columns);
      assert.ok(rows.length > 0, `The first schema's table ${table} was filled`);
      before.set(table, { columns, rows });
    }
  });

  const checked = await certmgr(["migrate", "--check"], { env });
  assert.equal(checked.code, 1);
  const backup = await certmgr(["backup", `${folder.path}/old.db`], { env });
  assert.equal(backup.code, 0, backup.stderr);

  const applied = await certmgr(["migrate"], { env });
  assert.deepEqual(
    applied.stdout.trim().split("\n"),
    MIGRATIONS.slice(1).map(({ name }) => `Applied migration ${name}`),
  );
  await opened(path, async (database) => {
    for (const [table, { columns, rows }] of before) {
      if (!REWRITTEN_TABLES.includes(table)) {
        assert.deepEqual(await content(database, table, columns), rows, table);
      }
    }
    const received = await database.all<{ n: number }>(
      sql`SELECT count(*) AS n FROM expiry_notices_passed WHERE threshold = '30d' AND announced = 1`,
    );
    assert.equal(received[0]?.n, before.get("expiry_notices")?.rows.length, "nobody is notified again");
  });
  const { code, stdout } = await certmgr(["check"], { env });
  assert.equal(code, 0, stdout);
  await works(env);

  // A backup of the old release is restored with this one.
  const restored = await certmgr(["restore", `${folder.path}/old.db`, "--replace", "--json"], { env });
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(
    JSON.parse(restored.stdout).migrations_to_apply,
    MIGRATIONS.slice(1).map(({ name }) => name),
  );
  await works(env);
  // This release stores each chain once.
  const chains = (before.get("certificate_texts")?.rows ?? []).map(({ certificate_id, issuer_chain }) => ({
    id: certificate_id,
    chain: issuer_chain,
  }));
  assert(chains.some(({ chain }) => chain === "the chain of many"));
  await opened(path, async (database) => {
    const found = await database.all(
      sql`SELECT t.certificate_id AS id, ${issuerChainSql(sql`t.certificate_id`)} AS chain
          FROM certificate_texts AS t ORDER BY t.certificate_id`,
    );
    const byId = (a: { id: unknown }, b: { id: unknown }): number => Number(a.id) - Number(b.id);
    assert.deepEqual(found, chains.sort(byId));
  });
});

/** Checks that the service starts, lists, finds by a part of a name, and stores. */
async function works(env: { CERTMGR_DATA_DIR: string }): Promise<void> {
  await using service = await startService(env);
  const list = async (query: string): Promise<{ count: number }> => {
    const path = `plugins/certmgr/certificates/?fields=id&limit=1&${query}`;
    const { status, json } = await api(service, { token: OLD_KEY, path });
    assert.equal(status, 200);
    return json as { count: number };
  };
  assert.equal((await list("")).count, CERTIFICATES);
  assert.equal((await list("common_name__ic=HOST-2999")).count, 1);
  const body = { name: "after", slug: "after" };
  const made = await api(service, { token: OLD_KEY, path: "extras/tags/", body });
  assert.deepEqual([made.status, made.json.id], [201, 10]);
  service.signal("SIGTERM");
  assert.equal((await service.ended()).code, 0);
}
