/** A database file that another is to take the place of. */

import { systemClock } from "../base/clock.ts";
import { releaseDatabase } from "../db/file_copy.ts";
import { CommandError } from "./failure.ts";

/** What SQLite keeps next to a database; applied to another one, they would destroy it. */
const SIDE_FILES = ["-wal", "-shm", "-journal"];

/** What is at the place of a database. */
export interface Place {
  readonly taken: boolean;
  /** Errors: {@link CommandError} while somebody has the database open. */
  requireUnused(): void;
  /** Moves aside what is there; gives its new name, null where there was nothing. Errors as above. */
  clear(): Promise<string | null>;
}

/** Looks at a place, and touches nothing. */
export async function inspectLocation(path: string): Promise<Place> {
  const names = [path, ...SIDE_FILES.map((end) => path + end)];
  const present = (name: string): Promise<boolean> => Deno.lstat(name).then(() => true, () => false);
  const taken = (await Promise.all(names.map(present))).includes(true);
  const place: Place = {
    taken,
    requireUnused: (): void => taken ? requireUnused(path) : undefined,
    async clear(): Promise<string | null> {
      if (!taken) return null;
      if (await present(path)) place.requireUnused();
      const time = new Date(systemClock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
      const kept = `${path}.replaced-${time}`;
      // The side files first: they must never be next to a database that they do not belong to.
      for (const name of names.toReversed()) {
        if (await present(name)) await Deno.rename(name, `${kept}${name.slice(path.length)}`);
      }
      return kept;
    },
  };
  return place;
}

function requireUnused(path: string): void {
  try {
    if (releaseDatabase(path)) return;
  } catch {
    // Damaged, which may be why it is to be replaced: SQLite's locks cannot tell whether a process has it open.
    return;
  }
  throw new CommandError(
    `Database ${JSON.stringify(path)} is in use. Stop the service and all commands that use it.`,
  );
}
