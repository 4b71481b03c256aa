/** `certmgr check`: checks the integrity of the database. */

import { Command } from "commander";
import { systemClock } from "../base/clock.ts";
import { readConfig, readEnvironment } from "../config/mod.ts";
import { openFileDatabase } from "../db/file_client.ts";
import { migrate, type Migration, MIGRATIONS } from "../db/mod.ts";
import { checkDatabase, type Checkup } from "../domain/system/checkup/check_database.ts";
import { type SchemaObject, schemaOf } from "../domain/system/checkup/schema.ts";
import { openDatabase } from "./database.ts";
import { requireFile, withServerErrors } from "./database_location.ts";
import { EXIT } from "./failure.ts";
import { printJson, printLines, printNote } from "./output.ts";
import { printTable } from "./print_table.ts";

const HELP = `
Changes nothing, and can run while the service is running. The exit code is 0 if no check failed and 1
otherwise; warnings are not failures.

Examples:
  certmgr check
  certmgr check --json | jq '.checks[] | select(.result != "ok")'`;

export function checkCommand(): Command {
  return new Command("check").description("check the integrity of the database")
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run({ json }: { json: boolean }): Promise<void> {
  const config = readConfig(readEnvironment());
  if (config.database.kind === "file") await requireFile(config.database.path, { otherwise: "" });
  const migrations = MIGRATIONS;
  const schema = await expectedSchema(migrations);
  const database = await openDatabase(config);
  try {
    const checkup = await withServerErrors(config.database, async () => {
      // If a check cannot read data, this is a finding. If the server does not answer, the command fails.
      await schemaOf(database);
      return await checkDatabase(
        { database, kind: database.kind, now: systemClock.now(), migrations, schema },
        Deno.stderr.isTerminal() && !json ? { onCheck: (name) => printNote(`Checking ${name} …`) } : {},
      );
    });
    if (json) printJson(checkup);
    else print(checkup);
    if (!checkup.ok) Deno.exitCode = EXIT.failed;
  } finally {
    database.close();
  }
}

function print({ checks }: Checkup): void {
  printTable(
    ["Check", "Result", "Message"],
    checks.map(({ check, result, message }) => [check, result, message]),
  );
  for (const { check, examples } of checks) printLines(...examples.map((example) => `${check}: ${example}`));
}

/** Returns the schema that the migrations of this release create, read from a temporary database. */
async function expectedSchema(migrations: readonly Migration[]): Promise<SchemaObject[]> {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-check-" });
  try {
    const database = await openFileDatabase({ path: `${folder}/schema.db` });
    try {
      await migrate(database, { migrations, now: systemClock.now() });
      return await schemaOf(database);
    } finally {
      database.close();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
