/** `certmgr restore FILE`: replaces the database with a backup. */

import { Command } from "commander";
import { dirname } from "node:path";
import { formatDatetime, systemClock } from "../base/clock.ts";
import { readConfig, readEnvironment } from "../config/mod.ts";
import { openReleased, releaseDatabase } from "../db/file_copy.ts";
import { MIGRATIONS, pendingMigrations } from "../db/mod.ts";
import { checkDatabase } from "../domain/system/checkup/check_database.ts";
import { adoptOwner, makeOwnedFolder, requireLocalFile } from "./database_location.ts";
import { publishDraft, syncFile, withDraft } from "./draft_file.ts";
import { CommandError, failing, reasonOf } from "./failure.ts";
import { printJson, printLines } from "./output.ts";
import { withFileProgress } from "./progress.ts";

/**
 * Suffixes of files that SQLite keeps next to a database. Next to another database, they would destroy it.
 */
const SIDE_FILES = ["-wal", "-shm", "-journal"];

/** The files at the location of a database. */
interface ExistingDatabase {
  readonly taken: boolean;
  /** Refuses a database that is open. Errors: {@link CommandError}. */
  requireUnused(): void;
  /** Moves the files aside. Returns the new name; null if there were none. Errors: the same. */
  clear(): Promise<string | null>;
}

/** Inspects a location without changing it. */
async function inspectLocation(path: string): Promise<ExistingDatabase> {
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

const HELP = `
Stop the service first. The backup is copied and checked before anything else is changed. An
existing database is an error, unless --replace is given: then it is moved aside and kept. A backup
of an older release is migrated at the next start. When run as root, the database gets the owner of
its folder.

Examples:
  certmgr restore /var/backups/certmgr-2026-11-20.db
  CERTMGR_DATA_DIR=/srv/certmgr certmgr restore certmgr.db --replace`;

interface Options {
  readonly replace: boolean;
  readonly json: boolean;
}

export function restoreCommand(): Command {
  return new Command("restore").description("restore the database from a backup file")
    .argument("<file>", 'file created by "certmgr backup"')
    .option("--replace", "move an existing database aside", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(file: string, { replace, json }: Options): Promise<void> {
  const { path } = requireLocalFile(readConfig(readEnvironment()).database, {
    otherwise: "use the server's own restore",
  });
  await makeOwnedFolder(path);
  const place = await inspectLocation(path);
  if (place.taken && !replace) {
    throw new CommandError(
      `Database ${JSON.stringify(path)} already exists. Use --replace to move it aside.`,
    );
  }
  place.requireUnused();
  await withDraft(path, async (draft, finish) => {
    await copyBackup(file, draft);
    const pending = await checkBackup(file, draft);
    await adoptOwner(draft, dirname(path));
    await syncFile(draft);
    finish();
    const aside = await place.clear();
    await publishDraft(draft, path);
    report({ file, path, aside, pending }, json);
  });
}

async function copyBackup(file: string, draft: string): Promise<void> {
  const wal = await Deno.stat(`${file}-wal`).then(({ size }) => size, () => 0);
  if (wal > 0) {
    throw new CommandError(
      `File ${JSON.stringify(file)} is a database in use, not a backup: ${
        JSON.stringify(`${file}-wal`)
      } belongs to it. Use "certmgr backup" to copy it.`,
    );
  }
  try {
    // Opening a pipe would wait for its writer.
    const { size, isFile } = await Deno.stat(file);
    if (!isFile || size === 0) throw new Error(isFile ? "it is empty" : "it is not a regular file");
    using source = await Deno.open(file, { read: true });
    using target = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
    await withFileProgress(draft, () => source.readable.pipeTo(target.writable, { preventClose: true }));
    await target.sync();
  } catch (error) {
    failing(`Backup ${JSON.stringify(file)} cannot be copied`)(error);
  }
}

/**
 * Checks that the copy is an intact database of this service. Returns the names of its missing migrations.
 */
async function checkBackup(file: string, draft: string): Promise<string[]> {
  const unfit = (reason: string): CommandError =>
    new CommandError(`File ${JSON.stringify(file)} cannot be restored: ${reason}`);
  try {
    releaseDatabase(draft);
  } catch (error) {
    throw unfit(reasonOf(error));
  }
  const database = openReleased(draft);
  try {
    const migrations = MIGRATIONS;
    const pending = (await pendingMigrations(database, migrations)).map(({ name }) => name);
    if (pending.length === migrations.length) throw unfit("it is not a certmgr database");
    const now = systemClock.now();
    const checkup = await checkDatabase({ database, kind: "file", now, migrations, schema: [] }, {
      only: ["integrity", "references"],
    });
    const fault = checkup.checks.find(({ result }) => result === "failed");
    if (fault !== undefined) throw unfit(`${fault.message} (${fault.examples[0] ?? fault.check})`);
    return pending;
  } finally {
    database.close();
  }
}

function report(
  { file, path, aside, pending }: {
    file: string;
    path: string;
    aside: string | null;
    pending: readonly string[];
  },
  json: boolean,
): void {
  if (json) return printJson({ file, database: path, kept: aside, migrations_to_apply: pending });
  if (aside !== null) printLines(`Moved the previous database to ${aside}`);
  printLines(`Restored ${path} from ${file}`);
  for (const name of pending) printLines(`The next start will apply migration ${name}`);
}
