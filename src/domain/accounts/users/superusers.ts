/** Superusers: nobody becomes one by the rights of others, and the last one stays. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { idsIn, type Row, type Transaction } from "../../../db/mod.ts";
import { type Draft, refuse, type WriteStep } from "../../../resource/mod.ts";

const ONE_MUST_REMAIN = "At least one active superuser must remain.";

/** Refuses to let anybody but a superuser touch what gives a superuser's rights: his account, his tokens. */
export function guardAccounts({ actor }: Context): void {
  if (actor.isSuperuser) return;
  throw new AppError(
    "forbidden",
    "Only a superuser may do this to a superuser's account, or make a superuser.",
  );
}

/** Refuses to deactivate or demote the last active superuser. */
export async function keepSuperuser({ tx, drafts }: WriteStep): Promise<void> {
  const leaving = drafts.filter((draft) => rules(draft.before) && !rulesAfter(draft));
  if (leaving.length === 0 || drafts.some((draft) => !rules(draft.before) && rulesAfter(draft))) return;
  if (await othersRemain(tx, leaving.map((draft) => draft.id))) return;
  for (const draft of leaving) {
    refuse(draft, draft.input.is_superuser === false ? "is_superuser" : "is_active", ONE_MUST_REMAIN);
  }
}

/** Refuses to delete a superuser without being one, or the last active one. Errors: forbidden, conflict. */
export async function judgeDeletion(
  { ctx, tx, rows }: { ctx: Context; tx: Transaction; rows: readonly Row[] },
): Promise<void> {
  if (rows.some((row) => row.is_superuser === 1)) guardAccounts(ctx);
  if (!rows.some(rules) || await othersRemain(tx, rows.map((row) => row.id as number))) return;
  throw new AppError("conflict", `Unable to delete object. ${ONE_MUST_REMAIN}`);
}

function rules(row: Row | undefined): boolean {
  return row?.is_superuser === 1 && row.is_active === 1;
}

function rulesAfter({ before, input }: Draft): boolean {
  const superuser = "is_superuser" in input ? input.is_superuser : before?.is_superuser === 1;
  const active = "is_active" in input ? input.is_active : before?.is_active === 1;
  return superuser === true && active === true;
}

async function othersRemain(tx: Transaction, ids: readonly number[]): Promise<boolean> {
  const rows = await tx.all(
    sql`SELECT 1 FROM users WHERE is_superuser = 1 AND is_active = 1 AND id NOT IN ${idsIn(ids)} LIMIT 1`,
  );
  return rows.length > 0;
}
