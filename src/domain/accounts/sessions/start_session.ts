/** Signs a user in and starts a web session. */

import { and, desc, eq, inArray, lte, or } from "drizzle-orm";
import { type Context, type KnownUser, type SignIn, signIn } from "../../../auth/mod.ts";
import { randomText, sha256Hex } from "../../../base/bytes.ts";
import { AppError, forbidden } from "../../../base/errors.ts";
import {
  MAX_SESSIONS_PER_USER,
  MAX_USER_AGENT_CHARS,
  SESSION_IDLE_MS,
  SESSION_MS,
} from "../../../base/limits.ts";
import { deleteFrom, insertInto, select, update } from "../../../db/mod.ts";
import { sessions, users } from "../../../db/schema/mod.ts";
import { recordAudit } from "../../system/audit_events/mod.ts";

/** Number of letters and digits in a secret: 256 random bits. */
const SECRET_CHARS = 43;

type Deps = Omit<Context, "actor">;

/** The value of a session's cookie and its expiry. */
export interface StartedSession {
  readonly secret: string;
  readonly expires: number;
}

/** The user, browser and method of a new session. */
export interface NewSession {
  readonly userId: number;
  readonly username: string;
  readonly address: string | null;
  readonly userAgent: string;
  /** For the audit log: `password`, the name of the provider, …. */
  readonly by: string;
  /** Whether it began here instead of with a provider, a proxy or a one-time link; true by default. */
  readonly isLocal?: boolean;
  /** Issuer of the OpenID Connect provider with which the session began. */
  readonly issuer?: string;
  readonly idToken?: string;
}

/**
 * Checks username and password. Starts a session and returns the value and expiry of its cookie. If a second
 * factor is required, returns the user instead. Failures and sessions are recorded in the audit log. Errors:
 * unauthenticated, forbidden (passwords are not accepted), rate_limited, unavailable.
 */
export async function startSession(
  { deps, input }: { deps: Deps; input: SignIn & { userAgent: string } },
): Promise<StartedSession | KnownUser> {
  const { username, address, userAgent } = input;
  if (!deps.settings.signIn.local) throw forbidden();
  const user = await signIn(deps, input).catch(async (error) => {
    if (error instanceof AppError && error.code === "unauthenticated") {
      await recordFailedSignIn(deps, { username, address, userAgent, detail: "password" });
    }
    throw error;
  });
  if (user.hasSecondFactor) return user;
  return await openSession(deps, { userId: user.userId, username, address, userAgent, by: "password" });
}

/**
 * Records a failed sign-in. An unknown username is not recorded, because it may be a password in the wrong
 * field.
 */
export async function recordFailedSignIn(
  deps: Deps,
  { username, detail, ...client }: {
    username: string;
    address: string | null;
    userAgent: string;
    detail: string;
  },
): Promise<void> {
  await deps.database.write(async (tx) => {
    const [user] = await tx.all(
      select({ id: users.id, username: users.username }).from(users).where(eq(users.username, username)),
    );
    await recordAudit(tx, deps, [{
      event: "sign_in_failed",
      userId: user?.id ?? null,
      username: user?.username ?? "",
      detail: user === undefined && username !== "" ? `${detail}, unknown user` : detail,
      client,
    }]);
  });
}

/**
 * Starts a session of an authenticated user. Deletes expired sessions of all users, and this user's oldest
 * sessions above the limit, in the same transaction.
 */
export async function openSession(
  deps: Deps,
  { userId, username, address, userAgent, by, issuer = "", idToken = "", isLocal = issuer === "" }:
    NewSession,
): Promise<StartedSession> {
  const { database, clock } = deps;
  const secret = randomText(SECRET_CHARS);
  const now = clock.now();
  const expires = now + SESSION_MS;
  const oldest = select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.user_id, userId))
    .orderBy(desc(sessions.last_seen), desc(sessions.id))
    // SQLite accepts OFFSET only after LIMIT, and the query builder leaves out a negative one.
    .limit(Number.MAX_SAFE_INTEGER).offset(MAX_SESSIONS_PER_USER - 1);
  const isIdle = lte(sessions.last_seen, now - SESSION_IDLE_MS);
  await database.write(async (tx) => {
    await tx.runAll([
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
        address: address ?? "",
        user_agent: userAgent.slice(0, MAX_USER_AGENT_CHARS),
        issuer,
        id_token: idToken,
        is_local: Number(isLocal),
      }),
      update(users).set({ last_login: now }).where(eq(users.id, userId)),
    ]);
    const client = { address, userAgent };
    await recordAudit(tx, deps, [{ event: "sign_in", userId, username, detail: by, client }]);
  });
  return { secret, expires };
}

/**
 * Starts a session of the user for whom a trusted proxy sent the username. Errors: forbidden (no such user,
 * or inactive).
 */
export async function openProxiedSession(
  deps: Deps,
  { username, ...client }: { username: string; address: string | null; userAgent: string },
): Promise<StartedSession> {
  const [user] = await deps.database.all(
    select({ id: users.id, username: users.username }).from(users)
      .where(and(eq(users.username, username), eq(users.is_active, 1))),
  );
  if (user === undefined) {
    await recordFailedSignIn(deps, { username, detail: "proxy", ...client });
    throw new AppError(
      "forbidden",
      `The proxy sent the username ${
        JSON.stringify(username.slice(0, 150))
      }, who does not exist here or is inactive.`,
    );
  }
  return await openSession(deps, {
    userId: user.id,
    username: user.username,
    by: "proxy",
    isLocal: false,
    ...client,
  });
}
