/** A user's second factors, their recovery codes, and the consequences of adding and removing them. */

import { and, eq, ne, sql } from "drizzle-orm";
import { randomInt } from "node:crypto";
import { clearActorCache, type Context } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";
import { formatDatetime, type Millis } from "../../../base/clock.ts";
import { AppError, forbidden, notFound } from "../../../base/errors.ts";
import { deleteFrom, insertRows, type Transaction } from "../../../db/mod.ts";
import {
  authenticator_apps,
  code_failures,
  passkeys,
  recovery_codes,
  sessions,
  users as userTable,
} from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { changeDraft, loadForChange, storeDrafts } from "../../../resource/mod.ts";
import { recordAudit } from "../../system/audit_events/record_audit.ts";
import { confirmPassword } from "../users/confirm_password.ts";
import { users } from "../users/resource.ts";

/** A passkey as its user sees it, with times in ISO 8601. */
export interface UserPasskey {
  readonly id: number;
  readonly name: string;
  readonly credentialId: string;
  readonly transports: readonly string[];
  /** Host name for which it was created. */
  readonly rpId: string;
  readonly created: string;
  readonly lastUsed: string | null;
}

export interface SecondFactors {
  /** Users without a password sign in elsewhere, and have no second factors here. */
  readonly hasPassword: boolean;
  readonly passkeys: readonly UserPasskey[];
  /** Time of the setup of the authenticator app; null without an app. */
  readonly app: string | null;
  readonly recoveryCodes: number;
}

interface FactorRow {
  readonly has_password: number;
  readonly passkeys: string;
  readonly app: number | null;
  readonly codes: number;
}

/** Returns a user's second factors, or none for a missing user. One statement. */
export async function secondFactorsOf(
  { database }: Pick<Context, "database">,
  userId: number,
): Promise<SecondFactors> {
  const [row] = await database.all<FactorRow>(sql`SELECT password_hash IS NOT NULL AS has_password,
      (SELECT json_group_array(json_object('id', id, 'name', name, 'credentialId', credential_id,
          'transports', json(transports), 'rpId', rp_id, 'created', created, 'lastUsed', last_used))
        FROM (SELECT * FROM ${passkeys} WHERE user_id = ${userId} ORDER BY id)) AS passkeys,
      (SELECT created FROM ${authenticator_apps} WHERE user_id = ${userId}) AS app,
      (SELECT count(*) FROM ${recovery_codes} WHERE user_id = ${userId}) AS codes
    FROM ${userTable} WHERE id = ${userId}`);
  const known: (UserPasskey & { created: number; lastUsed: number | null })[] = JSON.parse(
    row?.passkeys ?? "[]",
  );
  return {
    hasPassword: row?.has_password === 1,
    passkeys: known.map((one) => ({
      ...one,
      created: formatDatetime(one.created),
      lastUsed: one.lastUsed === null ? null : formatDatetime(one.lastUsed),
    })),
    app: row?.app === null || row === undefined ? null : formatDatetime(row.app),
    recoveryCodes: row?.codes ?? 0,
  };
}

/** A change of the caller's own factors, in a transaction. */
export interface FactorChange {
  readonly ctx: Context;
  readonly tx: Transaction;
  readonly detail: string;
}

/**
 * Must be called after the caller has added a factor. The first factor revokes all sessions except
 * `keepSession`, and creates recovery codes. Returns them, because they can be shown only now.
 */
export async function afterAddition(
  { ctx, tx, detail }: FactorChange,
  keepSession: number,
): Promise<readonly string[]> {
  const { userId, username } = ownUser(ctx);
  await recordAudit(tx, ctx, [{ event: "second_factor_added", userId, username, detail }]);
  if (!await storeState({ ctx, tx }, { userId, hasSecondFactor: true })) return [];
  await tx.run(deleteFrom(sessions).where(and(eq(sessions.user_id, userId), ne(sessions.id, keepSession))));
  return await createRecoveryCodes({ ctx, tx });
}

/** Completes the removal of a factor: deletes the recovery codes with the last one. Call it after the removal. */
export async function afterRemoval({ ctx, tx, detail }: FactorChange): Promise<void> {
  const { userId, username } = ownUser(ctx);
  await recordAudit(tx, ctx, [{ event: "second_factor_removed", userId, username, detail }]);
  const [{ left = 0 } = {}] = await tx.all<{ left: number }>(
    sql`SELECT (SELECT count(*) FROM ${passkeys} WHERE user_id = ${userId}) +
      (SELECT count(*) FROM ${authenticator_apps} WHERE user_id = ${userId}) AS left`,
  );
  if (left === 0) await removeAll({ ctx, tx }, userId);
}

export async function removeAll({ ctx, tx }: Omit<FactorChange, "detail">, userId: number): Promise<void> {
  await tx.runAll([
    deleteFrom(passkeys).where(eq(passkeys.user_id, userId)),
    deleteFrom(authenticator_apps).where(eq(authenticator_apps.user_id, userId)),
    deleteFrom(recovery_codes).where(eq(recovery_codes.user_id, userId)),
    deleteFrom(code_failures).where(eq(code_failures.user_id, userId)),
  ]);
  await storeState({ ctx, tx }, { userId, hasSecondFactor: false });
}

/** Stores whether the user has a factor. Returns whether this has changed. */
async function storeState(
  { ctx, tx }: Omit<FactorChange, "detail">,
  { userId, hasSecondFactor }: { userId: number; hasSecondFactor: boolean },
): Promise<boolean> {
  const call = { ctx, tx, resource: users, allowed: EVERYTHING };
  const before = (await loadForChange(call, [userId])).get(userId);
  if (before === undefined) throw notFound();
  const row = { has_second_factor: Number(hasSecondFactor) };
  if (before.has_second_factor === row.has_second_factor) return false;
  await storeDrafts(call, [changeDraft(before, { row })]);
  return true;
}

/** Runs a change of factors in a transaction. */
export async function changeFactors<T>(ctx: Context, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const result = await ctx.database.write(work);
  clearActorCache(ctx.database);
  return result;
}

/**
 * Returns new codes; the old ones no longer work. Errors: invalid (`current`), conflict (the user has no
 * second factor), rate_limited.
 */
export async function renewRecoveryCodes(ctx: Context, given: WithPassword): Promise<readonly string[]> {
  await confirmPassword(ctx, given);
  const { passkeys, app } = await secondFactorsOf(ctx, ownUser(ctx).userId);
  if (passkeys.length === 0 && app === null) {
    throw new AppError(
      "conflict",
      "Recovery codes belong to a second factor. Add a passkey or an app first.",
    );
  }
  return await ctx.database.write((tx) => createRecoveryCodes({ ctx, tx }));
}

/** Number of codes that a user gets at once. */
export const RECOVERY_CODES = 10;
/** Without letters and digits that look alike. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
/** Groups of four letters: 79 random bits, so that a plain hash is safe. */
const GROUPS = 4;

/** Replaces the caller's recovery codes and returns the new ones, which can be shown only now. */
export async function createRecoveryCodes(
  { ctx, tx }: { ctx: Context; tx: Transaction },
): Promise<readonly string[]> {
  const { userId, username } = ownUser(ctx);
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  await tx.runAll([
    deleteFrom(recovery_codes).where(eq(recovery_codes.user_id, userId)),
    insertRows(recovery_codes, codes.map((code) => ({ hash: codeHash(userId, code), user_id: userId }))),
  ]);
  await recordAudit(tx, ctx, [{ event: "recovery_codes_created", userId, username }]);
  return codes;
}

/** Returns whether a text is a recovery code of the user, and marks the code as used. */
export async function useRecoveryCode(
  tx: Transaction,
  { userId, code }: { userId: number; code: string },
): Promise<boolean> {
  const hash = codeHash(userId, code);
  return await tx.run(deleteFrom(recovery_codes).where(eq(recovery_codes.hash, hash))) === 1;
}

function newCode(): string {
  const group = (): string => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

/** Returns the hash of a code. Users may enter codes without hyphens and in upper case. */
function codeHash(userId: number, code: string): string {
  return sha256Hex(`${userId} ${code.toLowerCase().replaceAll(/[\s-]/g, "")}`);
}

/** Maximum time between the two steps. */
export const SETUP_MS: Millis = 600_000;

/** The caller's password, and the address for which failures are counted. */
export interface WithPassword {
  readonly current: string;
  readonly address: string | null;
}

/** The second step. */
export interface Setup {
  /** State that the first step stored in the browser. */
  readonly setup: string;
  /** The web session that is kept; the first factor revokes all others. */
  readonly keepSession: number;
}

/** Returns the user who makes the request. Errors: forbidden (it is the service itself). */
export function ownUser({ actor: { userId, username } }: Context): { userId: number; username: string } {
  if (userId === null) throw forbidden();
  return { userId, username };
}
