/** `certmgr restore FILE`: replaces the database with a backup. */

import { Command } from "commander";
import { dirname } from "node:path";
import { systemClock } from "../base/clock.ts";
import { readConfig, readEnvironment } from "../config/mod.ts";
import { openReleased, releaseDatabase } from "../db/file_copy.ts";
import { MIGRATIONS, pendingMigrations } from "../db/mod.ts";
import { checkDatabase } from "../domain/system/checkup/mod.ts";
import { adoptOwner, makeOwnedFolder } from "./adopt_owner.ts";
import { withProgressBar } from "./progress_bar.ts";
import { requireLocalFile } from "./database_location.ts";
import { CommandError } from "./failure.ts";
import { printJson, printLines } from "./output.ts";
import { publishDraft, syncFile, withDraft } from "./draft_file.ts";
import { reasonOf } from "./reason.ts";
import { inspectLocation } from "./replaced_database.ts";

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
    await withProgressBar(
      { path: draft, total: size, label: "Copying" },
      () => source.readable.pipeTo(target.writable, { preventClose: true }),
    );
    await target.sync();
  } catch (error) {
    throw new CommandError(`Backup ${JSON.stringify(file)} cannot be copied: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Checks that the copy is an intact database of this service. Returns the names of its missing migrations.
 */
async function checkBackup(file: string, draft: string): Promise<string[]> {
  const unfit = (reason: string, cause?: unknown): CommandError =>
    new CommandError(`File ${JSON.stringify(file)} cannot be restored: ${reason}`, { cause });
  try {
    releaseDatabase(draft);
  } catch (error) {
    throw unfit(reasonOf(error), error);
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
