/**
 * Fills a new database file with the generated inventory, several times faster than through the service's own writes:
 * rows are inserted without indexes and triggers, which are created at the end, each from sorted rows. The file must
 * not be open elsewhere; after a failure it is unusable.
 */

import { sql, type SQLWrapper } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { FileConnection } from "../../src/db/file_connection.ts";
import { migrate } from "../../src/db/migrate.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import { render } from "../../src/db/render.ts";
import { certificateRows, GENERATED_NOW, referenceRows } from "./inventory.ts";

/** Rows in one statement. */
const CHUNK = 2_000;
/** Number of certificates whose texts one statement indexes. */
const INDEXED_CHUNK = 200_000;
/** Nothing is synchronized and nothing can be rolled back: a file that is not complete is deleted. */
const SETUP = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; " +
  "PRAGMA foreign_keys = OFF; PRAGMA cache_size = -400000";
/** Bytes of the full-text index that are buffered in memory: few large parts are merged faster than many small ones. */
const SEARCH_BYTES = 96 * 1024 * 1024;
/** Tables that grow with the number of certificates. */
const LARGE_TABLES = ["certificates", "certificate_assignments", "tagged_items", "devices"];
/** Inserts blocks of counted ids (see migration 0002), names and the full-text index, as the triggers would. */
const BLOCKS = sql`INSERT INTO certificate_blocks (block, n)
  SELECT id >> 10, count(*) FROM certificates GROUP BY 1`;
const NAMES = sql`INSERT INTO certificate_sans (certificate_id, position, value)
  SELECT certificates.id, each.key, each.value FROM certificates, json_each(sans) AS each
  ORDER BY each.value COLLATE NOCASE, 1, 2`;
const ARCHIVED = sql`INSERT INTO archived_certificates (certificate_id)
  SELECT id FROM certificates WHERE archived = 1 AND pinned = 0`;

/** Reads the statistics, which are deleted together with their indexes. */
const STATISTICS = sql`SELECT json_group_array(json_array(tbl, idx, stat)) AS rows FROM sqlite_stat1`;

/** Reports the current step and its number of certificates. */
export type Progress = (step: string, done: number) => void;

/** Creates the database file at `path` with `count` certificates and the objects to which they refer. */
export async function fillFile(
  path: string,
  { count, progress = () => {} }: { readonly count: number; readonly progress?: Progress },
): Promise<void> {
  await makeEmpty(path);
  const connection = new FileConnection(path, SETUP);
  try {
    const run = (statement: SQLWrapper): unknown => connection.run(render(statement));
    const [statistics] = connection.all(render(STATISTICS));
    const restore = dropDerived(connection);
    for (const statement of referenceRows(count)) run(statement);
    for (let first = 1; first <= count; first += CHUNK) {
      const size = Math.min(CHUNK, count - first + 1);
      for (const statement of certificateRows(first, size)) run(statement);
      if ((first - 1) % (CHUNK * 50) === 0) progress("certificates", first - 1);
    }
    for (const statement of [BLOCKS, ARCHIVED, NAMES]) run(statement);
    progress("names", count);
    fillSearch(connection, { count, progress });
    for (const [index, statement] of restore.entries()) {
      connection.exec(statement);
      progress(`index or trigger ${index + 1} of ${restore.length}`, count);
    }
    connection.exec("DELETE FROM sqlite_stat1");
    run(sql`INSERT INTO sqlite_stat1 (tbl, idx, stat)
      SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${statistics?.rows})`);
  } finally {
    connection.close();
  }
}

/**
 * Creates a migrated file. It is a copy, because a closed connection releases its file only when it is
 * garbage-collected.
 */
async function makeEmpty(path: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-bench-" });
  try {
    const database = await openFileDatabase({ path: `${folder}/empty.db`, durable: false });
    await migrate(database, { migrations: MIGRATIONS, now: GENERATED_NOW });
    database.close();
    await Deno.copyFile(`${folder}/empty.db`, path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Drops the indexes and triggers of large tables, and returns the statements that create them again in the same order.
 */
function dropDerived(connection: FileConnection): string[] {
  const statement = sql`SELECT type, name, sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND type IN ('index', 'trigger')
      AND tbl_name IN (SELECT value FROM json_each(${JSON.stringify(LARGE_TABLES)}))
    ORDER BY rowid`;
  const found = connection.all(render(statement)) as { type: string; name: string; sql: string }[];
  for (const { type, name } of found) connection.exec(`DROP ${type} "${name}"`);
  return found.map((each) => each.sql);
}

function fillSearch(
  connection: FileConnection,
  { count, progress }: { count: number; progress: Progress },
): void {
  const run = (statement: SQLWrapper): unknown => connection.run(render(statement));
  const set = (name: string, value: number): unknown =>
    run(sql`INSERT INTO certificate_search (certificate_search, rank) VALUES (${name}, ${value})`);
  const configured = connection.all(render(sql`SELECT k FROM certificate_search_config`));
  const kept = JSON.stringify(configured.map(({ k }) => k));
  set("hashsize", SEARCH_BYTES);
  set("automerge", 0);
  set("crisismerge", 1_000);
  for (let first = 1; first <= count; first += INDEXED_CHUNK) {
    run(sql`INSERT INTO certificate_search (rowid, common_name, issuer, sans)
      SELECT id, common_name, issuer, (SELECT group_concat(value, char(10)) FROM json_each(sans))
      FROM certificates WHERE id >= ${first} AND id < ${first + INDEXED_CHUNK}`);
    progress("full-text index", Math.min(count, first + INDEXED_CHUNK - 1));
  }
  run(sql`INSERT INTO certificate_search (certificate_search) VALUES ('optimize')`);
  // Restores the settings of the migrations.
  run(sql`DELETE FROM certificate_search_config WHERE k NOT IN (SELECT value FROM json_each(${kept}))`);
}
