/** Databases for tests. Each is a separate file, cloned from one that is migrated once per run. */

import { sql } from "drizzle-orm";
import { systemClock } from "../../src/base/clock.ts";
import type { Database } from "../../src/db/database.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import { startServerPlace } from "./lent_servers.ts";
import { sharedTemplate } from "./shared_template.ts";

/** A database that removes its file when it goes out of scope. */
export type TestDatabase = Database & AsyncDisposable & {
  readonly path: string;
  /** Removes the file synchronously, for the end of the process. */
  removeSync(): void;
};

let template: Promise<Uint8Array> | undefined;

/** Returns an empty, migrated database: `await using database = await testDatabase()`. */
export async function testDatabase(): Promise<TestDatabase> {
  template ??= sharedTemplate("migrated.db", makeTemplate);
  return await cloneDatabase(await template);
}

let place: (bytes: Uint8Array) => Promise<TestDatabase> = cloneToFile;

/** Makes each later database of this test file one on a separate libSQL server. Call it before the first test. */
export async function useServers(): Promise<void> {
  const toServer = await startServerPlace();
  place = async (template) => {
    const bytes = withoutStatistics.get(template) ?? stripStatistics(template);
    withoutStatistics.set(template, bytes);
    return await toServer(await bytes);
  };
}

/** Returns an empty, migrated database in a file, even after {@link useServers}. Its bytes are cached. */
export async function testFileDatabase(): Promise<TestDatabase> {
  template ??= sharedTemplate("migrated.db", makeTemplate);
  return await cloneToFile(await template);
}

/** Returns a database with these bytes as its initial content. */
export function cloneDatabase(bytes: Uint8Array): Promise<TestDatabase> {
  return place(bytes);
}

async function cloneToFile(bytes: Uint8Array): Promise<TestDatabase> {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-test-" });
  const path = `${folder}/test.db`;
  await Deno.writeFile(path, bytes);
  const database = await openFileDatabase({ path, durable: false });
  return Object.assign(database, {
    path,
    async [Symbol.asyncDispose](): Promise<void> {
      database.close();
      await Deno.remove(folder, { recursive: true });
    },
    removeSync(): void {
      database.close();
      Deno.removeSync(folder, { recursive: true });
    },
  });
}

const withoutStatistics = new WeakMap<Uint8Array, Promise<Uint8Array>>();

/** Removes the statistics of the file in which the data was made, because a server has no statistics. */
async function stripStatistics(bytes: Uint8Array): Promise<Uint8Array> {
  await using database = await cloneToFile(bytes);
  await database.write((tx) => tx.run(sql`DROP TABLE IF EXISTS sqlite_stat1`));
  return await databaseBytes(database);
}

/** Returns the bytes of a database for {@link cloneDatabase}. */
export async function databaseBytes(database: TestDatabase): Promise<Uint8Array> {
  await database.all(sql`PRAGMA wal_checkpoint(TRUNCATE)`); // the last rows may be only in the WAL
  return await Deno.readFile(database.path);
}

/** Returns the bytes of a migrated database. */
async function makeTemplate(): Promise<Uint8Array> {
  await using database = await cloneToFile(new Uint8Array());
  await migrate(database, { migrations: MIGRATIONS, now: systemClock.now() });
  return await databaseBytes(database);
}
