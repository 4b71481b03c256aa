/** Revokes all tokens of a user. */

import { eq } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { select, type Transaction } from "../../../db/mod.ts";
import { tokens as table } from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { loadForChange, removeRows, type WriteCall } from "../../../resource/mod.ts";
import { tokens } from "./resource.ts";

/**
 * Deletes the tokens in the given transaction, each with a change record. Does not authorize: the calling
 * operation must.
 */
export async function revokeTokens(
  { ctx, tx }: { ctx: Context; tx: Transaction },
  userId: number,
): Promise<void> {
  const call: WriteCall = { ctx, tx, resource: tokens, allowed: EVERYTHING };
  const found = await tx.all(select({ id: table.id }).from(table).where(eq(table.user_id, userId)));
  if (found.length === 0) return;
  const rows = await loadForChange(call, found.map(({ id }) => id));
  await removeRows(call, [...rows.values()]);
}
