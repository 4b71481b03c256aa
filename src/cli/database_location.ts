/** The location of the database: its file and folder, or its server. */

import { dirname } from "node:path";
import { AppError } from "../base/errors.ts";
import type { DatabaseLocation } from "../config/mod.ts";
import { CommandError } from "./failure.ts";
import { reasonOf } from "./reason.ts";

/** Returns whether the database file exists. Errors: {@link CommandError} (it cannot be accessed). */
export async function fileExists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw await folderFailure(path, { fault: "cannot be read", cause: error });
  }
}

/** The command that starts the service: a checkout and a bundle have a task that restricts its permissions. */
export const START = Deno.build.standalone ? "certmgr serve" : "deno task start";

/** Creates the folder of a database file, accessible only to its owner. Errors: {@link CommandError}. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw await folderFailure(path, { fault: "cannot be created", cause: error });
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
        { cause: error },
      );
    }
    if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
    throw new CommandError(`Database server at ${database.url} cannot be reached: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

async function folderFailure(
  path: string,
  { fault, cause }: { fault: string; cause: unknown },
): Promise<CommandError> {
  const folder = dirname(path);
  const isFile = await Deno.stat(folder).then((info) => !info.isDirectory, () => false);
  const text = isFile ? "is a file. Use a folder" : `${fault}: ${reasonOf(cause)}`;
  return new CommandError(`Data folder ${JSON.stringify(folder)} ${text}`, { cause });
}

/** Returns the HTTP status with which a server refused a statement. */
function statusOf(error: unknown): unknown {
  for (let one = error; one instanceof Error; one = one.cause) if ("status" in one) return one.status;
  return undefined;
}
