/** Brings a database to the shape that this release knows. */

import { sql } from "drizzle-orm";
import type { Millis } from "../base/clock.ts";
import type { Database, Reader } from "./database.ts";
import { hasStatistics, setStatistics } from "./statistics.ts";
import { splitStatements } from "./statements.ts";

/** One step of the schema. Names sort in the order of application. */
export interface Migration {
  /** `0001_initial_schema`. */
  readonly name: string;
  /** Statements as {@link splitStatements} takes them. */
  readonly sql: string;
}

/** Why a database cannot be brought up to date by this release. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

const TABLE = sql.raw(
  "CREATE TABLE IF NOT EXISTS schema_migrations " +
    "(name TEXT NOT NULL PRIMARY KEY, applied_at INTEGER NOT NULL, checksum TEXT NOT NULL) STRICT, WITHOUT ROWID",
);

/**
 * Applies what is missing, each migration in a transaction of its own together with the note that it was applied;
 * gives the names of those it applied. Several processes may do so at once.
 *
 * Throws {@link MigrationError} when the database is newer than `migrations`, or was made from other texts.
 */
export async function migrate(
  database: Database,
  options: { readonly migrations: readonly Migration[]; readonly now: Millis },
): Promise<string[]> {
  const applied: string[] = [];
  for (const migration of await pendingMigrations(database, options.migrations)) {
    const checksum = await checksumOf(migration);
    const done = await database.write(async (tx) => {
      await tx.run(TABLE);
      const [found] = await tx.all(sql`SELECT 1 FROM schema_migrations WHERE name = ${migration.name}`);
      if (found !== undefined) return false;
      await tx.runAll([
        ...splitStatements(migration.sql).map((statement) => sql.raw(statement)),
        sql`INSERT INTO schema_migrations (name, applied_at, checksum)
          VALUES (${migration.name}, ${options.now}, ${checksum})`,
      ]);
      return true;
    });
    if (done) applied.push(migration.name);
  }
  if (database.kind === "file" && !await hasStatistics(database)) await database.write(setStatistics);
  return applied;
}

/** Migrations that the database lacks, in order. Throws {@link MigrationError} as {@link migrate} does. */
export async function pendingMigrations(
  database: Reader,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const applied = await readApplied(database);
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const [name, checksum] of applied) {
    const migration = known.get(name);
    if (migration === undefined) {
      throw new MigrationError(`Database is newer than this release: it has migration "${name}"`);
    }
    if (await checksumOf(migration) !== checksum) {
      throw new MigrationError(`Migration "${name}" was changed after it was applied to this database`);
    }
  }
  return migrations.filter((migration) => !applied.has(migration.name));
}

/** Checksums by name; empty for a database that was never migrated. */
async function readApplied(database: Reader): Promise<Map<string, string>> {
  const [table] = await database.all(sql`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`);
  if (table === undefined) return new Map();
  const rows = await database.all<{ name: string; checksum: string }>(
    sql`SELECT name, checksum FROM schema_migrations ORDER BY name`,
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/** SHA-256 of the text, lower-case hex; line ends do not count. */
async function checksumOf(migration: Migration): Promise<string> {
  const text = new TextEncoder().encode(migration.sql.replaceAll("\r\n", "\n"));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", text)).toHex();
}
