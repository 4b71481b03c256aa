/** Changes a password: one's own needs the current one, another user's needs `change` on the account. */

import { and, eq, ne } from "drizzle-orm";
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
import { deleteFrom, type Row, select, type Transaction } from "../../../db/mod.ts";
import { sessions, users as table } from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { type Draft, loadForChange, storeDrafts, updateObject } from "../../../resource/mod.ts";
import { users } from "./resource.ts";

/** A change of a user's password. */
export interface PasswordChange {
  readonly userId: number;
  readonly password: string;
  /** The current password; required for one's own account. */
  readonly current?: string;
  readonly address?: string | null;
  /** The web session that stays open; all others of the account are revoked. */
  readonly keepSession?: number;
  /** Runs in the same transaction when one's own password changes (revokes tokens). */
  readonly also?: (tx: Transaction) => Promise<void>;
}

/**
 * Sets a password and revokes the account's web sessions; tokens stay unless `also` revokes them.
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
  await checkCurrent(ctx, { userId, current: given.current ?? "", address: given.address ?? null });
  const hash = await hashPassword(password);
  await ctx.database.write(async (tx) => {
    const call = { ctx, tx, resource: users, allowed: EVERYTHING };
    const before = (await loadForChange(call, [userId])).get(userId);
    if (before === undefined) throw notFound();
    await storeDrafts(call, [draftOf(userId, { before, hash })]);
    await tx.run(
      deleteFrom(sessions).where(and(eq(sessions.user_id, userId), ne(sessions.id, keepSession ?? 0))),
    );
    await also?.(tx);
  });
  clearActorCache(ctx.database);
}

function draftOf(id: number, { before, hash }: { before: Row; hash: string }): Draft {
  return { id, before, input: { password: hash }, row: { password_hash: hash }, errors: {}, reveal: {} };
}

/**
 * Verifies the current password. Counts as a sign-in attempt, so that an open session cannot be used to guess
 * passwords.
 */
async function checkCurrent(
  { actor, database, clock }: Context,
  { userId, current, address }: { userId: number; current: string; address: string | null },
): Promise<void> {
  const attempt = beginAttempt({ database, now: clock.now() }, { username: actor.username, address });
  await attempt.wait();
  const [user] = await database.all(
    select({ password_hash: table.password_hash }).from(table).where(eq(table.id, userId)),
  );
  const known = await verifyPassword(current, user?.password_hash ?? null).catch((error) => {
    attempt.withdraw();
    throw error;
  });
  if (!known) throw invalid({ current: ["This is not your present password."] });
  attempt.succeed();
}
