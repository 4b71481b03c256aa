/** Moves an existing database file aside before another one replaces it. */

import { formatDatetime, systemClock } from "../base/clock.ts";
import { releaseDatabase } from "../db/file_copy.ts";
import { CommandError } from "./failure.ts";

/**
 * Suffixes of files that SQLite keeps next to a database. Next to another database, they would destroy it.
 */
const SIDE_FILES = ["-wal", "-shm", "-journal"];

/** The files at the location of a database. */
export interface ExistingDatabase {
  readonly taken: boolean;
  /** Refuses a database that is open. Errors: {@link CommandError}. */
  requireUnused(): void;
  /** Moves the files aside. Returns the new name; null if there were none. Errors: the same. */
  clear(): Promise<string | null>;
}

/** Inspects a location without changing it. */
export async function inspectLocation(path: string): Promise<ExistingDatabase> {
  const names = [path, ...SIDE_FILES.map((end) => path + end)];
  const present = (name: string): Promise<boolean> => Deno.lstat(name).then(() => true, () => false);
  const taken = (await Promise.all(names.map(present))).includes(true);
  const existing: ExistingDatabase = {
    taken,
    requireUnused: (): void => taken ? requireUnused(path) : undefined,
    async clear(): Promise<string | null> {
      if (!taken) return null;
      if (await present(path)) existing.requireUnused();
      const time = formatDatetime(systemClock.now()).replace(/[-:]|\.\d+/g, "");
      const kept = `${path}.replaced-${time}`;
      // The other files first, because they must never be next to a database to which they do not belong.
      for (const name of names.toReversed()) {
        if (await present(name)) await Deno.rename(name, `${kept}${name.slice(path.length)}`);
      }
      return kept;
    },
  };
  return existing;
}

function requireUnused(path: string): void {
  try {
    if (releaseDatabase(path)) return;
  } catch {
    // The file is damaged, which may be the reason for the restore. SQLite's locks cannot show whether a
    // process has it open.
    return;
  }
  throw new CommandError(
    `Database ${JSON.stringify(path)} is in use. Stop the service and all commands that use it.`,
  );
}
