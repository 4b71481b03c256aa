/** Allowed and forbidden algorithms, by names of keys (`rsa`, `P-256`) and of the hashes of signatures (`sha1`). */

import { algorithmList, parametersOf } from "./parameters.ts";
import { defineRequestRule, type RequestFacts, resultOf } from "./types.ts";
import { algorithmName } from "./wording.ts";

/**
 * Fails if the algorithm of the key is not in `algorithms` (CA/B BR 7.1.3), or, where these name hashes of signatures,
 * if that of the signature is not. A key of unknown algorithm passes only if `unknown` is listed.
 */
export const algorithmAllowed = defineRequestRule({
  type: "algorithm_allowed",
  citation: "CA/B BR 7.1.3",
  evaluates: "key",
  parameters: parametersOf({ algorithms: algorithmList() }),
  check: ({ certificate, parameters: { algorithms } }) => {
    const ofSignatures = algorithms.filter(namesSignature);
    const ofKeys = algorithms.filter((name) => !namesSignature(name));
    const [keys, signatures] = [keyNames(certificate), signatureNames(certificate)];
    const goodKey = ofKeys.length === 0 || hasAny(ofKeys, keys);
    // A request has no signature of an issuer yet, and a certificate without PEM no known one.
    const goodSignature = ofSignatures.length === 0 || signatures.length === 0 ||
      hasAny(ofSignatures, signatures);
    const passes = goodKey && goodSignature;
    const [what, [checked = ""]] = goodKey && !passes ? ["The signature's", signatures] : ["The key's", keys];
    const name = algorithmName(checked);
    return resultOf(passes, {
      message: passes
        ? `${what} algorithm is ${name}, which is allowed.`
        : `${what} algorithm is ${name}; allowed: ${algorithms.map(algorithmName).join(", ")}.`,
      checked,
      expected: `one of ${algorithms.join(", ")}`,
    });
  },
});

/**
 * Fails if the algorithm of the key, or the hash of the signature, is in `algorithms` (CA/B BR 7.1.3). A key of unknown
 * algorithm fails only if `unknown` is listed.
 */
export const algorithmForbidden = defineRequestRule({
  type: "algorithm_forbidden",
  citation: "CA/B BR 7.1.3",
  evaluates: "key",
  parameters: parametersOf({ algorithms: algorithmList() }),
  check: ({ certificate, parameters: { algorithms } }) => {
    const [keys, signatures] = [keyNames(certificate), signatureNames(certificate)];
    const badSignature = hasAny(algorithms, signatures);
    const passes = !badSignature && !hasAny(algorithms, keys);
    const [what, [checked = ""]] = badSignature ? ["The signature's", signatures] : ["The key's", keys];
    return resultOf(passes, {
      message: `${what} algorithm is ${algorithmName(checked)}, which is ${passes ? "not " : ""}forbidden.`,
      checked,
      expected: `none of ${algorithms.join(", ")}`,
    });
  },
});

/** A hash in the name of a signature algorithm, such as `sha256WithRSAEncryption` or `RSASSA-PSS with SHA-512/256`. */
const HASH = /md[245]|sha3-?\d{3}|sha-?512[-/](?:224|256)|sha-?\d{1,3}|shake-?\d{3}|sm3/i;
const SIGNATURE = new RegExp(`^(?:${HASH.source})$|with`, "i");

/** Returns the form in which names are compared: `sha1` for `SHA-1`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Returns whether a name is about signatures, not about keys. */
function namesSignature(name: string): boolean {
  return SIGNATURE.test(name);
}

/** Returns whether a list has one of the names, whatever their case and punctuation. */
function hasAny(list: readonly string[], names: readonly string[]): boolean {
  const known = new Set(names.map(plain));
  return list.some((name) => known.has(plain(name)));
}

/** Returns all names of the key's algorithm, the one in the inventory first. */
function keyNames({ algorithm, keyAlgorithm }: RequestFacts): string[] {
  const named = keyAlgorithm !== "" && algorithm === "unknown"
    ? [keyAlgorithm, algorithm]
    : [algorithm, keyAlgorithm];
  return [...named, ...(algorithm === "ecdsa" ? ["ec"] : [])].filter((name) => name !== "");
}

/** Returns all names of the signature's algorithm, its hash first; none if it is unknown. */
function signatureNames({ signatureAlgorithm: name }: RequestFacts): string[] {
  const hash = HASH.exec(name)?.[0];
  return name === "" ? [] : [...(hash === undefined ? [] : [plain(hash)]), name];
}
