/** Who may read a database file: its owner, nobody else. */

import { dirname, join, resolve } from "node:path";

/** Makes the folder (0700) of a file when missing; gives the file's absolute path. */
export async function prepareFolder(path: string): Promise<string> {
  const absolute = resolve(path);
  await Deno.mkdir(dirname(absolute), { recursive: true, mode: 0o700 });
  return absolute;
}

/**
 * Makes the folder (0700) and the file (0600) of a database when missing, and takes other people's rights from a
 * file that is there, and from those whose names begin with its own (`-wal`, `-shm`, a replica's index). SQLite gives
 * new ones the rights of the file. Gives the absolute path.
 */
export async function prepareFile(path: string): Promise<string> {
  const absolute = await prepareFolder(path);
  if (await makeFile(absolute) || Deno.build.os === "windows") return absolute;
  const folder = dirname(absolute);
  for await (const { name } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (path !== absolute && !path.startsWith(`${absolute}-`)) continue;
    await Deno.chmod(path, 0o600).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
  return absolute;
}

/**
 * Returns a function that tells whether the file at `path` is still the one that it is now: an open file that was
 * deleted, or replaced, takes writes that nobody will ever see.
 */
export function watchFile(path: string): () => boolean {
  const { dev, ino } = Deno.statSync(path);
  return () => {
    try {
      const found = Deno.statSync(path);
      return found.dev === dev && found.ino === ino;
    } catch {
      return false;
    }
  };
}

/**
 * Makes an empty file for the owner alone, and says whether it did. A file that is there is not even opened: closing it would release
 * every lock that another connection of this process holds on it (POSIX fcntl).
 */
export async function makeFile(path: string): Promise<boolean> {
  try {
    const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    file.close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}
