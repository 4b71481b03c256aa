/** Whether tables, indexes and triggers are those that the migrations make. */

import { sql } from "drizzle-orm";
import { MigrationError, pendingMigrations, type Reader } from "../../../db/mod.ts";
import { type Check, counted, judged } from "./finding.ts";

/** A table, an index, a trigger. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** Its text; null for what SQLite makes on its own. */
  readonly sql: string | null;
}

/** Everything that a database is made of. SQLite's own parts and those of a server are left out. */
export async function schemaOf(database: Reader): Promise<SchemaObject[]> {
  return await database.all<SchemaObject & Record<string, never>>(
    sql`SELECT type, name, sql FROM sqlite_schema
      WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'libsql\\_%' ESCAPE '\\' AND name <> 'schema_migrations'
      ORDER BY type, name`,
  );
}

/** Every migration of this release has been applied, and none that it does not know. */
export const checkMigrations: Check = async ({ database, migrations }) => {
  try {
    const pending = await pendingMigrations(database, migrations);
    return judged("migrations", {
      wrong: pending.map(({ name }) => name),
      well: `${counted(migrations.length, "migration")} applied`,
      ill: (count) => `${counted(count, "migration")} not applied, want "certmgr migrate" to be run`,
    });
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return { check: "migrations", result: "failed", message: error.message, examples: [] };
  }
};

/** Nothing of the schema is missing or changed. A database with migrations to come is not judged. */
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
  return judged("schema", {
    wrong,
    well: behind
      ? "Not judged: migrations come first"
      : `${counted(schema.length, "object")} as the migrations make them`,
    ill: (count) => `${counted(count, "object")} missing or changed`,
  });
};
