/** Ownership of files that an administrator creates for a service with another user. */

import { lchown } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Gives a new file or folder the owner of its parent folder. Only root can create files for another user; for anyone
 * else, and on Windows, nothing changes.
 */
export async function adoptOwner(path: string): Promise<void> {
  const [{ uid: own }, { uid, gid }] = await Promise.all([
    Deno.lstat(path),
    Deno.stat(dirname(resolve(path))),
  ]);
  if (uid === null || gid === null || uid === own) return;
  // A link that the folder's owner has created in the meantime is not followed: its target would change owner.
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
