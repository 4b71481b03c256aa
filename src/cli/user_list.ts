/** `certmgr user list`: lists users. */

import { Command } from "commander";
import { users } from "../domain/accounts/users/mod.ts";
import { withDatabase } from "./database.ts";
import { listAll } from "./list_all.ts";
import { printJson } from "./output.ts";
import { printTable } from "./print_table.ts";

export function userListCommand(): Command {
  return new Command("list").description("list users")
    .option("--json", "print JSON", false)
    .addHelpText("after", "\nExamples:\n  certmgr user list\n  certmgr user list --json")
    .action(run);
}

async function run({ json }: { json: boolean }): Promise<void> {
  const all = await withDatabase((ctx) => listAll(ctx, { resource: users }));
  if (json) return printJson(all);
  printTable(
    ["Id", "Username", "Superuser", "Active", "Email", "Last sign-in"],
    all.map((user) => [
      user.id,
      user.username,
      user.is_superuser,
      user.is_active,
      user.email,
      user.last_login,
    ]),
  );
}
