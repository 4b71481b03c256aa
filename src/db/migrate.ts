/** Applies migrations. */

import { sql } from "drizzle-orm";
import type { Millis } from "../base/clock.ts";
import type { Database, Reader } from "./database.ts";
import { hasStatistics, setStatistics } from "./statistics.ts";

/** A migration. Names sort in the order in which migrations are applied. */
export interface Migration {
  /** `0001_initial_schema`. */
  readonly name: string;
  /** Statements in the format of {@link splitStatements}. */
  readonly sql: string;
}

/** Why this release cannot migrate a database. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

const TABLE = sql.raw(
  "CREATE TABLE IF NOT EXISTS schema_migrations " +
    "(name TEXT NOT NULL PRIMARY KEY, applied_at INTEGER NOT NULL, checksum TEXT NOT NULL) STRICT, WITHOUT ROWID",
);

/**
 * Applies missing migrations, each in its own transaction together with its record. Returns their names.
 * Several processes may run this concurrently.
 *
 * Throws {@link MigrationError} if the database is newer than `migrations`, or other migrations created it.
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

/** Maximum number of missing migrations that a message names. A new database has none of them. */
const MAX_NAMED = 3;

/** Returns a text about missing migrations, of which there is at least one: `Migration 0007_tags is missing`. */
export function missingText(pending: readonly Migration[]): string {
  const names = pending.map(({ name }) => name);
  const numbers = names.map((name) => name.replace(/_.*$/s, ""));
  return names.length > MAX_NAMED
    ? `${names.length} migrations (${numbers[0]} to ${numbers.at(-1)}) are missing`
    : names.length === 1
    ? `Migration ${names[0]} is missing`
    : `Migrations ${names.join(", ")} are missing`;
}

/** Returns the missing migrations in order. Throws {@link MigrationError} like {@link migrate}. */
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

/** Returns the checksums of applied migrations by name; empty for a new database. */
async function readApplied(database: Reader): Promise<Map<string, string>> {
  const [table] = await database.all(
    sql`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`,
  );
  if (table === undefined) return new Map();
  const rows = await database.all<{ name: string; checksum: string }>(
    sql`SELECT name, checksum FROM schema_migrations ORDER BY name`,
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/** Returns the SHA-256 of the text with normalized line breaks, as lower-case hex. */
async function checksumOf(migration: Migration): Promise<string> {
  const text = new TextEncoder().encode(migration.sql.replaceAll("\r\n", "\n"));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", text)).toHex();
}

/**
 * Splits SQL files into statements, and removes comments. A statement ends with a semicolon at the end of a
 * line (a comment may follow), a `CREATE TRIGGER` with the line `END;`.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  for (const line of sql.split(/\r?\n/)) {
    const code = line.replace(/\s*--.*$/, "");
    if (code.trim() === "") continue;
    lines.push(code);
    const trigger = /^CREATE\s+TRIGGER\b/i.test(lines[0]!);
    if (trigger ? /^END;$/i.test(code) : code.endsWith(";")) {
      statements.push(lines.join("\n").slice(0, -1));
      lines = [];
    }
  }
  if (lines.length > 0) throw new Error(`Expected ";" at the end of the statement "${lines[0]}"`);
  return statements;
}
