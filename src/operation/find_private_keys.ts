/** Searches bodies for private keys, which no operation takes. */

import type { FieldErrors } from "../base/errors.ts";
import { inSlices, pacer, type Pause } from "../base/pace.ts";
import { refusingPrivateKeys } from "../resource/mod.ts";
import { holdsPrivateKey, PRIVATE_KEY_MESSAGE, searchingKey } from "../x509/mod.ts";
import type { BodyFinding } from "./body_findings.ts";

/**
 * Finds the fields of a body, or of the objects of a list, that hold a private key; in slices.
 * @param except fields that the operation searches itself.
 */
export async function findPrivateKeys(input: unknown, except: readonly string[]): Promise<BodyFinding[]> {
  const pause = pacer();
  const findings: BodyFinding[] = [];
  for (const { path, value } of membersOf(input)) {
    const name = path.at(-1);
    if (typeof name === "string") {
      if (except.includes(name)) continue;
      // The name itself must not come back in the answer.
      if (holdsPrivateKey(name)) findings.push({ path: ["__all__"], message: PRIVATE_KEY_MESSAGE });
    }
    if (await holdsKey(value, pause)) findings.push({ path, message: PRIVATE_KEY_MESSAGE });
  }
  return findings;
}

/** Fields of an object, or of each object of a list. */
function* membersOf(
  input: unknown,
  at: readonly PropertyKey[] = [],
): Generator<{ path: PropertyKey[]; value: unknown }> {
  if (typeof input !== "object" || input === null) return;
  for (const [name, value] of Object.entries(input)) {
    const isElement = Array.isArray(input) && at.length === 0;
    const path = [...at, isElement ? Number(name) : name];
    if (isElement && typeof value === "object" && value !== null) yield* membersOf(value, path);
    else yield { path, value };
  }
}

async function holdsKey(value: unknown, pause: Pause): Promise<boolean> {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (one instanceof Blob && await inSlices(searchingKey(await one.bytes()), pause)) return true;
  }
  const errors: FieldErrors = {};
  await inSlices(refusingPrivateKeys({ value }, errors), pause);
  return Object.hasOwn(errors, "value");
}
