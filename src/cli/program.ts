/** All commands, their errors and exit codes. */

import { Command, CommanderError, Help, type Option } from "commander";
import { START } from "./database_location.ts";
import { EXIT } from "./failure.ts";
import { reportFailure } from "./output.ts";
import { dropRunPermission } from "./permissions.ts";
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
  certmgr copy --to libsql://db.example.com      copy the database to a server
  certmgr help import                            show the help of a command`;

const USER_HELP = `
Examples:
  certmgr user create alice --email alice@example.com
  certmgr user passwd alice
  certmgr user list`;

const TOKEN_HELP = `
Examples:
  certmgr token create --user admin --description "backup job" --read-only
  certmgr token list --user admin
  certmgr token revoke 3`;

const CSR_HELP = `
Examples:
  certmgr csr create --cn www.example.com --key-out www.key --out www.csr
  certmgr csr create --for 12 --key-out www.key --out www.csr --url https://certs.example.com`;

const NOTICES_HELP = `
Examples:
  certmgr notices preview --at 2026-12-01`;

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
  serve: async () => (await import("./serve_command.ts")).serveCommand(),
  health: async () => (await import("./health.ts")).healthCommand(),
  migrate: async () => (await import("./migrate.ts")).migrateCommand(),
  scan: async () => (await import("./scan.ts")).scanCommand(),
  agent: async () => (await import("./agent.ts")).agentCommand(),
  user: async () =>
    group({ name: "user", description: "manage users", help: USER_HELP }, [
      (await import("./user_create.ts")).userCreateCommand(),
      (await import("./user_passwd.ts")).userPasswdCommand(),
      (await import("./user_list.ts")).userListCommand(),
      (await import("./user_sign_in_link.ts")).userSignInLinkCommand(),
    ]),
  token: async () =>
    group({ name: "token", description: "manage API tokens", help: TOKEN_HELP }, [
      (await import("./token_create.ts")).tokenCreateCommand(),
      (await import("./token_list.ts")).tokenListCommand(),
      (await import("./token_revoke.ts")).tokenRevokeCommand(),
    ]),
  csr: async () =>
    group({ name: "csr", description: "prepare certificate signing requests", help: CSR_HELP }, [
      (await import("./csr_create.ts")).csrCreateCommand(),
    ]),
  notices: async () =>
    group({ name: "notices", description: "preview notices", help: NOTICES_HELP }, [
      (await import("./notices_preview.ts")).noticesPreviewCommand(),
    ]),
  // "import" and "import netbox" have options with the same names, which belong to the command before them.
  import: async () => (await import("./import.ts")).importCommand().enablePositionalOptions(),
  export: async () => (await import("./export.ts")).exportCommand(),
  backup: async () => (await import("./backup.ts")).backupCommand(),
  restore: async () => (await import("./restore.ts")).restoreCommand(),
  copy: async () => (await import("./copy.ts")).copyCommand(),
  check: async () => (await import("./check.ts")).checkCommand(),
  settings: async () => (await import("./settings.ts")).settingsCommand(),
};

function group(
  { name, description, help }: { name: string; description: string; help: string },
  commands: readonly Command[],
): Command {
  const command = new Command(name).description(description).addHelpText("after", help);
  for (const one of commands) command.addCommand(one);
  return command;
}

/** Creates the program with the command `first`, or with all commands (for help and suggestions). */
async function createProgram(first: string | undefined): Promise<Command> {
  const program = new Command("certmgr").description("an inventory of TLS certificates").version(VERSION);
  program.enablePositionalOptions().addHelpText("after", HELP);
  const named = first !== undefined && Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  const loads = named === undefined ? Object.values(COMMANDS) : [named];
  for (const command of await Promise.all(loads.map((load) => load()))) program.addCommand(command);
  program.hook("preAction", (_, command) => {
    if (command.name() !== "serve") dropRunPermission();
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
