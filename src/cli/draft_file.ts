/** Files that get their name only when they are complete, and never replace another file. */

import { basename, dirname, join } from "node:path";
import { STOP_SIGNALS } from "../signals.ts";
import { CommandError, EXIT, failing, reasonOf } from "./failure.ts";
import { printNote } from "./output.ts";

/**
 * Returns a name next to `path` for a file or folder that is not complete yet. Short, because that of `path` may have as many
 * bytes as the file system allows.
 */
function draftOf(path: string): string {
  return join(dirname(path), `certmgr-${crypto.randomUUID()}.part`);
}

/** Exit codes of a process that a signal ended, as shells report them. */
const SIGNAL_EXITS: Readonly<Partial<Record<Deno.Signal, number>>> = { SIGINT: 130, SIGTERM: 143 };

/** Temporary folders of this process. */
const folders = new Set<string>();
/** Whether a complete file gets its name, or has it. */
let isFinishing = false;

/**
 * Runs `work` with the name of a file in a temporary folder next to `path`. Removes the folder if the work fails
 * or a signal ends the process: a thread of the database library cannot create files in a folder that no longer
 * exists. After `work` has called `finish`, signals have no effect. Errors: {@link CommandError} if the folder of
 * `path` is missing or cannot be written.
 */
export async function withDraft<T>(
  path: string,
  work: (draft: string, finish: () => void) => Promise<T>,
): Promise<T> {
  if (basename(path) === "") throw new CommandError(`Invalid file name ${JSON.stringify(path)}.`);
  const folder = draftOf(path);
  const listeners = STOP_SIGNALS.map((signal) => ({ signal, stop: (): void => stopBy(signal) }));
  for (const { signal, stop } of listeners) Deno.addSignalListener(signal, stop);
  folders.add(folder);
  try {
    makeDraftFolder(folder, dirname(path));
    return await work(join(folder, "draft"), () => isFinishing = true);
  } finally {
    removeFolder(folder);
    folders.delete(folder);
    for (const { signal, stop } of listeners) Deno.removeSignalListener(signal, stop);
  }
}

function stopBy(signal: Deno.Signal): void {
  if (isFinishing) return;
  printNote(`certmgr: Stopped by ${signal}. Nothing was written.`);
  for (const folder of folders) removeFolder(folder);
  Deno.exit(SIGNAL_EXITS[signal] ?? EXIT.failed);
}

/** Makes the folder at once: a signal during the call of another thread would miss it. */
function makeDraftFolder(folder: string, parent: string): void {
  try {
    Deno.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? "does not exist."
      : `cannot be written: ${reasonOf(error)}`;
    throw new CommandError(`Folder ${JSON.stringify(parent)} ${reason}`);
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
  await Deno.rename(draft, path).catch(failing(`File ${JSON.stringify(path)} cannot be written`));
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
