/** Revokes every token of a user. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import type { Transaction } from "../../../db/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { loadForChange, removeRows, type WriteCall } from "../../../resource/mod.ts";
import { tokens } from "./resource.ts";

/** Deletes them in the caller's transaction, each with a change record; the caller has checked who asks. */
export async function revokeTokens(
  { ctx, tx }: { ctx: Context; tx: Transaction },
  userId: number,
): Promise<void> {
  const call: WriteCall = { ctx, tx, resource: tokens, allowed: EVERYTHING };
  const found = await tx.all<{ id: number }>(sql`SELECT id FROM tokens WHERE user_id = ${userId}`);
  if (found.length === 0) return;
  const rows = await loadForChange(call, found.map(({ id }) => id));
  await removeRows(call, [...rows.values()]);
}
