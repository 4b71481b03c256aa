/** Ownership of files that an administrator creates for a service that runs as another user. */

import { lchown } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Gives a new file or folder the owner of `parent`, by default the folder it is in. Does nothing unless the user is root, because
 * only root can create files for another user, and nothing on Windows.
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

/** Returns the missing folders above a file, outermost first. */
export async function missingFolders(path: string): Promise<string[]> {
  const missing: string[] = [];
  let folder = dirname(resolve(path));
  while (!await Deno.lstat(folder).then(() => true, () => false) && folder !== dirname(folder)) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  return missing;
}
