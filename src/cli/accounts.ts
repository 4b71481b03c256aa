/** `certmgr user` and `certmgr token`: manage users and their API tokens. */

import { Command } from "commander";
import type { Context } from "../auth/mod.ts";
import { AppError } from "../base/errors.ts";
import { tokens } from "../domain/accounts/tokens/resource.ts";
import { changePassword } from "../domain/accounts/users/change_password.ts";
import { users } from "../domain/accounts/users/resource.ts";
import {
  createObject,
  deleteObject,
  type Identity,
  listObjects,
  type Page,
  parseListQuery,
  type Resource,
} from "../resource/mod.ts";
import type { Out } from "../resource/mod.ts";
import { withDatabase } from "./database.ts";
import { CommandError, UsageError } from "./failure.ts";
import { collect } from "./options.ts";
import { printJson, printLines } from "./output.ts";
import { readPassword } from "./password.ts";
import { printTable } from "./print_table.ts";

const USER_HELP = `
Examples:
  certmgr user create alice --email alice@example.com
  certmgr user passwd alice
  certmgr user list`;

const CREATE_USER_HELP = `
Prompts for the password, or reads it from standard input. It cannot be given as an argument,
because other users could read it there. A password has 12 to 128 characters.

Examples:
  certmgr user create alice --email alice@example.com
  certmgr user create robot --password-stdin < password.txt
  certmgr user create acme --access manage_tenant --tenant acme
  certmgr user create root2 --superuser`;

const PASSWORD_HELP = `
Prompts for the new password, or reads it from standard input. The user is signed out of all web
sessions; API tokens remain valid, see "certmgr token revoke".

Examples:
  certmgr user passwd admin
  certmgr user passwd robot --password-stdin < password.txt`;

export function userCommand(): Command {
  const command = new Command("user").description("manage users").addHelpText("after", USER_HELP);
  command.command("create").description("create a user")
    .argument("<username>", "username to sign in with")
    .option("--superuser", "grant all permissions", false)
    .option("--access <access>", "read_all, read_tenant, manage_tenant or everything")
    .option("--tenant <slug>", "tenant of read_tenant and manage_tenant")
    .option("--email <address>", "e-mail address")
    .option("--first-name <name>", "given name")
    .option("--last-name <name>", "family name")
    .option("--password-stdin", "read the password from standard input", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", CREATE_USER_HELP)
    .action(createUser);
  command.command("passwd").description("set a user's password")
    .argument("<username>", "user whose password is set")
    .option("--password-stdin", "read the password from standard input", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", PASSWORD_HELP)
    .action(setPassword);
  command.command("list").description("list users")
    .option("--json", "print JSON", false)
    .addHelpText("after", "\nExamples:\n  certmgr user list\n  certmgr user list --json")
    .action(listUsers);
  return command;
}

interface UserOptions {
  readonly superuser: boolean;
  readonly access?: string;
  readonly tenant?: string;
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly passwordStdin: boolean;
  readonly json: boolean;
}

async function createUser(username: string, options: UserOptions): Promise<void> {
  const password = await readPassword({ fromStdin: options.passwordStdin });
  const input = {
    username,
    password,
    is_superuser: options.superuser,
    access: options.access,
    access_tenant: options.tenant === undefined ? undefined : { slug: options.tenant },
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

/** Leaves out options that were not given. */
function given(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

async function setPassword(
  username: string,
  options: { passwordStdin: boolean; json: boolean },
): Promise<void> {
  const password = await readPassword({ fromStdin: options.passwordStdin });
  const user = await withDatabase(async (ctx) => {
    const found = await userByName(ctx, username);
    await changePassword({ ctx, input: { userId: found.id, password } });
    return found;
  });
  if (options.json) printJson({ id: user.id, username: user.username });
  else printLines(`Changed the password of ${user.username}`);
}

async function listUsers({ json }: { json: boolean }): Promise<void> {
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

const TOKEN_HELP = `
Examples:
  certmgr token create --user admin --description "backup job" --read-only
  certmgr token list --user admin
  certmgr token revoke 3`;

const CREATE_TOKEN_HELP = `
The key is printed once; only its hash is stored.

Examples:
  certmgr token create --user admin --description "backup job" --read-only
  certmgr token create --user robot --expires 2027-01-01 --allowed-ip 10.0.0.0/8
  TOKEN=$(certmgr token create --user admin --json | jq -r .key)`;

const LIST_TOKENS_HELP = `
Examples:
  certmgr token list
  certmgr token list --user admin --json`;

const REVOKE_HELP = `
A running service may accept a revoked token for a few more seconds.

Examples:
  certmgr token list
  certmgr token revoke 3`;

export function tokenCommand(): Command {
  const command = new Command("token").description("manage API tokens").addHelpText("after", TOKEN_HELP);
  command.command("create").description("create an API token")
    .requiredOption("--user <username>", "user that the token belongs to")
    .option("--description <text>", "what the token is used for")
    .option("--read-only", "allow reading only", false)
    .option("--expires <datetime>", "expiry (UTC unless it has an offset)")
    .option("--allowed-ip <network>", "address or network that may use it; may be repeated", collect, [])
    .option("--json", "print JSON", false)
    .addHelpText("after", CREATE_TOKEN_HELP)
    .action(createToken);
  command.command("list").description("list API tokens, without their keys")
    .option("--user <username>", "list only tokens of this user")
    .option("--json", "print JSON", false)
    .addHelpText("after", LIST_TOKENS_HELP)
    .action(listTokens);
  command.command("revoke").description("delete an API token")
    .argument("<id>", 'id of the token, from "certmgr token list"')
    .option("--json", "print JSON", false)
    .addHelpText("after", REVOKE_HELP)
    .action(revokeToken);
  return command;
}

interface TokenOptions {
  readonly user: string;
  readonly description?: string;
  readonly readOnly: boolean;
  readonly expires?: string;
  readonly allowedIp: readonly string[];
  readonly json: boolean;
}

async function createToken(options: TokenOptions): Promise<void> {
  const input = given({
    user: { username: options.user },
    write_enabled: !options.readOnly,
    allowed_ips: options.allowedIp,
    description: options.description,
    expires: options.expires,
  });
  const token = await withDatabase((ctx) => createObject({ ctx, resource: tokens, input }));
  if (options.json) return printJson(token);
  printLines(
    `Created token ${token.id} for ${options.user}. Copy the key now: it is not shown again.`,
    String(token.key),
  );
}

async function listTokens({ user, json }: { user?: string; json: boolean }): Promise<void> {
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

async function revokeToken(text: string, { json }: { json: boolean }): Promise<void> {
  if (!/^\d{1,15}$/.test(text)) {
    throw new UsageError(`Invalid token id ${JSON.stringify(text)}. Use a number from "certmgr token list".`);
  }
  const id = Number(text);
  try {
    await withDatabase((ctx) => deleteObject({ ctx, resource: tokens, id }));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    throw new CommandError(`Token ${id} does not exist. Run "certmgr token list" to see all tokens.`);
  }
  if (json) printJson({ id });
  else printLines(`Revoked token ${id}`);
}

/** Returns the user with a name, ignoring case. Errors: {@link CommandError} if there is none. */
async function userByName(ctx: Context, username: string): Promise<Out<typeof users>> {
  const [user] = await listAll(ctx, { resource: users, filters: { username__ie: username } });
  if (user !== undefined) return user;
  throw new CommandError(
    `User ${JSON.stringify(username)} does not exist. Run "certmgr user list" to see all users.`,
  );
}

/** Returns all objects of a resource, ordered by id; `filters` are those of the REST list. */
async function listAll<Of extends Identity>(
  ctx: Context,
  { resource, filters = {} }: { resource: Resource<Of>; filters?: Readonly<Record<string, string>> },
): Promise<Of[]> {
  const all: Of[] = [];
  for (let start: number | null = 0; start !== null;) {
    const params = new URLSearchParams({ ...filters, start: String(start), limit: "0" });
    const query = parseListQuery(ctx, { resource, params });
    const page: Page<Of> = await listObjects({ ctx, resource, query });
    all.push(...page.results);
    start = page.nextStart;
  }
  return all;
}
