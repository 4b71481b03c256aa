/** The web sessions of the caller. */

import { and, desc, eq, gt } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { SESSION_IDLE_MS } from "../../../base/limits.ts";
import { select } from "../../../db/mod.ts";
import { sessions } from "../../../db/schema/mod.ts";

/** A session as its user sees it, with times in ISO 8601. */
export interface UserSession {
  readonly id: number;
  readonly created: string;
  readonly last_seen: string;
  readonly expires: string;
  readonly address: string;
  readonly user_agent: string;
}

/** Returns the caller's open sessions, most recently used first. One statement. */
export async function listSessions({ ctx }: { ctx: Context }): Promise<UserSession[]> {
  const { userId } = ctx.actor;
  if (userId === null) return [];
  const now = ctx.clock.now();
  const { id, created, last_seen, expires, address, user_agent } = sessions;
  const rows = await ctx.database.all(
    select({ id, created, last_seen, expires, address, user_agent })
      .from(sessions)
      .where(and(eq(sessions.user_id, userId), gt(expires, now), gt(last_seen, now - SESSION_IDLE_MS)))
      .orderBy(desc(last_seen), desc(id)),
  );
  return rows.map((row) => ({
    ...row,
    created: formatDatetime(row.created),
    last_seen: formatDatetime(row.last_seen),
    expires: formatDatetime(row.expires),
  }));
}
