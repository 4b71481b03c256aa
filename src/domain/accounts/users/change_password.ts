/** Changes a password: one's own by the present one, another's by the right to change the account. */

import { sql } from "drizzle-orm";
import {
  beginAttempt,
  clearActorCache,
  type Context,
  hashPassword,
  passwordFault,
  requireWritable,
  verifyPassword,
} from "../../../auth/mod.ts";
import { invalid, notFound } from "../../../base/errors.ts";
import type { Row, Transaction } from "../../../db/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { type Draft, loadForChange, storeDrafts, updateObject } from "../../../resource/mod.ts";
import { users } from "./resource.ts";

/** Which password is to change, and to what. */
export interface PasswordChange {
  readonly userId: number;
  readonly password: string;
  /** The present password; needed for one's own account. */
  readonly current?: string;
  readonly address?: string | null;
  /** The web session in which it happens; all others of the account end. */
  readonly keepSession?: number;
  /** Done in the same transaction when one's own password changes (revoking tokens). */
  readonly also?: (tx: Transaction) => Promise<void>;
}

/**
 * Sets a password and ends the account's web sessions; tokens stay unless `also` revokes them.
 * Errors: invalid (`current`, `password`), forbidden, not_found, rate_limited, unavailable.
 */
export async function changePassword({ ctx, input }: { ctx: Context; input: PasswordChange }): Promise<void> {
  const { userId, password } = input;
  if (ctx.actor.userId === userId) return await changeOwn(ctx, input);
  await updateObject({ ctx, resource: users, id: userId, input: { password }, mode: "patch" });
}

async function changeOwn(
  ctx: Context,
  { userId, password, keepSession, also, ...given }: PasswordChange,
): Promise<void> {
  requireWritable(ctx, "change");
  const fault = passwordFault(password);
  if (fault !== undefined) throw invalid({ password: [fault] });
  await checkCurrent(ctx, { current: given.current ?? "", address: given.address ?? null });
  const hash = await hashPassword(password);
  await ctx.database.write(async (tx) => {
    const call = { ctx, tx, resource: users, allowed: EVERYTHING };
    const before = (await loadForChange(call, [userId])).get(userId);
    if (before === undefined) throw notFound();
    await storeDrafts(call, [draftOf(userId, { before, hash })]);
    await tx.run(sql`DELETE FROM sessions WHERE user_id = ${userId} AND id <> ${keepSession ?? 0}`);
    await also?.(tx);
  });
  clearActorCache(ctx.database);
}

function draftOf(id: number, { before, hash }: { before: Row; hash: string }): Draft {
  return { id, before, input: { password: hash }, row: { password_hash: hash }, errors: {}, reveal: {} };
}

/** Counts as a sign-in attempt: an open session must not be a way to try out passwords. */
async function checkCurrent(
  { actor, database, clock }: Context,
  { current, address }: { current: string; address: string | null },
): Promise<void> {
  const attempt = beginAttempt({ database, now: clock.now() }, { username: actor.username, address });
  await attempt.wait();
  const [user] = await database.all<{ password_hash: string | null }>(
    sql`SELECT password_hash FROM users WHERE id = ${actor.userId}`,
  );
  const known = await verifyPassword(current, user?.password_hash ?? null).catch((error) => {
    attempt.withdraw();
    throw error;
  });
  if (!known) throw invalid({ current: ["This is not your present password."] });
  attempt.succeed();
}
