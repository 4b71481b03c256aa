/** Types of keys and their signature algorithms. */

import { explicit, integer, nothing, oid, sequence } from "./der_writer.ts";

/** Types of keys that {@link testKey} creates. `rsapss2048` has the RSASSA-PSS key OID and signs with PSS only. */
export type KeyKind =
  | `rsa${1024 | 2048 | 3072 | 4096}`
  | "rsapss2048"
  | "p256"
  | "p384"
  | "p521"
  | "ed25519"
  | `mldsa${44 | 65 | 87}`;

export type Hash = "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512";

/** Options of a signature; defaults follow from the key. */
export interface SignOptions {
  readonly hash?: Hash;
  /** RSA keys: RSASSA-PSS instead of PKCS#1 v1.5. */
  readonly pss?: boolean;
}

/** Returns the argument of generateKey. */
export function generationParameters(kind: KeyKind): Algorithm & Record<string, unknown> {
  const rsa = /^rsa(?:pss)?(\d+)$/.exec(kind);
  if (rsa === null) return webCryptoParameters(kind, { hash: defaultHash(kind), pss: false });
  return {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: Number(rsa[1]),
    publicExponent: Uint8Array.of(1, 0, 1),
    hash: "SHA-256",
  };
}

/** Returns the hash for the size of the key. */
export function defaultHash(kind: KeyKind): Hash {
  return kind === "p384" ? "SHA-384" : kind === "p521" ? "SHA-512" : "SHA-256";
}

const HASH_BYTES = { "SHA-1": 20, "SHA-256": 32, "SHA-384": 48, "SHA-512": 64 } as const;
const CURVE = { p256: "P-256", p384: "P-384", p521: "P-521" } as const;

/** Returns an object that is valid for generateKey, importKey and sign. */
export function webCryptoParameters(
  kind: KeyKind,
  { hash, pss }: Required<SignOptions>,
): Algorithm & Record<string, unknown> {
  if (kind === "p256" || kind === "p384" || kind === "p521") {
    return { name: "ECDSA", namedCurve: CURVE[kind], hash };
  }
  if (kind === "ed25519") return { name: "Ed25519" };
  if (kind.startsWith("mldsa")) return { name: `ML-DSA-${kind.slice(5)}` };
  return pss ? { name: "RSA-PSS", hash, saltLength: HASH_BYTES[hash] } : { name: "RSASSA-PKCS1-v1_5", hash };
}

const HASH_OID = {
  "SHA-1": "1.3.14.3.2.26",
  "SHA-256": "2.16.840.1.101.3.4.2.1",
  "SHA-384": "2.16.840.1.101.3.4.2.2",
  "SHA-512": "2.16.840.1.101.3.4.2.3",
} as const;
const RSA_SIGNATURE = { "SHA-1": 5, "SHA-256": 11, "SHA-384": 12, "SHA-512": 13 } as const;
const ECDSA_SIGNATURE = {
  "SHA-1": "1.2.840.10045.4.1",
  "SHA-256": "1.2.840.10045.4.3.2",
  "SHA-384": "1.2.840.10045.4.3.3",
  "SHA-512": "1.2.840.10045.4.3.4",
} as const;
const MLDSA_OID: Readonly<Record<string, string>> = {
  mldsa44: "2.16.840.1.101.3.4.3.17",
  mldsa65: "2.16.840.1.101.3.4.3.18",
  mldsa87: "2.16.840.1.101.3.4.3.19",
};

/** Returns the DER of the AlgorithmIdentifier of a signature. */
export function algorithmIdentifier(kind: KeyKind, { hash, pss }: Required<SignOptions>): Uint8Array {
  if (kind in CURVE) return sequence(oid(ECDSA_SIGNATURE[hash]));
  if (kind === "ed25519") return sequence(oid("1.3.101.112"));
  if (kind in MLDSA_OID) return sequence(oid(MLDSA_OID[kind]!));
  if (!pss) return sequence(oid(`1.2.840.113549.1.1.${RSA_SIGNATURE[hash]}`), nothing());
  const digest = sequence(oid(HASH_OID[hash]), nothing());
  const parameters = sequence(
    explicit(0, digest),
    explicit(1, sequence(oid("1.2.840.113549.1.1.8"), digest)),
    explicit(2, integer(HASH_BYTES[hash])),
  );
  return sequence(oid("1.2.840.113549.1.1.10"), parameters);
}
