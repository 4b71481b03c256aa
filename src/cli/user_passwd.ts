/** `certmgr user passwd`: sets a user's password. */

import { Command } from "commander";
import { changePassword } from "../domain/accounts/users/mod.ts";
import { withDatabase } from "./database.ts";
import { userByName } from "./find_user.ts";
import { printJson, printLines } from "./output.ts";
import { readPassword } from "./password.ts";

const HELP = `
Prompts for the new password, or reads it from standard input. The user is signed out of all web
sessions; API tokens remain valid, see "certmgr token revoke".

Examples:
  certmgr user passwd admin
  certmgr user passwd robot --password-stdin < password.txt`;

export function userPasswdCommand(): Command {
  return new Command("passwd").description("set a user's password")
    .argument("<username>", "user whose password is set")
    .option("--password-stdin", "read the password from standard input", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(username: string, options: { passwordStdin: boolean; json: boolean }): Promise<void> {
  const password = await readPassword({ fromStdin: options.passwordStdin });
  const user = await withDatabase(async (ctx) => {
    const found = await userByName(ctx, username);
    await changePassword({ ctx, input: { userId: found.id as number, password } });
    return found;
  });
  if (options.json) printJson({ id: user.id, username: user.username });
  else printLines(`Changed the password of ${user.username}`);
}
