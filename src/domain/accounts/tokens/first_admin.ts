/** Creates the administrator at the first start. */

import {
  clearActorCache,
  type Context,
  hashPassword,
  isKey,
  KEY_CHARS,
  passwordFault,
} from "../../../auth/mod.ts";
import { randomText } from "../../../base/bytes.ts";
import { invalid, invalidField } from "../../../base/errors.ts";
import { type Reader, select } from "../../../db/mod.ts";
import { users as userTable } from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import {
  anyErrors,
  type Brief,
  draftsOf,
  parseObject,
  storeDrafts,
  validateDrafts,
  type Values,
  type WriteCall,
} from "../../../resource/mod.ts";
import { users } from "../users/resource.ts";
import { tokens } from "./resource.ts";

export const FIRST_USERNAME = "admin";
/** Length of a generated password: 142 random bits. */
const GENERATED_CHARS = 24;

/** The credentials of the first user. They can be shown only once, because only their hashes are stored. */
export interface FirstAdmin {
  readonly username: string;
  readonly password: string;
  readonly token: string;
}

/**
 * Creates the superuser `admin` with a token in one transaction if no user exists; returns undefined if one
 * does. If several processes start at the same time, one of them creates it. `ctx` acts for the service.
 * @param options.password Used instead of a generated one; 12 to 128 characters.
 * @param options.token Used instead of a generated key; 40 letters and digits. Errors: invalid (`password`,
 * `token`).
 */
export async function firstAdmin(
  { ctx, ...given }: { ctx: Context; password?: string | undefined; token?: string | undefined },
): Promise<FirstAdmin | undefined> {
  if (await anyUser(ctx.database)) return undefined;
  const password = given.password ?? randomText(GENERATED_CHARS);
  const token = given.token ?? randomText(KEY_CHARS);
  validateCredentials({ password, token });
  const hash = await hashPassword(password);
  const made = await ctx.database.write(async (tx) => {
    if (await anyUser(tx)) return false;
    const user = await store({ ctx, tx, resource: users, allowed: EVERYTHING }, {
      body: { username: FIRST_USERNAME, password, is_superuser: true },
      input: { password: hash },
    });
    await store({ ctx, tx, resource: tokens, allowed: EVERYTHING }, {
      body: { user: user?.id, description: "First start" },
      reveal: { key: token },
    });
    return true;
  });
  if (!made) return undefined;
  clearActorCache(ctx.database);
  return { username: FIRST_USERNAME, password, token };
}

async function anyUser(reader: Reader): Promise<boolean> {
  return (await reader.all(select({ id: userTable.id }).from(userTable).limit(1))).length > 0;
}

function validateCredentials({ password, token }: { password: string; token: string }): void {
  const fault = passwordFault(password);
  if (fault !== undefined) throw invalid([{ ...fault, field: "password" }]);
  if (!isKey(token)) {
    throw invalidField("token", "unexpected", { expected: `${KEY_CHARS} letters and digits` });
  }
}

async function store(
  call: WriteCall,
  { body, input = {}, reveal = {} }: {
    body: Values;
    input?: Values;
    reveal?: Values;
  },
): Promise<Brief | undefined> {
  const parsed = parseObject(call.resource, body, "create");
  const drafts = await draftsOf(call, [{ ...parsed, input: { ...parsed.input, ...input } }]);
  for (const draft of drafts) Object.assign(draft.reveal, reveal);
  await validateDrafts(call, drafts);
  if (anyErrors(drafts)) throw invalid(drafts.map((draft) => draft.errors));
  const [object] = await storeDrafts(call, drafts);
  return object;
}
