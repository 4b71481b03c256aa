/** Copies of a database file, and whether one may be taken away. Nothing here changes what is stored. */

import type { SQLWrapper } from "drizzle-orm";
import Background from "libsql/promise";
import { BUSY_TIMEOUT_MS } from "../base/limits.ts";
import type { Reader, Row } from "./database.ts";
import { makeFile } from "./file_access.ts";
import { FileConnection } from "./file_connection.ts";
import { render } from "./render.ts";
import { isBusy } from "./retry.ts";

/**
 * Writes a copy of the whole database at `source`, as of one moment and without slack, to a new file for the owner
 * alone. Neither readers nor writers wait, in whatever process; the work is done beside the event loop.
 * Throws when there is a file at `target` already.
 */
export async function copyDatabase(source: string, target: string): Promise<void> {
  if (!await makeFile(target)) throw new Error(`File "${target}" exists, want a new one`);
  const connection = new Background(source, { timeout: BUSY_TIMEOUT_MS });
  try {
    await connection.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`);
  } finally {
    connection.close();
  }
}

/** Bytes that a copy of the database will have at the most. */
export function databaseBytes(path: string): number {
  const connection = new FileConnection(path, `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  try {
    const [row] = connection.all({
      sql: "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
      args: [],
    });
    return row?.bytes as number;
  } finally {
    connection.close();
  }
}

/**
 * Moves what is in the WAL into the database itself and takes the file out of WAL mode, which SQLite does for whoever
 * is alone with the file. False when somebody else has it open. Throws when the file is no database.
 */
export function releaseDatabase(path: string): boolean {
  const connection = new FileConnection(path, "");
  try {
    connection.exec("PRAGMA journal_mode = DELETE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    connection.close();
  }
}

/** A database file that is only looked at. */
export interface FileReader extends Reader {
  close(): void;
}

/** Opens a file that was released, and makes no other file beside it. */
export function openReleased(path: string): FileReader {
  const connection = new FileConnection(path, "PRAGMA query_only = ON");
  const all = (query: SQLWrapper): Row[] => connection.all(render(query));
  return {
    // deno-lint-ignore require-await -- a refusal must be a rejection
    all: async <T = Row>(query: SQLWrapper): Promise<T[]> => all(query) as T[],
    // deno-lint-ignore require-await -- a refusal must be a rejection
    batch: async (queries): Promise<Row[][]> => queries.map(all),
    close: () => connection.close(),
  };
}
