/** Signs a user in and starts a web session. */

import { and, desc, eq, inArray, lte, or } from "drizzle-orm";
import { type Context, type SignIn, signIn } from "../../../auth/mod.ts";
import { randomText, sha256Hex } from "../../../base/bytes.ts";
import {
  MAX_SESSIONS_PER_USER,
  MAX_USER_AGENT_CHARS,
  SESSION_IDLE_MS,
  SESSION_MS,
} from "../../../base/limits.ts";
import { deleteFrom, insertInto, select } from "../../../db/mod.ts";
import { sessions } from "../../../db/schema/mod.ts";

/** Letters and digits of a secret: 256 random bits. */
const SECRET_CHARS = 43;

/**
 * Checks username and password and starts a session; returns the value and the expiry of its cookie. Expired sessions
 * of all users, and this user's oldest ones beyond the limit, are deleted in the same transaction.
 * Errors: unauthenticated, rate_limited, unavailable.
 */
export async function startSession(
  { deps, input }: { deps: Omit<Context, "actor">; input: SignIn & { userAgent: string } },
): Promise<{ secret: string; expires: number }> {
  const { database, clock } = deps;
  const userId = await signIn(deps, input);
  const secret = randomText(SECRET_CHARS);
  const now = clock.now();
  const expires = now + SESSION_MS;
  const oldest = select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.user_id, userId))
    .orderBy(desc(sessions.last_seen), desc(sessions.id))
    // SQLite takes an OFFSET only after a LIMIT, and the query builder leaves out a negative one.
    .limit(Number.MAX_SAFE_INTEGER).offset(MAX_SESSIONS_PER_USER - 1);
  const isIdle = lte(sessions.last_seen, now - SESSION_IDLE_MS);
  await database.write((tx) =>
    tx.runAll([
      deleteFrom(sessions).where(lte(sessions.expires, now)),
      deleteFrom(sessions)
        .where(and(eq(sessions.user_id, userId), or(isIdle, inArray(sessions.id, oldest)))),
      insertInto(sessions).values({
        user_id: userId,
        secret_hash: sha256Hex(secret),
        csrf: randomText(SECRET_CHARS),
        created: now,
        expires,
        last_seen: now,
        address: input.address ?? "",
        user_agent: input.userAgent.slice(0, MAX_USER_AGENT_CHARS),
      }),
    ])
  );
  return { secret, expires };
}
