/** Names of algorithms in policies: those of keys (`rsa`, `P-256`) and those of signatures (`sha1`). */

import type { CertificateFacts, RequestFacts } from "./types.ts";

/** A hash in the name of a signature algorithm, such as `sha256WithRSAEncryption` or `RSASSA-PSS with SHA-512/256`. */
const HASH = /md[245]|sha3-?\d{3}|sha-?512[-/](?:224|256)|sha-?\d{1,3}|shake-?\d{3}|sm3/i;

/** Returns the form in which names are compared: `sha1` for `SHA-1`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Returns whether a name is about signatures, not about keys. */
export function namesSignature(name: string): boolean {
  return new RegExp(`^(?:${HASH.source})$`, "i").test(name) || /with/i.test(name);
}

/** Returns whether a list has one of the names, whatever their case and punctuation. */
export function hasAny(list: readonly string[], names: readonly string[]): boolean {
  const known = new Set(names.map(plain));
  return list.some((name) => known.has(plain(name)));
}

/** Returns all names of the key's algorithm, the one in the inventory first. */
export function keyNames({ algorithm, keyAlgorithm }: RequestFacts): string[] {
  const named = keyAlgorithm !== "" && algorithm === "unknown"
    ? [keyAlgorithm, algorithm]
    : [algorithm, keyAlgorithm];
  return [...named, ...(algorithm === "ecdsa" ? ["ec"] : [])].filter((name) => name !== "");
}

/** Returns all names of the signature's algorithm, its hash first; none if it is unknown. */
export function signatureNames(facts: RequestFacts): string[] {
  const { signatureAlgorithm: name = "" } = facts as Partial<CertificateFacts>;
  const hash = HASH.exec(name)?.[0];
  return name === "" ? [] : [...(hash === undefined ? [] : [plain(hash)]), name];
}
