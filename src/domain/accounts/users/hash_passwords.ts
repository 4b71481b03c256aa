/** Replaces given passwords by their hashes, and verifies the caller's current one. */

import { type Context, hashPassword } from "../../../auth/mod.ts";
import { addError } from "../../../base/errors.ts";
import type { ParsedBody } from "../../../resource/mod.ts";
import { confirmPassword } from "./confirm_password.ts";

/** Maximum number of passwords in a bulk call: about ten seconds of hashing. */
export const MAX_BULK_PASSWORDS = 50;

/**
 * Hashes the passwords of a call one after another, unless the call has errors. Verifies the caller's current password
 * if it is given; that own passwords need it is checked when the rows are known. Errors: those of
 * {@link confirmPassword}.
 */
export async function hashPasswords(
  { ctx, given }: { ctx: Context; given: readonly ParsedBody[] },
): Promise<void> {
  const holders = given.filter(({ input }) => typeof input.password === "string");
  for (const { errors } of holders.slice(MAX_BULK_PASSWORDS)) {
    addError(errors, "password", `Set at most ${MAX_BULK_PASSWORDS} passwords in one call.`);
  }
  const faulty = given.some(({ errors }) => Object.keys(errors).length > 0);
  const current = given.map(({ input }) => input.current_password).find((one) => typeof one === "string");
  if (current !== undefined && !faulty) {
    const address = ctx.client?.address ?? null;
    await confirmPassword(ctx, { current: current, address, field: "current_password" });
  }
  for (const { input } of holders) {
    if (faulty) delete input.password;
    else input.password = await hashPassword(String(input.password));
  }
}
