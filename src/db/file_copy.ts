/** Copies database files, and prepares them for being moved. */

import type { SQLWrapper } from "drizzle-orm";
import Background from "libsql/promise";
import { BUSY_TIMEOUT_MS } from "./limits.ts";
import type { Reader, Row } from "./database.ts";
import { makeFile } from "./file_access.ts";
import { FileConnection } from "./file_connection.ts";
import { render } from "./render.ts";
import { isBusy } from "./unavailable.ts";

/**
 * Writes a consistent, compacted copy of the database at `source` to a new file that only its owner can read. Blocks
 * neither readers nor writers nor the event loop. Throws if `target` exists.
 */
export async function copyDatabase(source: string, target: string): Promise<void> {
  if (!await makeFile(target)) throw new Error(`File "${target}" exists. Use the path of a new file`);
  const connection = new Background(source, { timeout: BUSY_TIMEOUT_MS });
  try {
    await connection.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`);
  } finally {
    connection.close();
  }
}

/**
 * Moves the content of the WAL into the database file and leaves WAL mode, which SQLite allows only for an
 * exclusive connection. Returns false if another connection is open. Throws if the file is not a database.
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

/** A read-only database file. */
export interface FileReader extends Reader {
  close(): void;
}

/** Opens a released file read-only, without creating other files. */
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
