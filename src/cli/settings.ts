/** `certmgr settings`: lists the settings. */

import { Command } from "commander";
import { settingNotes, settingsTable } from "../config/mod.ts";
import { printJson, printLines } from "./output.ts";

const HELP = `
Settings are read when a command starts. If one is invalid or unknown, the command ends with exit code 2.

Examples:
  certmgr settings
  CERTMGR_LOG_LEVEL=debug certmgr serve`;

export function settingsCommand(): Command {
  return new Command("settings").description("list all settings with their defaults")
    .option("--markdown", "print a Markdown table", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

function run({ markdown, json }: { markdown: boolean; json: boolean }): void {
  if (json) return printJson(settingNotes());
  if (markdown) return printLines(...settingsTable().trimEnd().split("\n"));
  printLines(
    ...settingNotes().flatMap((one) => [
      one.default ? `${one.name} (default ${one.default})` : one.name,
      `    ${one.description.replaceAll("`", "")}`,
    ]),
  );
}
