/** Reads the migrations that ship with the service. Apart from `migrate.ts`, so that the edge need not read files. */

import type { Migration } from "./migrate.ts";

const FOLDER = new URL("../../migrations/", import.meta.url);

/** All migrations in name order. Needs permission to read `migrations/`. */
export async function loadMigrations(): Promise<Migration[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(FOLDER)) {
    if (entry.isFile && entry.name.endsWith(".sql")) names.push(entry.name);
  }
  return await Promise.all(
    names.sort().map(async (file) => ({
      name: file.slice(0, -".sql".length),
      sql: await Deno.readTextFile(new URL(file, FOLDER)),
    })),
  );
}
