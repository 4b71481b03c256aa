/** Authenticates browsers by their session cookie. */

import { eq, sql } from "drizzle-orm";
import { sha256Hex } from "../base/bytes.ts";
import type { Millis } from "../base/clock.ts";
import { SESSION_IDLE_MS, SESSION_NOTE_INTERVAL_MS } from "../base/limits.ts";
import { update } from "../db/mod.ts";
import { sessions, user_preferences } from "../db/schema/mod.ts";
import type { AccountSource } from "./accounts.ts";
import { actorOf } from "./authenticate.ts";
import { type Actor, mustAddSecondFactor, type SignInSettings } from "./context.ts";

const SESSION_COOKIE = "certmgr_session";

/**
 * Returns the name of the session cookie for clients that reach the service at `origin`. With https it has
 * the prefix `__Host-` (RFC 6265bis §4.1.3.2), so that neither a sibling domain nor an attacker on the
 * network can set it.
 */
export function sessionCookieName(origin: string): string {
  return origin.startsWith("https:") ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;
}

/** Columns and page size of a list. Absent members have their defaults. */
export interface ListPreferences {
  readonly columns?: readonly string[];
  readonly limit?: number;
}

/** How the user wants to see pages. Read with the session, because every page needs it. */
export interface Preferences {
  /** Name of a time zone, such as `Europe/Berlin`; empty for that of the browser. */
  readonly timeZone: string;
  /** Of lists, in pixels. */
  readonly rowHeight: number;
  /** By object type. */
  readonly lists: Readonly<Record<string, ListPreferences>>;
}

export interface Session {
  readonly id: number;
  readonly actor: Actor;
  /** Token that every form of this session contains, against cross-site request forgery. */
  readonly csrf: string;
  /** Whether the user signed in here instead of with a provider or through a proxy. */
  readonly isLocal: boolean;
  readonly preferences: Preferences;
}

interface SessionRow {
  readonly id: number;
  readonly user_id: number;
  readonly csrf: string;
  readonly last_seen: Millis;
  readonly is_local: number;
  readonly time_zone: string | null;
  readonly row_height: number | null;
  readonly lists: string | null;
}

/**
 * Returns the session for a cookie's secret; undefined if it does not exist, has expired, has been idle for
 * too long, or its user is inactive. One statement, and at intervals a second one that records the use.
 */
export async function readSession(source: AccountSource, secret: string): Promise<Session | undefined> {
  const { database, clock } = source;
  const now = clock.now();
  // A template, because every page runs it, and the query builder takes many times as long.
  const [row] = await database.all<SessionRow>(
    sql`SELECT id, user_id, csrf, last_seen, is_local, time_zone, row_height, lists
        FROM ${sessions} LEFT JOIN ${user_preferences} USING (user_id)
        WHERE secret_hash = ${sha256Hex(secret)} AND expires > ${now} AND last_seen > ${
      now - SESSION_IDLE_MS
    }`,
  );
  if (row === undefined) return undefined;
  const actor = await actorOf(source, row.user_id);
  if (actor === undefined) return undefined;
  if (row.last_seen <= now - SESSION_NOTE_INTERVAL_MS) {
    await database.write((tx) =>
      tx.run(
        update(sessions).set({ last_seen: sql`max(${sessions.last_seen}, ${now})` }).where(
          eq(sessions.id, row.id),
        ),
      )
    );
  }
  const preferences = {
    timeZone: row.time_zone ?? "",
    rowHeight: row.row_height ?? 40,
    lists: JSON.parse(row.lists ?? "{}"),
  };
  return { id: row.id, csrf: row.csrf, isLocal: row.is_local === 1, actor, preferences };
}

/**
 * Returns whether the session can only be used to add a second factor, because it is required and missing.
 */
export function awaitsSecondFactor({ isLocal, actor }: Session, settings: SignInSettings): boolean {
  return isLocal && mustAddSecondFactor(settings, actor);
}

/**
 * Returns the actor of a session; undefined without a valid session, and while the account lacks a required
 * second factor.
 */
export async function actorOfSession(
  source: AccountSource & { readonly settings: { readonly signIn: SignInSettings } },
  secret: string,
): Promise<Actor | undefined> {
  const session = await readSession(source, secret);
  return session === undefined || awaitsSecondFactor(session, source.settings.signIn)
    ? undefined
    : session.actor;
}
