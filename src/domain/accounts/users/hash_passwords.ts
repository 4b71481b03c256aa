/** Replaces given passwords by their hashes. */

import { hashPassword } from "../../../auth/mod.ts";
import { addError } from "../../../base/errors.ts";
import { MAX_BULK_PASSWORDS } from "../../../base/limits.ts";
import type { ParsedBody } from "../../../resource/mod.ts";

/** Hashes the passwords of a call, one after the other; only if nothing else is wrong with it. */
export async function hashPasswords({ given }: { given: readonly ParsedBody[] }): Promise<void> {
  const holders = given.filter(({ input }) => typeof input.password === "string");
  for (const { errors } of holders.slice(MAX_BULK_PASSWORDS)) {
    addError(errors, "password", `Set at most ${MAX_BULK_PASSWORDS} passwords in one call.`);
  }
  const faulty = given.some(({ errors }) => Object.keys(errors).length > 0);
  for (const { input } of holders) {
    if (faulty) delete input.password;
    else input.password = await hashPassword(input.password as string);
  }
}
