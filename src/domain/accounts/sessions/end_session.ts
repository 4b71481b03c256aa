/** Signs out: one session, or all others of the same user. */

import { and, eq, ne } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { deleteFrom } from "../../../db/mod.ts";
import { sessions } from "../../../db/schema/mod.ts";

/** Revokes one of the caller's sessions. Errors: not_found. */
export async function endSession({ ctx, id }: { ctx: Context; id: number }): Promise<void> {
  const { userId } = ctx.actor;
  if (userId === null) throw notFound();
  const revoked = await ctx.database.write((tx) =>
    tx.run(deleteFrom(sessions).where(and(eq(sessions.id, id), eq(sessions.user_id, userId))))
  );
  if (revoked === 0) throw notFound();
}

/** Revokes all of the caller's sessions except one; returns how many. */
export async function endOtherSessions({ ctx, keep }: { ctx: Context; keep: number }): Promise<number> {
  const { userId } = ctx.actor;
  if (userId === null) return 0;
  return await ctx.database.write((tx) =>
    tx.run(deleteFrom(sessions).where(and(eq(sessions.user_id, userId), ne(sessions.id, keep))))
  );
}
