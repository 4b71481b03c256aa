/** `certmgr migrate`: updates the database to the schema of this release. */

import { Command } from "commander";
import { systemClock } from "../base/clock.ts";
import { type Config, readConfig, readEnvironment } from "../config/mod.ts";
import { migrate, type Migration, MIGRATIONS, pendingMigrations } from "../db/mod.ts";
import { openDatabase } from "./database.ts";
import { fileExists, withServerErrors } from "./database_location.ts";
import { EXIT } from "./failure.ts";
import { printJson, printLines } from "./output.ts";

const HELP = `
With --check nothing is changed: the exit code is 0 if the database is up to date,
and 1 if migrations are missing; these are listed.

Examples:
  certmgr migrate
  certmgr migrate --check && certmgr serve`;

interface Options {
  readonly check: boolean;
  readonly json: boolean;
}

export function migrateCommand(): Command {
  return new Command("migrate").description("apply missing migrations to the database")
    .option("--check", "list missing migrations without applying them", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const config = readConfig(readEnvironment());
  if (options.check) return await check(config, options);
  const database = await openDatabase(config);
  try {
    const applied = await withServerErrors(
      config.database,
      () => migrate(database, { migrations: MIGRATIONS, now: systemClock.now() }),
    );
    if (options.json) printJson({ applied });
    else if (applied.length === 0) printLines("Database is up to date");
    else printLines(...applied.map((name) => `Applied migration ${name}`));
  } finally {
    database.close();
  }
}

async function check(config: Config, { json }: Options): Promise<void> {
  const pending = (await missing(config)).map((migration) => migration.name);
  if (json) printJson({ pending });
  else if (pending.length === 0) printLines("Database is up to date");
  else printLines(...pending.map((name) => `Missing migration ${name}`));
  if (pending.length > 0) Deno.exitCode = EXIT.failed;
}

/** Returns the missing migrations. If the file is missing, these are all. The check must not create it. */
async function missing(config: Config): Promise<readonly Migration[]> {
  if (config.database.kind === "file" && !await fileExists(config.database.path)) return MIGRATIONS;
  const database = await openDatabase(config);
  try {
    return await withServerErrors(config.database, () => pendingMigrations(database, MIGRATIONS));
  } finally {
    database.close();
  }
}
