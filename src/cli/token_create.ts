/** `certmgr token create`: creates an API token. */

import { Command } from "commander";
import { tokens } from "../domain/accounts/tokens/mod.ts";
import { createObject } from "../resource/mod.ts";
import { withDatabase } from "./database.ts";
import { printJson, printLines } from "./output.ts";

const HELP = `
The key is printed once; only its hash is stored.

Examples:
  certmgr token create --user admin --description "backup job" --read-only
  certmgr token create --user robot --expires 2027-01-01 --allowed-ip 10.0.0.0/8
  TOKEN=$(certmgr token create --user admin --json | jq -r .key)`;

interface Options {
  readonly user: string;
  readonly description?: string;
  readonly readOnly: boolean;
  readonly expires?: string;
  readonly allowedIp: readonly string[];
  readonly json: boolean;
}

export function tokenCreateCommand(): Command {
  return new Command("create").description("create an API token")
    .requiredOption("--user <username>", "user that the token belongs to")
    .option("--description <text>", "what the token is used for")
    .option("--read-only", "allow reading only", false)
    .option("--expires <datetime>", "expiry (UTC unless it has an offset)")
    .option(
      "--allowed-ip <network>",
      "address or network that may use the token; may be repeated",
      collect,
      [],
    )
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const input = {
    user: { username: options.user },
    write_enabled: !options.readOnly,
    allowed_ips: options.allowedIp,
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.expires === undefined ? {} : { expires: options.expires }),
  };
  const token = await withDatabase((ctx) => createObject({ ctx, resource: tokens, input }));
  if (options.json) return printJson(token);
  printLines(
    `Created token ${token.id} for ${options.user}. Copy the key now: it is not shown again.`,
    String(token.key),
  );
}

function collect(value: string, known: readonly string[]): readonly string[] {
  return [...known, value];
}
