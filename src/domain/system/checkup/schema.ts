/** Checks migrations, tables, indexes and triggers. */

import { sql } from "drizzle-orm";
import { counted } from "../../../base/amounts.ts";
import { MigrationError, pendingMigrations, type Reader } from "../../../db/mod.ts";
import { type Check, toCheckResult } from "./check_result.ts";

/** A table, an index or a trigger. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** The statement that creates it; null for automatic indexes. */
  readonly sql: string | null;
}

/** Reads the schema, without the internal tables of SQLite and libSQL. */
export async function schemaOf(database: Reader): Promise<SchemaObject[]> {
  return await database.all<SchemaObject & Record<string, never>>(
    sql`SELECT type, name, sql FROM sqlite_schema
      WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'libsql\\_%' ESCAPE '\\' AND name <> 'schema_migrations'
      ORDER BY type, name`,
  );
}

/** Checks that exactly the migrations of this release were applied. */
export const checkMigrations: Check = async ({ database, migrations }) => {
  try {
    const pending = await pendingMigrations(database, migrations);
    return toCheckResult("migrations", {
      wrong: pending.map(({ name }) => name),
      ok: `${counted(migrations.length, "migration")} applied`,
      problem: (count) => `${counted(count, "migration")} not applied. Run "certmgr migrate"`,
    });
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return { check: "migrations", result: "failed", message: error.message, examples: [] };
  }
};

/** Checks that no object of the schema is missing or changed. Skipped if migrations are missing. */
export const checkSchema: Check = async ({ database, schema, migrations }) => {
  const found = new Map((await schemaOf(database)).map((one) => [`${one.type} ${one.name}`, one.sql]));
  const behind = await pendingMigrations(database, migrations).then(
    (pending) => pending.length > 0,
    () => true,
  );
  const wrong = behind
    ? []
    : schema.filter((one) => found.get(`${one.type} ${one.name}`) !== one.sql).map((one) =>
      `${one.type} ${one.name}`
    );
  return toCheckResult("schema", {
    wrong,
    ok: behind
      ? "Not checked: migrations are missing"
      : `${counted(schema.length, "object")} as created by the migrations`,
    problem: (count) => `${counted(count, "object")} missing or changed`,
  });
};
