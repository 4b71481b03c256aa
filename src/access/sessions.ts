/** Web sessions: from the cookie of a signed-in browser to an actor. */

import { sql } from "drizzle-orm";
import { sha256Hex } from "../base/bytes.ts";
import { sessions } from "../db/schema/mod.ts";
import type { AccountSource } from "./actor_cache.ts";
import { actorOf } from "./authenticate.ts";
import type { Actor } from "./context.ts";

/** Name of the cookie that holds a session's secret. */
export const SESSION_COOKIE = "certmgr_session";

/** The actor of a session; undefined when there is none, when it has ended or its user may not sign in. One statement. */
export async function actorOfSession(source: AccountSource, secret: string): Promise<Actor | undefined> {
  const { database, clock } = source;
  const [session] = await database.all<{ user_id: number }>(
    sql`SELECT user_id FROM ${sessions} WHERE secret_hash = ${
      sha256Hex(secret)
    } AND expires > ${clock.now()}`,
  );
  return session === undefined ? undefined : await actorOf(source, session.user_id);
}
