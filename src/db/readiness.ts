/** Checks whether a database can serve this release. */

import { AppError } from "../base/errors.ts";
import type { Database, Reader } from "./database.ts";
import { withTimeout } from "./remote_answers.ts";
import { type Migration, MigrationError, missingText, pendingMigrations } from "./migrate.ts";

/** Why a database is not ready: a sentence, and the cause for the log. */
export interface NotReady {
  readonly reason: string;
  readonly cause?: unknown;
}

/** Why nothing is written to an open file that is no longer at its path. */
export const NOT_IN_PLACE = "The database cannot be written: its file was moved or deleted.";

/**
 * Checks that the database responds in time, is still the file at its path, and has exactly the migrations of
 * this release; undefined if so. Two statements.
 * @param options.limitMs Time limit in milliseconds; by default the limits of the database client.
 */
export async function checkReadiness(
  database: Reader & Pick<Database, "isInPlace">,
  migrations: readonly Migration[],
  { limitMs }: { limitMs?: number } = {},
): Promise<NotReady | undefined> {
  try {
    const asked = pendingMigrations(database, migrations);
    const pending = await (limitMs === undefined ? asked : withTimeout(asked, limitMs));
    if (pending.length === 0) return database.isInPlace === false ? { reason: NOT_IN_PLACE } : undefined;
    return { reason: `${missingText(pending)}. Run "certmgr migrate".` };
  } catch (cause) {
    if (cause instanceof MigrationError) return { reason: `${cause.message}.`, cause };
    if (cause instanceof AppError && "detail" in cause.public) {
      return { reason: String(cause.public.detail), cause };
    }
    return { reason: "The database cannot be read.", cause };
  }
}
