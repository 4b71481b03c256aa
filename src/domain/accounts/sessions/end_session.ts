/** Signs out: revokes one session, or all others of the same user. */

import { and, eq, ne } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { deleteFrom, select } from "../../../db/mod.ts";
import { sessions } from "../../../db/schema/mod.ts";
import { recordAudit } from "../../system/audit_events/mod.ts";

/** Revokes one of the caller's sessions. Errors: not_found. */
export async function endSession(
  { ctx, id, event = "session_revoked" }: {
    ctx: Context;
    id: number;
    event?: "sign_out" | "session_revoked";
  },
): Promise<void> {
  const { userId, username } = ctx.actor;
  if (userId === null) throw notFound();
  await ctx.database.write(async (tx) => {
    const own = and(eq(sessions.id, id), eq(sessions.user_id, userId));
    if (await tx.run(deleteFrom(sessions).where(own)) === 0) throw notFound();
    await recordAudit(tx, ctx, [{ event, userId, username }]);
  });
}

/** Revokes all of the caller's sessions except one. Returns their number. */
export async function endOtherSessions({ ctx, keep }: { ctx: Context; keep: number }): Promise<number> {
  const { userId, username } = ctx.actor;
  if (userId === null) return 0;
  return await ctx.database.write(async (tx) => {
    const others = and(eq(sessions.user_id, userId), ne(sessions.id, keep));
    const count = await tx.run(deleteFrom(sessions).where(others));
    const detail = `${count} other sessions`;
    if (count > 0) await recordAudit(tx, ctx, [{ event: "session_revoked", userId, username, detail }]);
    return count;
  });
}

/**
 * Returns the provider with which one of the caller's sessions began; undefined if it began here. One
 * statement.
 */
export async function providerSession(
  { ctx, id }: { ctx: Context; id: number },
): Promise<{ issuer: string; idToken: string } | undefined> {
  const [row] = await ctx.database.all(
    select({ issuer: sessions.issuer, idToken: sessions.id_token }).from(sessions)
      .where(and(eq(sessions.id, id), eq(sessions.user_id, ctx.actor.userId ?? 0))),
  );
  return row === undefined || row.issuer === "" ? undefined : row;
}
