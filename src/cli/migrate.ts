/** `certmgr migrate`: brings the database to the shape that this release knows. */

import { Command } from "commander";
import { systemClock } from "../base/clock.ts";
import { type Config, readConfig, readEnvironment } from "../config.ts";
import { loadMigrations } from "../db/migration_files.ts";
import { migrate, type Migration, pendingMigrations } from "../db/mod.ts";
import { openDatabase } from "./database.ts";
import { fileExists, reached } from "./database_place.ts";
import { EXIT } from "./failure.ts";
import { printJson, printLines } from "./output.ts";

const HELP = `
With --check nothing is changed: the exit code is 0 when the database is up to date,
and 1 when migrations are missing, which are then listed.

Examples:
  certmgr migrate
  certmgr migrate --check && certmgr serve`;

interface Options {
  readonly check: boolean;
  readonly json: boolean;
}

/** The command. */
export function migrateCommand(): Command {
  return new Command("migrate").description("bring the database up to date")
    .option("--check", "change nothing, fail if migrations are missing", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const config = readConfig(readEnvironment());
  const migrations = await loadMigrations();
  if (options.check) return await check(config, { migrations, json: options.json });
  const database = await openDatabase(config);
  try {
    const applied = await reached(
      config.database,
      () => migrate(database, { migrations, now: systemClock.now() }),
    );
    if (options.json) printJson({ applied });
    else if (applied.length === 0) printLines("Database is up to date");
    else printLines(...applied.map((name) => `Applied migration ${name}`));
  } finally {
    database.close();
  }
}

async function check(
  config: Config,
  { migrations, json }: { migrations: readonly Migration[]; json: boolean },
): Promise<void> {
  const pending = (await missing(config, migrations)).map((migration) => migration.name);
  if (json) printJson({ pending });
  else if (pending.length === 0) printLines("Database is up to date");
  else printLines(...pending.map((name) => `Missing migration ${name}`));
  if (pending.length > 0) Deno.exitCode = EXIT.failed;
}

/** A file that is not there lacks everything; looking must not make it. */
async function missing(config: Config, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  if (config.database.kind === "file" && !await fileExists(config.database.path)) return migrations;
  const database = await openDatabase(config);
  try {
    return await reached(config.database, () => pendingMigrations(database, migrations));
  } finally {
    database.close();
  }
}
