/** `certmgr user sign-in-link`: prints a link that signs a user in once. */

import { Command } from "commander";
import { signInLink } from "../domain/accounts/sessions/mod.ts";
import { withDatabase } from "./database.ts";
import { userByName } from "./find_user.ts";
import { printLines } from "./output.ts";

const HELP = `
Prints a link that signs the user in once, within ten minutes. Use it when single sign-on is down
and passwords are not accepted.

Examples:
  certmgr user sign-in-link admin`;

export function userSignInLinkCommand(): Command {
  return new Command("sign-in-link").description("print a link that signs a user in once")
    .argument("<username>", "user to sign in")
    .addHelpText("after", HELP)
    .action(run);
}

async function run(username: string): Promise<void> {
  const link = await withDatabase(async (ctx) => {
    const { id } = await userByName(ctx, username);
    return `${ctx.baseUrl}${await signInLink(ctx, id as number)}`;
  });
  printLines(link);
}
