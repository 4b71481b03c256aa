/** The first start: somebody must be there to let the others in. */

import { sql } from "drizzle-orm";
import {
  clearActorCache,
  type Context,
  hashPassword,
  isKey,
  KEY_CHARS,
  passwordFault,
} from "../../../auth/mod.ts";
import { randomText } from "../../../base/bytes.ts";
import { invalid } from "../../../base/errors.ts";
import type { Reader } from "../../../db/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import {
  anyErrors,
  draftsOf,
  parseObject,
  storeDrafts,
  validateDrafts,
  type WriteCall,
} from "../../../resource/mod.ts";
import { users } from "../users/mod.ts";
import { tokens } from "./resource.ts";

/** Name of the first user. */
const FIRST_USERNAME = "admin";
/** Characters of a password that the service makes up: 142 bits of chance. */
const MADE_UP_CHARS = 24;

/** What the first user signs in with; to be shown once, for it can be read nowhere. */
export interface FirstAdmin {
  readonly username: string;
  readonly password: string;
  readonly token: string;
}

/**
 * Makes the superuser `admin` with a token, in one transaction, if there is no user at all; undefined if there is one.
 * Of several processes that start at once, one does it. `ctx` acts for the service.
 * @param options.password taken instead of one that is made up; 12 to 128 characters.
 * @param options.token taken as the key instead of one that is made up; 40 letters and digits.
 * Errors: invalid (`password`, `token`).
 */
export async function firstAdmin(
  { ctx, ...given }: { ctx: Context; password?: string | undefined; token?: string | undefined },
): Promise<FirstAdmin | undefined> {
  if (await anyUser(ctx.database)) return undefined;
  const password = given.password ?? randomText(MADE_UP_CHARS);
  const token = given.token ?? randomText(KEY_CHARS);
  judge({ password, token });
  const hash = await hashPassword(password);
  const made = await ctx.database.write(async (tx) => {
    if (await anyUser(tx)) return false;
    const user = await store({ ctx, tx, resource: users, allowed: EVERYTHING }, {
      body: { username: FIRST_USERNAME, password, is_superuser: true },
      input: { password: hash },
    });
    await store({ ctx, tx, resource: tokens, allowed: EVERYTHING }, {
      body: { user: user.id, description: "First start" },
      reveal: { key: token },
    });
    return true;
  });
  if (!made) return undefined;
  clearActorCache(ctx.database);
  return { username: FIRST_USERNAME, password, token };
}

async function anyUser(reader: Reader): Promise<boolean> {
  return (await reader.all(sql`SELECT 1 FROM users LIMIT 1`)).length > 0;
}

function judge({ password, token }: { password: string; token: string }): void {
  const fault = passwordFault(password);
  if (fault !== undefined) throw invalid({ password: [fault] });
  if (!isKey(token)) throw invalid({ token: [`Expected ${KEY_CHARS} letters and digits.`] });
}

/** Creates one object within a transaction. */
async function store(
  call: WriteCall,
  { body, input = {}, reveal = {} }: {
    body: Record<string, unknown>;
    input?: Record<string, unknown>;
    reveal?: Record<string, unknown>;
  },
): Promise<Record<string, unknown>> {
  const parsed = parseObject(call.resource, body, "create");
  const drafts = await draftsOf(call, [{ ...parsed, input: { ...parsed.input, ...input } }]);
  for (const draft of drafts) Object.assign(draft.reveal, reveal);
  await validateDrafts(call, drafts);
  if (anyErrors(drafts)) throw invalid(drafts.map((draft) => draft.errors));
  const [object] = await storeDrafts(call, drafts);
  return object as Record<string, unknown>;
}
