/** All commands, their errors and exit codes. */

import { Command, CommanderError, Help, Option } from "commander";
import { settingNotes, settingsTable } from "../config/mod.ts";
import { START } from "./database_location.ts";
import { EXIT } from "./failure.ts";
import { printJson, printLines, reportFailure } from "./output.ts";
import { VERSION } from "../base/version.ts";

const HELP = `
Settings are environment variables (CERTMGR_…), listed by "certmgr settings".
Exit codes: 0 success, 1 failure, 2 usage error or invalid setting.

Examples:
  ${START.padEnd(45)}  start the service; the first start prints a token
  certmgr token create --user admin              create another token
  certmgr import /etc/ssl/certs                  import certificates
  certmgr help import netbox                     import the inventory of a NetBox instance
  certmgr export --filter status=active          export certificates
  certmgr backup certmgr-backup.db               copy the database while the service runs
  certmgr help import                            show the help of a command`;

/**
 * Runs a command line (without the program's name). Prints failures to standard error. Returns the exit code.
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(args[0]);
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return Deno.exitCode;
  } catch (error) {
    // Commander has already printed the error or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return reportFailure(error);
  }
}

/** Commands by their first word, in the order of the help. A module is loaded when its command runs. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: () => Promise.resolve(serveCommand()),
  health: async () => (await import("./health.ts")).healthCommand(),
  migrate: async () => (await import("./migrate.ts")).migrateCommand(),
  scan: async () => (await import("./scan.ts")).scanCommand(),
  agent: async () => (await import("./agent.ts")).agentCommand(),
  user: async () => (await import("./accounts.ts")).userCommand(),
  token: async () => (await import("./accounts.ts")).tokenCommand(),
  csr: async () => (await import("./csr_create.ts")).csrCommand(),
  // "import" and "import netbox" have options with the same names, which belong to the command before them.
  import: async () => (await import("./import.ts")).importCommand().enablePositionalOptions(),
  export: async () => (await import("./export.ts")).exportCommand(),
  backup: async () => (await import("./backup.ts")).backupCommand(),
  restore: async () => (await import("./restore.ts")).restoreCommand(),
  check: async () => (await import("./check.ts")).checkCommand(),
  trust: async () => (await import("./trust.ts")).trustCommand(),
  settings: () => Promise.resolve(settingsCommand()),
};

/** Creates the program with the command `first`, or with all commands (for help and suggestions). */
async function createProgram(first: string | undefined): Promise<Command> {
  const program = new Command("certmgr").description("an inventory of TLS certificates").version(VERSION);
  program.enablePositionalOptions().addHelpText("after", HELP);
  const named = first !== undefined && Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  const loads = named === undefined ? Object.values(COMMANDS) : [named];
  for (const command of await Promise.all(loads.map((load) => load()))) program.addCommand(command);
  program.hook("preAction", (_, command) => {
    // Only the service runs programs: its workers.
    if (command.name() !== "serve") Deno.permissions.revokeSync({ name: "run" });
  });
  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) {
    configure(command);
  }
  return program;
}

/** Makes usage errors exceptions, so that Commander never ends the process. */
function configure(command: Command): void {
  command.exitOverride().showSuggestionAfterError().showHelpAfterError("Run with --help for usage.");
  command.configureHelp({ optionDescription });
}

/** Leaves out obvious defaults: that a switch is off, or a list is empty. */
function optionDescription(option: Option): string {
  return new Help().optionDescription(option).replace(/ \(default: (false|\[\])\)$/, "");
}

const SERVE_HELP = `
Settings are environment variables, listed by "certmgr settings". The first start creates
the user "admin" and prints its password and API token once.

Examples:
  certmgr serve
  CERTMGR_PORT=9000 CERTMGR_DATA_DIR=/var/lib/certmgr certmgr serve`;

function serveCommand(): Command {
  const worker = new Option("--worker <number/all>", "run as one of several workers").hideHelp();
  return new Command("serve").description("run the service").addOption(worker)
    .addHelpText("after", SERVE_HELP)
    .action(async (options) => await (await import("./serve.ts")).serve(options));
}

const SETTINGS_HELP = `
Settings are read when a command starts. If one is invalid or unknown, the command ends with exit code 2.

Examples:
  certmgr settings
  CERTMGR_LOG_LEVEL=debug certmgr serve`;

function settingsCommand(): Command {
  return new Command("settings").description("list all settings with their defaults")
    .option("--markdown", "print a Markdown table", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", SETTINGS_HELP)
    .action(listSettings);
}

function listSettings({ markdown, json }: { markdown: boolean; json: boolean }): void {
  if (json) return printJson(settingNotes());
  if (markdown) return printLines(...settingsTable().trimEnd().split("\n"));
  printLines(
    ...settingNotes().flatMap((one) => [
      one.default ? `${one.name} (default ${one.default})` : one.name,
      `    ${one.description.replaceAll("`", "")}`,
    ]),
  );
}
