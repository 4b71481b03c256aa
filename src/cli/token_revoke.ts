/** `certmgr token revoke`: deletes an API token. */

import { Command } from "commander";
import { AppError } from "../base/errors.ts";
import { tokens } from "../domain/accounts/tokens/mod.ts";
import { deleteObject } from "../resource/mod.ts";
import { withDatabase } from "./database.ts";
import { CommandError, UsageError } from "./failure.ts";
import { printJson, printLines } from "./output.ts";

const HELP = `
A running service may accept a revoked token for a few more seconds.

Examples:
  certmgr token list
  certmgr token revoke 3`;

export function tokenRevokeCommand(): Command {
  return new Command("revoke").description("delete an API token")
    .argument("<id>", 'id of the token, from "certmgr token list"')
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(text: string, { json }: { json: boolean }): Promise<void> {
  if (!/^\d{1,15}$/.test(text)) {
    throw new UsageError(`Invalid token id ${JSON.stringify(text)}. Use a number from "certmgr token list".`);
  }
  const id = Number(text);
  try {
    await withDatabase((ctx) => deleteObject({ ctx, resource: tokens, id }));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    throw new CommandError(`Token ${id} does not exist. Run "certmgr token list" to see all tokens.`, {
      cause: error,
    });
  }
  if (json) printJson({ id });
  else printLines(`Revoked token ${id}`);
}
