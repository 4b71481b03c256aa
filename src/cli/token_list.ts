/** `certmgr token list`: lists API tokens. */

import { Command } from "commander";
import { tokens } from "../domain/accounts/tokens/mod.ts";
import { withDatabase } from "./database.ts";
import { userByName } from "./find_user.ts";
import { listAll } from "./list_all.ts";
import { printJson } from "./output.ts";
import { printTable } from "./print_table.ts";

const HELP = `
Examples:
  certmgr token list
  certmgr token list --user admin --json`;

export function tokenListCommand(): Command {
  return new Command("list").description("list API tokens, without their keys")
    .option("--user <username>", "list only tokens of this user")
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run({ user, json }: { user?: string; json: boolean }): Promise<void> {
  const all = await withDatabase(async (ctx) => {
    if (user === undefined) return await listAll(ctx, { resource: tokens });
    const { id } = await userByName(ctx, user);
    return await listAll(ctx, { resource: tokens, filters: { user_id: String(id) } });
  });
  if (json) return printJson(all);
  printTable(
    ["Id", "Key", "User", "Description", "Enabled", "Writes", "Expires", "Last used"],
    all.map((token) => [
      token.id,
      token.display,
      token.user.username,
      token.description,
      token.enabled,
      token.write_enabled,
      token.expires,
      token.last_used,
    ]),
  );
}
