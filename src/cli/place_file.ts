/** Files that appear under their name only when they are complete, and never in the place of another. */

import { dirname } from "node:path";
import { CommandError } from "./failure.ts";
import { reasonOf } from "./reason.ts";

/** A name beside `path` for a file that is still being written. */
export function draftOf(path: string): string {
  return `${path}.${crypto.randomUUID()}.part`;
}

/** Waits until a file is on the disk itself. */
export async function syncFile(path: string): Promise<void> {
  using file = await Deno.open(path, { read: true, write: true });
  await file.sync();
}

/**
 * Gives a complete file its name, and waits until that is on the disk too.
 * Errors: {@link CommandError} when there is a file of that name meanwhile; the draft stays.
 */
export async function placeNew(draft: string, path: string): Promise<void> {
  try {
    // A link, unlike a renaming, never replaces a file.
    await Deno.link(draft, path);
    await Deno.remove(draft);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw alreadyThere(path);
    await renameWhereFree(draft, path);
  }
  await syncFolder(dirname(path));
}

/** The refusal to write over a file. */
export function alreadyThere(path: string): CommandError {
  return new CommandError(`File ${JSON.stringify(path)} exists, want a new one`);
}

/** For file systems without links. */
async function renameWhereFree(draft: string, path: string): Promise<void> {
  const taken = await Deno.lstat(path).then(() => true, () => false);
  if (taken) throw alreadyThere(path);
  await Deno.rename(draft, path).catch((error) => {
    throw new CommandError(`File ${JSON.stringify(path)} cannot be written: ${reasonOf(error)}`, {
      cause: error,
    });
  });
}

/** Windows cannot open folders, and keeps names without being asked. */
async function syncFolder(folder: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using handle = await Deno.open(folder, { read: true });
  await handle.sync();
}
