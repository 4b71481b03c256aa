/** Signs out: one session, or all others of the same user. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { sessions } from "../../../db/schema/mod.ts";

/** Ends one of the caller's own sessions. Errors: not_found. */
export async function endSession({ ctx, id }: { ctx: Context; id: number }): Promise<void> {
  const ended = await ctx.database.write((tx) =>
    tx.run(sql`DELETE FROM ${sessions} WHERE id = ${id} AND user_id = ${ctx.actor.userId}`)
  );
  if (ended === 0) throw notFound();
}

/** Ends all of the caller's sessions but one; gives how many they were. */
export async function endOtherSessions({ ctx, keep }: { ctx: Context; keep: number }): Promise<number> {
  return await ctx.database.write((tx) =>
    tx.run(sql`DELETE FROM ${sessions} WHERE user_id = ${ctx.actor.userId} AND id <> ${keep}`)
  );
}
