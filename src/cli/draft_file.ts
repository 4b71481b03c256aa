/** Files that get their name only when they are complete, and never replace another file. */

import { dirname } from "node:path";
import { STOP_SIGNALS } from "../signals.ts";
import { CommandError, EXIT } from "./failure.ts";
import { printNote } from "./output.ts";
import { reasonOf } from "./reason.ts";

/** Returns a name next to `path` for a file that is still being written. */
export function draftOf(path: string): string {
  return `${path}.${crypto.randomUUID()}.part`;
}

/** Suffixes of files that SQLite may create next to a file while it writes it. */
const SIDE_FILES = ["-journal", "-wal", "-shm"];
/** Exit codes of a process that a signal ended, as shells report them. */
const SIGNAL_EXITS: Readonly<Partial<Record<Deno.Signal, number>>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Runs `work` with the name of a temporary file next to `path`. Removes the file if the work fails or a
 * signal ends the process. After `work` has called `finish`, a signal has no effect.
 */
export async function withDraft<T>(
  path: string,
  work: (draft: string, finish: () => void) => Promise<T>,
): Promise<T> {
  const draft = draftOf(path);
  let finishing = false;
  const listeners = STOP_SIGNALS.map((signal) => ({
    signal,
    stop: (): void => {
      if (finishing) return;
      printNote(`certmgr: Stopped by ${signal}. Nothing was written.`);
      // Last, because a thread of the database library may still create files.
      removeDraft(draft);
      Deno.exit(SIGNAL_EXITS[signal] ?? EXIT.failed);
    },
  }));
  for (const { signal, stop } of listeners) Deno.addSignalListener(signal, stop);
  try {
    return await work(draft, () => finishing = true);
  } finally {
    for (const { signal, stop } of listeners) Deno.removeSignalListener(signal, stop);
    removeDraft(draft);
  }
}

function removeDraft(draft: string): void {
  for (const name of [draft, ...SIDE_FILES.map((end) => draft + end)]) {
    try {
      Deno.removeSync(name);
    } catch {
      // It was renamed, or never created.
    }
  }
}

/** Waits until a file is stored on the disk. */
export async function syncFile(path: string): Promise<void> {
  using file = await Deno.open(path, { read: true, write: true });
  await file.sync();
}

/**
 * Gives a complete file its name, and waits until that is on the disk, too. Errors: {@link CommandError} if a
 * file of that name exists now; the draft is kept.
 */
export async function publishDraft(draft: string, path: string): Promise<void> {
  try {
    // Unlike renaming, linking never replaces a file.
    await Deno.link(draft, path);
    await Deno.remove(draft);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw fileExistsError(path);
    await renameWhereFree(draft, path);
  }
  await syncFolder(dirname(path));
}

/** Returns the error for a file that would be overwritten. */
export function fileExistsError(path: string): CommandError {
  return new CommandError(`File ${JSON.stringify(path)} already exists. Use another name.`);
}

/** Renames the file, for file systems without links. */
async function renameWhereFree(draft: string, path: string): Promise<void> {
  const taken = await Deno.lstat(path).then(() => true, () => false);
  if (taken) throw fileExistsError(path);
  await Deno.rename(draft, path).catch((error) => {
    throw new CommandError(`File ${JSON.stringify(path)} cannot be written: ${reasonOf(error)}`, {
      cause: error,
    });
  });
}

/**
 * Waits until names in a folder are on the disk. On Windows, folders cannot be opened, and names are stored
 * durably anyway.
 */
async function syncFolder(folder: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using handle = await Deno.open(folder, { read: true });
  await handle.sync();
}
