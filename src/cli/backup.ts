/** `certmgr backup FILE`: copies the database while the service runs. */

import { Command } from "commander";
import { readConfig, readEnvironment } from "../config/mod.ts";
import { copyDatabase, openReleased } from "../db/file_copy.ts";
import { MigrationError, MIGRATIONS, pendingMigrations, type Reader } from "../db/mod.ts";
import { checkDatabase } from "../domain/system/checkup/check_database.ts";
import { systemClock } from "../base/clock.ts";
import { requireFile, requireLocalFile } from "./database_location.ts";
import { CommandError, failing } from "./failure.ts";
import { printJson, printLines } from "./output.ts";
import { withFileProgress } from "./progress.ts";
import { fileExistsError, publishDraft, syncFile, withDraft } from "./draft_file.ts";

const HELP = `
Copies a consistent snapshot while the service runs, without slowing it down. The file is
checked, readable by its owner only, and appears under its name when it is complete. It
contains everything in the database: protect it like the database. Restore it with "certmgr restore".

Examples:
  certmgr backup /var/backups/certmgr-$(date +%F).db
  certmgr backup /mnt/other/certmgr.db --json`;

export function backupCommand(): Command {
  return new Command("backup").description("copy the database to a file")
    .argument("<file>", "backup file to create; an existing file is not overwritten")
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(file: string, { json }: { json: boolean }): Promise<void> {
  const { path } = requireLocalFile(readConfig(readEnvironment()).database, {
    otherwise: "use the server's own backup",
  });
  await requireFile(path, { otherwise: "" });
  if (await Deno.lstat(file).then(() => true, () => false)) throw fileExistsError(file);
  await withDraft(file, async (draft, finish) => {
    await withFileProgress(draft, () => copyDatabase(path, draft)).then(() => syncFile(draft)).catch(
      failing(`Database ${JSON.stringify(path)} cannot be copied to ${JSON.stringify(file)}`),
    );
    await checkCopy(draft);
    finish();
    await publishDraft(draft, file);
  });
  const { size } = await Deno.stat(file);
  if (json) printJson({ file, bytes: size });
  else printLines(`Wrote ${file} (${(size / 1024 / 1024).toFixed(1)} MiB)`);
}

/** Checks the copy now, because a backup that cannot be restored is useless. */
async function checkCopy(draft: string): Promise<void> {
  const database = openReleased(draft);
  try {
    if (await isForeign(database)) {
      throw new CommandError(
        "The database was not created by certmgr, or has not been migrated. Nothing was backed up.",
      );
    }
    const { ok, checks } = await checkDatabase({
      database,
      kind: "file",
      now: systemClock.now(),
      migrations: MIGRATIONS,
      schema: [],
    }, { only: ["integrity"] });
    if (ok) return;
    throw new CommandError(
      `The database is damaged (${
        checks[0]?.examples[0]
      }). Run "certmgr check" for details, and keep an older backup.`,
    );
  } finally {
    database.close();
  }
}

async function isForeign(database: Reader): Promise<boolean> {
  try {
    return (await pendingMigrations(database, MIGRATIONS)).length === MIGRATIONS.length;
  } catch (error) {
    // A newer release has applied this migration, and can restore the backup.
    if (error instanceof MigrationError) return false;
    throw error;
  }
}
