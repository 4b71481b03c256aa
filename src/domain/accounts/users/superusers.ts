/**
 * Guards accounts: only superusers can create or change superusers, the last active one cannot be removed, and users
 * cannot remove their own account.
 */

import { and, eq, notInArray } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { finding, textOf } from "../../../base/findings.ts";
import { idsIn, type ObjectRow, type Reader, type Row, select } from "../../../db/mod.ts";
import { users } from "../../../db/schema/mod.ts";
import { type Draft, refuse, type WriteStep } from "../../../resource/mod.ts";

const NOT_DELETED = "You cannot delete your own account. Ask another administrator.";
const ONE_MUST_REMAIN = finding("last_superuser");

/**
 * Refuses changes of accounts and tokens with a superuser's rights by anyone who is not a superuser. Errors:
 * forbidden.
 */
export function guardAccounts({ actor }: Context): void {
  if (actor.isSuperuser) return;
  throw new AppError(
    "forbidden",
    "Only superusers may create superusers or change their accounts.",
  );
}

/** Refuses users to deactivate their own account, which they could not undo. */
export function keepOwnAccount({ ctx: { actor }, drafts }: WriteStep): void {
  for (const draft of drafts) {
    const isOwn = draft.before !== undefined && draft.id === actor.userId;
    if (isOwn && draft.input.is_active === false) refuse(draft, "is_active", finding("own_account"));
  }
}

/** Refuses to deactivate or demote the last active superuser. */
export async function keepSuperuser({ tx, drafts }: WriteStep): Promise<void> {
  const leaving = drafts.filter((draft) => isActiveSuperuser(draft.before) && !willBeSuperuser(draft));
  if (
    leaving.length === 0 || drafts.some((draft) => !isActiveSuperuser(draft.before) && willBeSuperuser(draft))
  ) return;
  if (await anotherRemains(tx, leaving.map((draft) => draft.id))) return;
  for (const draft of leaving) {
    refuse(draft, draft.input.is_superuser === false ? "is_superuser" : "is_active", ONE_MUST_REMAIN);
  }
}

/**
 * Refuses to delete a superuser unless the caller is one, and to delete the last active one or the caller. Errors:
 * forbidden, conflict.
 */
export async function guardUserDeletion(
  { ctx, tx, rows }: { ctx: Context; tx: Reader; rows: readonly ObjectRow[] },
): Promise<void> {
  if (rows.some((row) => row.is_superuser === 1)) guardAccounts(ctx);
  const ids = rows.map((row) => row.id);
  const fault = rows.some(isActiveSuperuser) && !await anotherRemains(tx, ids)
    ? textOf(ONE_MUST_REMAIN)
    : ids.some((id) => id === ctx.actor.userId)
    ? NOT_DELETED
    : undefined;
  if (fault !== undefined) throw new AppError("conflict", `Unable to delete object. ${fault}`);
}

function isActiveSuperuser(row: Row | undefined): boolean {
  return row?.is_superuser === 1 && row.is_active === 1;
}

function willBeSuperuser({ before, input }: Draft): boolean {
  const superuser = "is_superuser" in input ? input.is_superuser : before?.is_superuser === 1;
  const active = "is_active" in input ? input.is_active : before?.is_active === 1;
  return superuser === true && active === true;
}

async function anotherRemains(tx: Reader, ids: readonly number[]): Promise<boolean> {
  const isOther = and(eq(users.is_superuser, 1), eq(users.is_active, 1), notInArray(users.id, idsIn(ids)));
  const rows = await tx.all(select({ id: users.id }).from(users).where(isOther).limit(1));
  return rows.length > 0;
}
