/** `certmgr user create`: creates a user. */

import { Command } from "commander";
import { users } from "../domain/accounts/users/mod.ts";
import { createObject } from "../resource/mod.ts";
import { withDatabase } from "./database.ts";
import { printJson, printLines } from "./output.ts";
import { readPassword } from "./password.ts";

const HELP = `
Prompts for the password, or reads it from standard input. It cannot be given as an argument,
because other users could read it there. A password has 12 to 128 characters.

Examples:
  certmgr user create alice --email alice@example.com
  certmgr user create robot --password-stdin < password.txt
  certmgr user create root2 --superuser`;

interface Options {
  readonly superuser: boolean;
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly passwordStdin: boolean;
  readonly json: boolean;
}

export function userCreateCommand(): Command {
  return new Command("create").description("create a user")
    .argument("<username>", "username to sign in with")
    .option("--superuser", "grant all permissions", false)
    .option("--email <address>", "e-mail address")
    .option("--first-name <name>", "given name")
    .option("--last-name <name>", "family name")
    .option("--password-stdin", "read the password from standard input", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(username: string, options: Options): Promise<void> {
  const password = await readPassword({ fromStdin: options.passwordStdin });
  const input = {
    username,
    password,
    is_superuser: options.superuser,
    email: options.email,
    first_name: options.firstName,
    last_name: options.lastName,
  };
  const user = await withDatabase(
    (ctx) => createObject({ ctx, resource: users, input: given(input) }),
    { make: true },
  );
  if (options.json) printJson(user);
  else printLines(`Created user ${user.username} (id ${user.id})`);
}

function given(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
