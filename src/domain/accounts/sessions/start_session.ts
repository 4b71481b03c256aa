/** Signs a person in: gives the secret of a new web session. */

import { sql } from "drizzle-orm";
import { type Context, type SignIn, signIn } from "../../../auth/mod.ts";
import { randomText, sha256Hex } from "../../../base/bytes.ts";
import {
  MAX_SESSIONS_PER_USER,
  MAX_USER_AGENT_CHARS,
  SESSION_IDLE_MS,
  SESSION_MS,
} from "../../../base/limits.ts";
import { sessions } from "../../../db/schema/mod.ts";

/** Letters and digits of a secret: 256 bits of chance. */
const SECRET_CHARS = 43;

/**
 * Checks username and password and starts a session; gives what its cookie holds. Sessions that have ended, and those
 * beyond what one user may have, are swept out on the way.
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
  await database.write((tx) =>
    tx.runAll([
      sql`DELETE FROM ${sessions} WHERE expires <= ${now}`,
      sql`DELETE FROM ${sessions} WHERE user_id = ${userId} AND (last_seen <= ${
        now - SESSION_IDLE_MS
      } OR id IN (
            SELECT id FROM ${sessions} WHERE user_id = ${userId}
            ORDER BY last_seen DESC, id DESC LIMIT -1 OFFSET ${MAX_SESSIONS_PER_USER - 1}))`,
      sql`INSERT INTO ${sessions} (user_id, secret_hash, csrf, created, expires, last_seen, address, user_agent)
          VALUES (${userId}, ${sha256Hex(secret)}, ${randomText(SECRET_CHARS)}, ${now}, ${expires}, ${now},
                  ${input.address ?? ""}, ${input.userAgent.slice(0, MAX_USER_AGENT_CHARS)})`,
    ])
  );
  return { secret, expires };
}
