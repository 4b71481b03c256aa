/** The location of the database: its file and folder, or its server. */

import { lchown } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { AppError } from "../base/errors.ts";
import type { DatabaseLocation } from "../config/mod.ts";
import { CommandError, reasonOf } from "./failure.ts";

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

/** Returns whether the database file exists. Errors: {@link CommandError} (it cannot be accessed). */
export async function fileExists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw await folderFailure(path, `cannot be read: ${reasonOf(error)}`);
  }
}

/** The command that starts the service: a checkout and a bundle have a task that restricts its permissions. */
export const START = Deno.build.standalone ? "certmgr serve" : "deno task start";

/** Creates the folder of a database file, accessible only to its owner. Errors: {@link CommandError}. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw await folderFailure(path, `cannot be created: ${reasonOf(error)}`);
  }
}

/**
 * Requires that the file exists, because a command that only reads must not create an empty database. Errors:
 * {@link CommandError}.
 * @param options.otherwise An alternative, for the message.
 */
export async function requireFile(path: string, { otherwise }: { otherwise: string }): Promise<void> {
  if (await fileExists(path)) return;
  throw new CommandError(
    `Database ${JSON.stringify(path)} does not exist. Create it with "${START}" or "certmgr migrate"` +
      `${otherwise}.`,
  );
}

/**
 * Returns the path of a local database file. Errors: {@link CommandError} for a database on a server.
 * @param options.otherwise Advice for a server, for the message.
 */
export function requireLocalFile(
  database: DatabaseLocation,
  { otherwise }: { otherwise: string },
): DatabaseLocation & { kind: "file" } {
  if (database.kind === "file") return database;
  throw new CommandError(`The database is on the server ${database.url}: ${otherwise}.`);
}

/** Runs the first statements. An error of the server becomes a message with its URL and the cause. */
export async function withServerErrors<T>(
  database: DatabaseLocation,
  statements: () => Promise<T>,
): Promise<T> {
  try {
    return await statements();
  } catch (error) {
    if (database.kind === "file") throw error;
    const status = statusOf(error);
    if (status === 401 || status === 403) {
      throw new CommandError(
        `Database server at ${database.url} answered with status ${status}. ` +
          "Set a valid token in CERTMGR_DATABASE_AUTH_TOKEN.",
      );
    }
    if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
    throw new CommandError(`Database server at ${database.url} cannot be reached: ${reasonOf(error)}`);
  }
}

async function folderFailure(path: string, fault: string): Promise<CommandError> {
  const folder = dirname(path);
  const isFile = await Deno.stat(folder).then((info) => !info.isDirectory, () => false);
  return new CommandError(
    `Data folder ${JSON.stringify(folder)} ${isFile ? "is a file. Use a folder" : fault}`,
  );
}

/** Returns the HTTP status with which a server refused a statement. */
function statusOf(error: unknown): unknown {
  for (let one = error; one instanceof Error; one = one.cause) if ("status" in one) return one.status;
  return undefined;
}
