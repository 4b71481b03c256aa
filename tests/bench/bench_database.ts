/** Databases for benchmarks, with a superuser who has a token. */

import { hashKey } from "../../src/auth/mod.ts";
import { insertRows, migrate } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import { tokens, users } from "../../src/db/schema/mod.ts";
import { fillFile } from "./fill_file.ts";
import { GENERATED_NOW } from "./inventory.ts";

/** The superuser's token. */
export const BENCH_KEY = "b".repeat(40);

/**
 * Returns the path of the database with `count` certificates in a folder. Creates it if it is missing, and migrates it
 * otherwise.
 */
export async function benchDatabase(count: number, folder: string): Promise<string> {
  const path = `${folder}/inventory-${count}.db`;
  const found = await Deno.stat(path).then(() => true, () => false);
  if (!found) {
    console.error(`Making ${count} certificates …`);
    await Deno.remove(`${path}.part`).catch(() => {});
    await fillFile(`${path}.part`, { count });
    // A file of this name is complete.
    await Deno.rename(`${path}.part`, path);
  }
  const database = await openFileDatabase({ path });
  try {
    await migrate(database, { migrations: MIGRATIONS, now: GENERATED_NOW });
    if (found) return path;
    const stamps = { created: GENERATED_NOW, last_updated: GENERATED_NOW };
    const user = { id: 1, username: "bench", password_hash: null, is_superuser: 1, ...stamps };
    const token = { user_id: 1, key_hash: hashKey(BENCH_KEY), key_prefix: "bbbbbbbb", ...stamps };
    await database.write((tx) => tx.runAll([insertRows(users, [user]), insertRows(tokens, [token])]));
  } finally {
    database.close();
  }
  return path;
}
