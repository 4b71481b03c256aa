/**
 * Changes a password. Users need their current password; another user's password requires `change` on the
 * account.
 */

import { and, eq, ne } from "drizzle-orm";
import {
  clearActorCache,
  type Context,
  hashPassword,
  passwordFault,
  refuseReadOnlyToken,
} from "../../../auth/mod.ts";
import { invalid, notFound } from "../../../base/errors.ts";
import { deleteFrom, type Transaction } from "../../../db/mod.ts";
import { sessions } from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { changeDraft, loadForChange, storeDrafts, updateObject } from "../../../resource/mod.ts";
import { recordAudit } from "../../system/audit_events/mod.ts";
import { confirmPassword } from "./confirm_password.ts";
import { users } from "./resource.ts";

export interface PasswordChange {
  readonly userId: number;
  readonly password: string;
  /** The current password; required when users change their own. */
  readonly current?: string;
  readonly address?: string | null;
  /** The web session that is kept; all others of the account are revoked. */
  readonly keepSession?: number;
  /** Runs in the same transaction if users change their own password (revokes tokens). */
  readonly also?: (tx: Transaction) => Promise<void>;
}

/**
 * Sets a password and revokes the account's web sessions. Tokens are kept, unless `also` revokes them.
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
  refuseReadOnlyToken(ctx, "change");
  const fault = passwordFault(password);
  if (fault !== undefined) throw invalid({ password: [fault] });
  await confirmPassword(ctx, { current: given.current ?? "", address: given.address ?? null });
  const hash = await hashPassword(password);
  await ctx.database.write(async (tx) => {
    const call = { ctx, tx, resource: users, allowed: EVERYTHING };
    const before = (await loadForChange(call, [userId])).get(userId);
    if (before === undefined) throw notFound();
    const input = { password: hash };
    await storeDrafts(call, [changeDraft(before, { input, row: { password_hash: hash } })]);
    await tx.run(
      deleteFrom(sessions).where(and(eq(sessions.user_id, userId), ne(sessions.id, keepSession ?? 0))),
    );
    await also?.(tx);
    await recordAudit(tx, ctx, [{ event: "password_changed", userId, username: ctx.actor.username }]);
  });
  clearActorCache(ctx.database);
}
