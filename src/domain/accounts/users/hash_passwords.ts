/** Replaces given passwords by their hashes. */

import { hashPassword } from "../../../auth/mod.ts";
import { addError } from "../../../base/errors.ts";
import type { ParsedBody } from "../../../resource/mod.ts";

/** Maximum number of passwords in a bulk call: about ten seconds of hashing. */
export const MAX_BULK_PASSWORDS = 50;

/** Hashes the passwords of a call one after another, unless the call has errors. */
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
