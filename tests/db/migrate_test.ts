import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import {
  type Database,
  migrate,
  type Migration,
  MigrationError,
  pendingMigrations,
} from "../../src/db/mod.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";

const ONE: Migration = { name: "0001_one", sql: "-- One.\nCREATE TABLE one (x INTEGER) STRICT;\n" };
const TWO: Migration = { name: "0002_two", sql: "-- Two.\nCREATE TABLE two (x INTEGER) STRICT;\n" };
const BROKEN: Migration = {
  name: "0003_broken",
  sql: "CREATE TABLE three (x INTEGER);\nCREATE TABLE three (x INTEGER);\n",
};

function empty(): Promise<TestDatabase> {
  return cloneDatabase(new Uint8Array());
}

function apply(database: Database, ...migrations: Migration[]): Promise<string[]> {
  return migrate(database, { migrations, now: 7 });
}

async function tables(database: Database): Promise<string[]> {
  const rows = await database.all<{ name: string }>(
    sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`,
  );
  return rows.map((row) => row.name);
}

Deno.test("migrations are applied in order, once, and recorded with time and checksum", async () => {
  await using database = await empty();
  assert.deepEqual(await apply(database, ONE), ["0001_one"]);
  assert.deepEqual((await pendingMigrations(database, [ONE, TWO])).map(({ name }) => name), ["0002_two"]);
  assert.deepEqual(await apply(database, ONE, TWO), ["0002_two"]);
  assert.deepEqual(await apply(database, ONE, TWO), []);
  assert.deepEqual(await pendingMigrations(database, [ONE, TWO]), []);
  assert.deepEqual(await tables(database), ["one", "schema_migrations", "two"]);
  const noted = await database.all<{ name: string; applied_at: number; checksum: string }>(
    sql`SELECT * FROM schema_migrations ORDER BY name`,
  );
  assert.deepEqual(noted.map((row) => [row.name, row.applied_at]), [["0001_one", 7], ["0002_two", 7]]);
  for (const row of noted) assert.match(row.checksum, /^[0-9a-f]{64}$/);
});

Deno.test("a database that is up to date is not written to", async () => {
  await using database = await empty();
  await migrate(database, { migrations: MIGRATIONS, now: 7 });
  await database.write((tx) => tx.all(sql`PRAGMA query_only = ON`));
  assert.deepEqual(await migrate(database, { migrations: MIGRATIONS, now: 8 }), []);
});

Deno.test("two processes that migrate at once apply each migration once", async () => {
  await using database = await empty();
  const applied = await Promise.all([apply(database, ONE, TWO), apply(database, ONE, TWO)]);
  assert.deepEqual(applied.flat().sort(), ["0001_one", "0002_two"]);
});

Deno.test("a failed migration changes nothing, and earlier ones are kept", async () => {
  await using database = await empty();
  await assert.rejects(apply(database, ONE, BROKEN), /table three already exists/);
  assert.deepEqual(await tables(database), ["one", "schema_migrations"]);
});

Deno.test("a database that is newer than the release is refused untouched", async () => {
  await using database = await empty();
  await apply(database, ONE, TWO);
  await assert.rejects(
    apply(database, ONE, BROKEN),
    new MigrationError('Database is newer than this release: it has migration "0002_two"'),
  );
  assert.deepEqual(await tables(database), ["one", "schema_migrations", "two"]);
});

Deno.test("a migration whose text was changed after it was applied is refused; line ends do not count", async () => {
  await using database = await empty();
  await apply(database, ONE);
  await apply(database, { ...ONE, sql: ONE.sql.replaceAll("\n", "\r\n") });
  await assert.rejects(
    pendingMigrations(database, [{ ...ONE, sql: ONE.sql.replace("One", "1") }, TWO]),
    new MigrationError('Migration "0001_one" was changed after it was applied to this database'),
  );
});

Deno.test("the migrations that ship are those of their folder, named in order, and begin with their reason", () => {
  const files = [...Deno.readDirSync(new URL("../../migrations/", import.meta.url))];
  assert.deepEqual(MIGRATIONS.map(({ name }) => `${name}.sql`), files.map(({ name }) => name).sort());
  MIGRATIONS.forEach(({ name, sql: text }, index) => {
    assert.match(name, new RegExp(`^${String(index + 1).padStart(4, "0")}_[a-z0-9_]+$`));
    assert.match(text, /^-- [A-Z].*\.\n/);
  });
});
