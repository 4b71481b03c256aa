/** Rules about keys and signatures: sizes, and algorithms by names of keys (`rsa`, `P-256`) and of hashes (`sha1`). */

import {
  algorithmList,
  algorithmName,
  type CertificateFacts,
  defineRule,
  parametersOf,
  resultOf,
  wholeNumber,
} from "./types.ts";

/** Maximum of the size that a policy can require. No key is larger, so a larger value is a typing error. */
const MAX_BITS = 65_536;

/**
 * Fails if a key has fewer bits than `min_bits`, or an elliptic curve key fewer than `min_ec_bits` (CA/B BR
 * 6.1.5). Ed25519 keys have a fixed size, and pass. If the algorithm is unknown, the stricter limit for RSA
 * applies. If the size is unknown, the rule fails.
 */
export const minKeySize = defineRule({
  type: "min_key_size",
  parameters: parametersOf({
    min_bits: wholeNumber({ min: 1, max: MAX_BITS, description: "Minimum size of a key in bits." }).default(
      2048,
    ),
    min_ec_bits: wholeNumber({
      min: 1,
      max: MAX_BITS,
      description: "Minimum size of an elliptic-curve key in bits.",
    }).default(256),
  }),
  check: ({ certificate, parameters }) => {
    const { algorithm, keySize } = certificate;
    if (algorithm === "ed25519") {
      return resultOf(true, {
        message: "Ed25519 keys have a fixed size, which is sufficient.",
        checked: "Ed25519",
        expected: "any Ed25519 key",
      });
    }
    const least = algorithm === "ecdsa" ? parameters.min_ec_bits : parameters.min_bits;
    const expected = `at least ${least} bits`;
    const key = keyOf(certificate);
    if (keySize === null) {
      return resultOf(false, {
        message: `The size of the ${key} is unknown; ${expected} are required.`,
        checked: "unknown",
        expected,
      });
    }
    const passes = keySize >= least;
    return resultOf(passes, {
      message: passes
        ? `The ${key} has ${keySize} bits.`
        : `The ${key} has ${keySize} bits; ${expected} are required.`,
      checked: `${keySize} bits`,
      expected,
    });
  },
});

function keyOf({ algorithm }: CertificateFacts): string {
  return algorithm === "unknown" ? "key of unknown algorithm" : `${algorithmName(algorithm)} key`;
}

/**
 * Fails if the algorithm of the key is not in `algorithms` (CA/B BR 7.1.3), or, where these name hashes of signatures,
 * if that of the signature is not. A key of unknown algorithm passes only if `unknown` is listed.
 */
export const algorithmAllowed = defineRule({
  type: "algorithm_allowed",
  parameters: parametersOf({ algorithms: algorithmList() }),
  check: ({ certificate, parameters: { algorithms } }) => {
    const ofSignatures = algorithms.filter(namesSignature);
    const ofKeys = algorithms.filter((name) => !namesSignature(name));
    const [keys, signatures] = [keyNames(certificate), signatureNames(certificate)];
    const goodKey = ofKeys.length === 0 || hasAny(ofKeys, keys);
    // A certificate without PEM has no known signature.
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
export const algorithmForbidden = defineRule({
  type: "algorithm_forbidden",
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

/** Fails if the algorithm of the signature, or its hash, is in `algorithms` (CA/B BR 7.1.3.2); passes if it is unknown. */
export const signatureForbidden = defineRule({
  type: "signature_forbidden",
  parameters: parametersOf({ algorithms: algorithmList() }),
  check: ({ certificate, parameters: { algorithms } }) => {
    const names = signatureNames(certificate);
    const passes = !hasAny(algorithms, names);
    const checked = certificate.signatureAlgorithm || "unknown";
    return resultOf(passes, {
      message: `The signature's algorithm is ${checked}, which is ${passes ? "not " : ""}forbidden.`,
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
function keyNames({ algorithm, keyAlgorithm }: CertificateFacts): string[] {
  const named = keyAlgorithm !== "" && algorithm === "unknown"
    ? [keyAlgorithm, algorithm]
    : [algorithm, keyAlgorithm];
  return [...named, ...(algorithm === "ecdsa" ? ["ec"] : [])].filter((name) => name !== "");
}

/** Returns all names of the signature's algorithm, its hash first; none if it is unknown. */
function signatureNames({ signatureAlgorithm: name }: CertificateFacts): string[] {
  const hash = HASH.exec(name)?.[0];
  return name === "" ? [] : [...(hash === undefined ? [] : [plain(hash)]), name];
}
