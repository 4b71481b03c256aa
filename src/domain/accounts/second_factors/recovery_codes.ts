/** Recovery codes: each can replace the second factor once. */

import { randomInt } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";
import { deleteFrom, insertRows, type Transaction } from "../../../db/mod.ts";
import { recovery_codes } from "../../../db/schema/mod.ts";
import { recordAudit } from "../../system/audit_events/mod.ts";
import { ownUser } from "./own_user.ts";

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
