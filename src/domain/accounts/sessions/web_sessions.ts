/** Web sessions: signs a user in and starts one, lists a user's, and revokes them. */

import { and, desc, eq, gt, inArray, lte, ne, or } from "drizzle-orm";
import { type Context, type KnownUser, type SignIn, signIn } from "../../../auth/mod.ts";
import { randomText, sha256Hex } from "../../../base/bytes.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { AppError, forbidden, notFound } from "../../../base/errors.ts";
import {
  MAX_SESSIONS_PER_USER,
  MAX_USER_AGENT_CHARS,
  SESSION_IDLE_MS,
  SESSION_MS,
} from "../../../base/limits.ts";
import { deleteFrom, insertInto, select, update } from "../../../db/mod.ts";
import { sessions, users } from "../../../db/schema/mod.ts";
import { recordAudit } from "../../system/audit_events/record_audit.ts";

/** A session as its user sees it, with times in ISO 8601. */
interface UserSession {
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

/** Number of letters and digits in a secret: 256 random bits. */
const SECRET_CHARS = 43;

type Deps = Omit<Context, "actor">;

/** The value of a session's cookie. */
export interface StartedSession {
  readonly secret: string;
}

/** The user, browser and method of a new session. */
export interface NewSession {
  readonly userId: number;
  readonly username: string;
  readonly address: string | null;
  readonly userAgent: string;
  /** For the audit log: `password`, the name of the provider, …. */
  readonly by: string;
  /** Whether it began here instead of with a provider or a proxy; true by default. */
  readonly isLocal?: boolean;
}

/** Checks username and password, and records a failure. Errors: unauthenticated, rate_limited, unavailable. */
export async function signInRecorded(
  deps: Deps,
  input: SignIn & { userAgent: string },
): Promise<KnownUser> {
  return await signIn(deps, input).catch(async (error) => {
    if (error instanceof AppError && error.code === "unauthenticated") {
      const { username, address, userAgent } = input;
      await recordFailedSignIn(deps, { username, address, userAgent, detail: "password" });
    }
    throw error;
  });
}

/**
 * Checks username and password. Starts a session and returns the value of its cookie. If a second
 * factor is required, returns the user instead. Failures and sessions are recorded in the audit log. Errors:
 * unauthenticated, forbidden (passwords are not accepted), rate_limited, unavailable.
 */
export async function startSession(
  { deps, input }: { deps: Deps; input: SignIn & { userAgent: string } },
): Promise<StartedSession | KnownUser> {
  const { username, address, userAgent } = input;
  if (!deps.settings.signIn.local) throw forbidden();
  const user = await signInRecorded(deps, input);
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
  { userId, username, address, userAgent, by, isLocal = true }: NewSession,
): Promise<StartedSession> {
  const { database, clock } = deps;
  const secret = randomText(SECRET_CHARS);
  const now = clock.now();
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
        expires: now + SESSION_MS,
        last_seen: now,
        address: address ?? "",
        user_agent: userAgent.slice(0, MAX_USER_AGENT_CHARS),
        is_local: Number(isLocal),
      }),
      update(users).set({ last_login: now }).where(eq(users.id, userId)),
    ]);
    const client = { address, userAgent };
    await recordAudit(tx, deps, [{ event: "sign_in", userId, username, detail: by, client }]);
  });
  return { secret };
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
