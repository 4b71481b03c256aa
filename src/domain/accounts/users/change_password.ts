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
import { deleteFrom, select, type Transaction } from "../../../db/mod.ts";
import { sessions, tokens as table } from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import {
  changeDraft,
  loadForChange,
  removeRows,
  storeDrafts,
  updateObject,
  type WriteCall,
} from "../../../resource/mod.ts";
import { recordAudit } from "../../system/audit_events/record_audit.ts";
import { tokens } from "../tokens/resource.ts";
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
  /** Whether users who change their own password also revoke all their tokens. */
  readonly revokesTokens?: boolean;
}

/**
 * Sets a password and revokes the account's web sessions. Tokens are kept, unless the user revokes them.
 * Errors: invalid (`current`, `password`), forbidden, not_found, rate_limited, unavailable.
 */
export async function changePassword({ ctx, input }: { ctx: Context; input: PasswordChange }): Promise<void> {
  const { userId, password } = input;
  if (ctx.actor.userId === userId) return await changeOwn(ctx, input);
  await updateObject({ ctx, resource: users, id: userId, input: { password }, mode: "patch" });
}

async function changeOwn(
  ctx: Context,
  { userId, password, keepSession, revokesTokens = false, ...given }: PasswordChange,
): Promise<void> {
  refuseReadOnlyToken(ctx, "change");
  const fault = passwordFault(password);
  if (fault !== undefined) throw invalid([{ ...fault, field: "password" }]);
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
    if (revokesTokens) await revokeTokens({ ctx, tx }, userId);
    await recordAudit(tx, ctx, [{ event: "password_changed", userId, username: ctx.actor.username }]);
  });
  clearActorCache(ctx.database);
}

/** Deletes all tokens of a user, each with a change record. */
async function revokeTokens(
  { ctx, tx }: { ctx: Context; tx: Transaction },
  userId: number,
): Promise<void> {
  const call: WriteCall = { ctx, tx, resource: tokens, allowed: EVERYTHING };
  const found = await tx.all(select({ id: table.id }).from(table).where(eq(table.user_id, userId)));
  if (found.length === 0) return;
  const rows = await loadForChange(call, found.map(({ id }) => id));
  await removeRows(call, [...rows.values()]);
}
