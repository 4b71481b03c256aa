/** Who may read a database file: its owner, nobody else. */

import { dirname, resolve } from "node:path";

/**
 * Makes the folder (0700) and the file (0600) of a database when missing, and takes other people's rights from a
 * file that is there. SQLite gives `-wal` and `-shm` the rights of the file. Gives the file's URL.
 */
export async function prepareFile(path: string): Promise<string> {
  const absolute = resolve(path);
  await Deno.mkdir(dirname(absolute), { recursive: true, mode: 0o700 });
  const file = await Deno.open(absolute, { read: true, write: true, create: true, mode: 0o600 });
  file.close();
  if (Deno.build.os !== "windows") {
    for (const name of [absolute, `${absolute}-wal`, `${absolute}-shm`]) {
      await Deno.chmod(name, 0o600).catch((error) => {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      });
    }
  }
  return `file:${absolute.split("/").map(encodeURIComponent).join("/")}`;
}
