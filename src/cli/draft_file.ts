/** Files that get their name only when they are complete, and never replace another file. */

import { basename, dirname, join } from "node:path";
import { STOP_SIGNALS } from "../signals.ts";
import { CommandError, EXIT } from "./failure.ts";
import { printNote } from "./output.ts";
import { reasonOf } from "./reason.ts";

/** Returns a name next to `path` for what is not complete yet. */
export function draftOf(path: string): string {
  return `${path}.${crypto.randomUUID()}.part`;
}

/** Exit codes of a process that a signal ended, as shells report them. */
const SIGNAL_EXITS: Readonly<Partial<Record<Deno.Signal, number>>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Runs `work` with the name of a file in a temporary folder next to `path`. Removes the folder if the work fails
 * or a signal ends the process: a thread of the database library cannot create files in a folder that no longer
 * exists. After `work` has called `finish`, a signal has no effect. Errors: {@link CommandError} if the folder of
 * `path` is missing or cannot be written.
 */
export async function withDraft<T>(
  path: string,
  work: (draft: string, finish: () => void) => Promise<T>,
): Promise<T> {
  const folder = draftOf(path);
  let finishing = false;
  const listeners = STOP_SIGNALS.map((signal) => ({
    signal,
    stop: (): void => {
      if (finishing) return;
      printNote(`certmgr: Stopped by ${signal}. Nothing was written.`);
      removeFolder(folder);
      Deno.exit(SIGNAL_EXITS[signal] ?? EXIT.failed);
    },
  }));
  for (const { signal, stop } of listeners) Deno.addSignalListener(signal, stop);
  try {
    await makeDraftFolder(folder, dirname(path));
    return await work(join(folder, basename(path)), () => finishing = true);
  } finally {
    for (const { signal, stop } of listeners) Deno.removeSignalListener(signal, stop);
    removeFolder(folder);
  }
}

async function makeDraftFolder(folder: string, parent: string): Promise<void> {
  try {
    await Deno.mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? "does not exist."
      : `cannot be written: ${reasonOf(error)}`;
    throw new CommandError(`Folder ${JSON.stringify(parent)} ${reason}`, { cause: error });
  }
}

/** Number of attempts to remove a folder in which another thread creates files. */
const REMOVALS = 10;

function removeFolder(folder: string): void {
  for (let attempt = 0; attempt < REMOVALS; attempt++) {
    try {
      return Deno.removeSync(folder, { recursive: true });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
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
