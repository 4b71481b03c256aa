/** Ownership of files that an administrator creates for a service that runs as another user. */

import { lchown } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { makeFolder } from "./database_location.ts";

/**
 * Gives a new file or folder the owner of `parent`, by default the folder that contains it. Does nothing on Windows, and
 * nothing unless the user is root, because only root can create files for another user.
 */
export async function adoptOwner(path: string, parent = dirname(resolve(path))): Promise<void> {
  const [{ uid: own }, { uid, gid }] = await Promise.all([Deno.lstat(path), Deno.stat(parent)]);
  if (uid === null || gid === null || uid === own) return;
  // lchown does not follow a link that the folder's owner may have created in the meantime, so that its
  // target keeps its owner.
  await lchown(path, uid, gid).catch((error) => {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
  });
}

/** Creates the missing folders above a file, each with the owner of the one it is in. */
export async function makeOwnedFolder(path: string): Promise<void> {
  const missing = await missingFolders(path);
  await makeFolder(path);
  for (const folder of missing) await adoptOwner(folder);
}

/** Returns the missing folders above a file, outermost first. */
async function missingFolders(path: string): Promise<string[]> {
  const missing: string[] = [];
  let folder = dirname(resolve(path));
  while (!await Deno.lstat(folder).then(() => true, () => false) && folder !== dirname(folder)) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  return missing;
}
