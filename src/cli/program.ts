/** All commands, and how they end. */

import { Command, CommanderError, Help, type Option } from "commander";
import { agentCommand } from "./agent.ts";
import { backupCommand } from "./backup.ts";
import { checkCommand } from "./check.ts";
import { copyCommand } from "./copy.ts";
import { csrCreateCommand } from "./csr_create.ts";
import { exportCommand } from "./export.ts";
import { describeFailure, EXIT } from "./failure.ts";
import { healthCommand } from "./health.ts";
import { importCommand } from "./import.ts";
import { migrateCommand } from "./migrate.ts";
import { printNote } from "./output.ts";
import { noticesPreviewCommand } from "./notices_preview.ts";
import { restoreCommand } from "./restore.ts";
import { scanCommand } from "./scan.ts";
import { serveCommand } from "./serve.ts";
import { settingsCommand } from "./settings.ts";
import { tokenCreateCommand } from "./token_create.ts";
import { tokenListCommand } from "./token_list.ts";
import { tokenRevokeCommand } from "./token_revoke.ts";
import { userCreateCommand } from "./user_create.ts";
import { userListCommand } from "./user_list.ts";
import { userSignInLinkCommand } from "./user_sign_in_link.ts";
import { userPasswdCommand } from "./user_passwd.ts";
import { VERSION } from "./version.ts";

const HELP = `
Settings are environment variables (CERTMGR_…), listed by "certmgr settings".
Exit codes: 0 success, 1 failure, 2 usage error or invalid setting.

Examples:
  certmgr serve                                  start the service; the first start prints a token
  certmgr token create --user admin              create another token
  certmgr import /etc/ssl/certs                  import certificates
  certmgr help import netbox                     import the inventory of a NetBox
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

/** Runs a command line (without the program's own name). Gives the exit code; says on standard error what failed. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const program = createProgram();
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return Deno.exitCode;
  } catch (error) {
    // Commander has said already what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { text, code } = describeFailure(error);
    for (const one of text.split("\n")) printNote(`certmgr: ${one}`);
    return code;
  }
}

function createProgram(): Command {
  const program = new Command("certmgr").description("an inventory of TLS certificates").version(VERSION);
  program.addCommand(serveCommand());
  program.addCommand(healthCommand());
  program.addCommand(migrateCommand());
  program.addCommand(scanCommand()).addCommand(agentCommand());
  const user = program.command("user").description("manage users").addHelpText("after", USER_HELP);
  user.addCommand(userCreateCommand()).addCommand(userPasswdCommand()).addCommand(userListCommand())
    .addCommand(userSignInLinkCommand());
  const token = program.command("token").description("manage API tokens").addHelpText("after", TOKEN_HELP);
  token.addCommand(tokenCreateCommand()).addCommand(tokenListCommand()).addCommand(tokenRevokeCommand());
  const csr = program.command("csr").description("prepare certificate signing requests").addHelpText(
    "after",
    CSR_HELP,
  );
  csr.addCommand(csrCreateCommand());
  const notices = program.command("notices").description("notifications").addHelpText("after", NOTICES_HELP);
  notices.addCommand(noticesPreviewCommand());
  // "import" and "import netbox" have options of the same name, which belong to the command in front of them.
  program.enablePositionalOptions();
  const imports = importCommand().enablePositionalOptions();
  program.addCommand(imports);
  program.addCommand(exportCommand());
  program.addCommand(backupCommand()).addCommand(restoreCommand()).addCommand(copyCommand()).addCommand(
    checkCommand(),
  );
  program.addCommand(settingsCommand());
  program.addHelpText("after", HELP);
  for (
    const command of [
      program,
      ...[program, user, token, csr, notices, imports].flatMap((group) => group.commands),
    ]
  ) {
    configure(command);
  }
  return program;
}

/** Makes usage errors exceptions, so that Commander never ends the process. */
function configure(command: Command): void {
  command.exitOverride().showSuggestionAfterError().showHelpAfterError("Run with --help for usage.");
  command.configureHelp({ optionDescription });
}

/** That a switch is off and a list is empty unless they are given goes without saying. */
function optionDescription(option: Option): string {
  return new Help().optionDescription(option).replace(/ \(default: (false|\[\])\)$/, "");
}
