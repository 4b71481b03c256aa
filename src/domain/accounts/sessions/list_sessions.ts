/** The caller's own web sessions. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { formatDatetime, type Millis } from "../../../base/clock.ts";
import { SESSION_IDLE_MS } from "../../../base/limits.ts";
import { sessions } from "../../../db/schema/mod.ts";

/** A session as its user sees it; times in ISO 8601. */
export interface OwnSession {
  readonly id: number;
  readonly created: string;
  readonly last_seen: string;
  readonly expires: string;
  readonly address: string;
  readonly user_agent: string;
}

type Row = { [Name in keyof OwnSession]: OwnSession[Name] extends number ? number : string | Millis };

/** Lists them, the latest used first. One statement. */
export async function listSessions({ ctx }: { ctx: Context }): Promise<OwnSession[]> {
  const now = ctx.clock.now();
  const rows = await ctx.database.all<Row>(
    sql`SELECT id, created, last_seen, expires, address, user_agent FROM ${sessions}
        WHERE user_id = ${ctx.actor.userId} AND expires > ${now} AND last_seen > ${now - SESSION_IDLE_MS}
        ORDER BY last_seen DESC, id DESC`,
  );
  return rows.map((row) => ({
    id: row.id,
    created: formatDatetime(row.created as Millis),
    last_seen: formatDatetime(row.last_seen as Millis),
    expires: formatDatetime(row.expires as Millis),
    address: String(row.address),
    user_agent: String(row.user_agent),
  }));
}
