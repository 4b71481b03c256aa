/** Judges tokens, and makes their keys. */

import { sql } from "drizzle-orm";
import { type Context, hashKey, KEY_CHARS } from "../../access/mod.ts";
import { randomText } from "../../base/bytes.ts";
import { formatDatetime } from "../../base/clock.ts";
import { idsIn, type Row, type Transaction } from "../../db/mod.ts";
import { type Draft, refuse, REQUIRED, type WriteStep } from "../../resource/mod.ts";
import { guardAccounts } from "../users/mod.ts";

/** Characters of a key that stay readable: too few to guess the rest from. */
const PREFIX_CHARS = 8;

/**
 * A token is made for its maker unless he names somebody, and stays with its user. A superuser's tokens are as good
 * as his account, and as well guarded. That a caller without further rights makes tokens for himself only follows
 * from the grant that everybody has, by which the result is judged.
 */
export async function prepareTokens({ ctx, tx, drafts }: WriteStep): Promise<void> {
  for (const draft of drafts) {
    if (draft.before === undefined) {
      fillUser(draft, ctx);
      makeKey(draft);
    } else if ("user" in draft.input && draft.input.user !== draft.before.user_id) {
      refuse(draft, "user", "The user of a token cannot be changed.");
    }
    judgeEnd(draft, ctx);
  }
  const owners = drafts.map(({ input, before }) => before?.user_id ?? input.user);
  await guardOwners({ ctx, tx }, owners.filter((owner) => typeof owner === "number"));
}

/** Errors: forbidden. */
export async function judgeDeletion(
  { ctx, tx, rows }: { ctx: Context; tx: Transaction; rows: readonly Row[] },
): Promise<void> {
  await guardOwners({ ctx, tx }, rows.map((row) => row.user_id as number));
}

function fillUser(draft: Draft, { actor }: Context): void {
  if ("user" in draft.input || draft.errors.user !== undefined) return;
  if (actor.userId === null) refuse(draft, "user", REQUIRED);
  else draft.input.user = actor.userId;
}

/** A token that nobody could ever use is a slip of the pen; one whose end is long past may be written back as it was read. */
function judgeEnd(draft: Draft, { clock }: Context): void {
  const { expires } = draft.input;
  if (typeof expires !== "number" || expires > clock.now() || expires === draft.before?.expires) return;
  refuse(draft, "expires", `Expected a time in the future, not "${formatDatetime(expires)}".`);
}

/** A key that is revealed already was given by whoever runs the service (first start). */
function makeKey({ row, reveal }: Draft): void {
  const key = reveal.key === undefined ? randomText(KEY_CHARS) : reveal.key as string;
  reveal.key = key;
  row.key_hash = hashKey(key);
  row.key_prefix = key.slice(0, PREFIX_CHARS);
}

async function guardOwners(
  { ctx, tx }: { ctx: Context; tx: Transaction },
  ids: readonly number[],
): Promise<void> {
  if (ctx.actor.isSuperuser || ids.length === 0) return;
  const superusers = await tx.all(
    sql`SELECT 1 FROM users WHERE is_superuser = 1 AND id IN ${idsIn(ids)} LIMIT 1`,
  );
  if (superusers.length > 0) guardAccounts(ctx);
}
