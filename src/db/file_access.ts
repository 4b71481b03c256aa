/** Restricts access to database files to their owner, and to one process at a time. */

import { dirname, join, resolve } from "node:path";
import type { WriteTurns } from "./write_lock.ts";

/** Creates the folder of a file (0700) if it is missing. Returns the file's absolute path. */
export async function prepareFolder(path: string): Promise<string> {
  const absolute = resolve(path);
  await Deno.mkdir(dirname(absolute), { recursive: true, mode: 0o700 });
  return absolute;
}

/**
 * Creates the folder (0700) and the file (0600) of a database if they are missing. Otherwise restricts the
 * mode of the file, and of those with its name as prefix (`-wal`, `-shm`). SQLite
 * creates new ones with the mode of the file. Returns the absolute path.
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
 * Returns a function that checks whether `path` is still the same file, because writes to an open file that
 * was deleted or replaced would be lost.
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
 * Creates an empty file that only its owner can read. Returns whether it did. Does not open an existing file,
 * because closing it would release all locks of this process on it (POSIX fcntl).
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

/**
 * Returns the turns of the processes that use the file at `path`: one of them locks it at a time. The system
 * releases the lock of a process that dies.
 */
export async function openTurns(path: string): Promise<WriteTurns & Disposable> {
  const file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  let isOpen = true;
  return {
    take: () => file.lock(true),
    // A turn can end by its timer after the file was closed, which released the lock.
    end: () => isOpen ? file.unlockSync() : undefined,
    [Symbol.dispose](): void {
      isOpen = false;
      file.close();
    },
  };
}
