/** SubjectPublicKeyInfo (RFC 5280 §4.1.2.7, RFC 3279, RFC 5480, RFC 8410). */

import {
  CURVES,
  KEY_OID,
  OTHER_KEY_NAMES,
  POST_QUANTUM_NAMES,
  SINGLE_OID_ALGORITHMS,
} from "./algorithm_names.ts";
import { algorithmParts } from "./algorithms.ts";
import { bytesOf, contextTag, derErrorOf, DerReader, readerOf, TAG } from "./der.ts";
import { bitLengthOf, bitStringOf, integerOf, oidOf, smallIntegerOf } from "./der_values.ts";
import type { PublicKeyInfo } from "./types.ts";

const ED25519_BYTES = 32;
const PRIME_FIELD = "1.2.840.10045.1.1";
const BINARY_FIELD = "1.2.840.10045.1.2";

/** The fields that the reader of one key type adds. */
type KeyFacts = Pick<PublicKeyInfo, "algorithm" | "name" | "sizeBits" | "curve" | "malformed">;

/**
 * Reads the next element as SubjectPublicKeyInfo. A broken structure throws; if only the key in it is broken,
 * `malformed` is set.
 */
export function readPublicKey(reader: DerReader): PublicKeyInfo {
  const field = "subjectPublicKeyInfo";
  const element = reader.expect(TAG.sequence, field);
  const sequence = readerOf(element);
  const { oid, parameters } = algorithmParts(sequence.expect(TAG.sequence, `${field}: algorithm`), field);
  const { unused, bytes: bits } = bitStringOf(
    sequence.expect(TAG.bitString, `${field}: key`),
    `${field}: key`,
  );
  sequence.finish(field);
  const frame = { oid, spki: bytesOf(element), bits, ...(parameters === undefined ? {} : { parameters }) };
  const facts = keyFacts({ oid, bits, parameters });
  return unused === 0
    ? { ...frame, ...facts }
    : { ...frame, ...facts, malformed: "The key is not a whole number of bytes" };
}

/** Returns the key of a certificate without reading the rest; undefined if it cannot be read. */
export function publicKeyOf(der: Uint8Array): PublicKeyInfo | undefined {
  try {
    const tbs = new DerReader(der).enter(TAG.sequence, "certificate").enter(TAG.sequence, "tbsCertificate");
    tbs.optional(contextTag(0, true), "version");
    for (const field of ["serialNumber", "signature", "issuer", "validity", "subject"]) tbs.next(field);
    return readPublicKey(tbs);
  } catch (error) {
    derErrorOf(error);
    return undefined;
  }
}

function keyFacts(
  { oid, bits, parameters }: { oid: string; bits: Uint8Array; parameters: Uint8Array | undefined },
): KeyFacts {
  switch (oid) {
    case KEY_OID.rsa:
    case KEY_OID.rsaX500:
      return rsaFacts("RSA", bits);
    case KEY_OID.rsaPss:
      return rsaFacts("RSA-PSS", bits);
    case KEY_OID.rsaOaep:
      return rsaFacts("RSA-OAEP", bits);
    case KEY_OID.ec:
      return curveFacts(parameters, bits);
    case KEY_OID.dsa:
      return primeFacts("DSA", parameters);
    case KEY_OID.dh:
    case KEY_OID.dhPkcs3:
      return primeFacts("DH", parameters);
    case KEY_OID.ed25519:
      return {
        algorithm: "ed25519",
        name: "Ed25519",
        sizeBits: 256,
        ...(bits.length === ED25519_BYTES ? {} : { malformed: `An Ed25519 key of ${bits.length} bytes` }),
      };
    default: {
      const [name, sizeBits] = SINGLE_OID_ALGORITHMS[oid] ??
        [OTHER_KEY_NAMES[oid] ?? POST_QUANTUM_NAMES[oid] ?? oid];
      return { algorithm: "unknown", name, ...(sizeBits === undefined ? {} : { sizeBits }) };
    }
  }
}

/** Reads an RSAPublicKey (RFC 8017 §A.1.1): two positive integers. */
function rsaFacts(name: string, bits: Uint8Array): KeyFacts {
  const algorithm = "rsa" as const;
  try {
    const outer = new DerReader(bits);
    const sequence = outer.enter(TAG.sequence, "RSA key");
    outer.finish("RSA key");
    const modulus = integerOf(sequence.expect(TAG.integer, "modulus"), "modulus");
    const exponent = integerOf(sequence.expect(TAG.integer, "exponent"), "exponent");
    sequence.finish("RSA key");
    if (modulus[0]! >= 0x80 || exponent[0]! >= 0x80) {
      return { algorithm, name, malformed: "An RSA key with a negative number" };
    }
    return { algorithm, name, sizeBits: bitLengthOf(modulus) };
  } catch (error) {
    return { algorithm, name, malformed: derErrorOf(error).message };
  }
}

/**
 * Reads the curve and the point of an elliptic curve key. The curve must be named (RFC 5480 §2.1.1); a key
 * with explicit parameters is returned without a curve.
 */
function curveFacts(parameters: Uint8Array | undefined, bits: Uint8Array): KeyFacts {
  const algorithm = "ecdsa" as const;
  if (parameters?.[0] !== TAG.oid) {
    return {
      algorithm,
      name: "ECDSA with explicit curve parameters",
      ...explicitSize(parameters),
      malformed: "The curve is not a named one",
    };
  }
  let oid: string;
  try {
    oid = oidOf(new DerReader(parameters).expect(TAG.oid, "curve"), "curve");
  } catch (error) {
    return { algorithm, name: "ECDSA", malformed: derErrorOf(error).message };
  }
  const known = CURVES[oid];
  if (known === undefined) return { algorithm, name: `ECDSA ${oid}`, curve: oid };
  const [curve, sizeBits] = known;
  const facts = { algorithm, name: curve === "SM2" ? curve : `ECDSA ${curve}`, curve, sizeBits };
  return pointFits(bits, sizeBits) ? facts : { ...facts, malformed: "A point of the wrong form" };
}

/**
 * Returns the size of the field in explicit parameters (SEC 1 §C.2) in bits: that of the prime p, or the
 * degree m.
 */
function explicitSize(parameters: Uint8Array | undefined): { sizeBits?: number } {
  if (parameters?.[0] !== TAG.sequence) return {};
  try {
    const sequence = new DerReader(parameters).enter(TAG.sequence, "curve");
    sequence.expect(TAG.integer, "version");
    const field = sequence.enter(TAG.sequence, "field");
    const type = oidOf(field.expect(TAG.oid, "field type"), "field type");
    if (type === PRIME_FIELD) {
      return { sizeBits: bitLengthOf(integerOf(field.expect(TAG.integer, "prime"), "prime")) };
    }
    if (type !== BINARY_FIELD) return {};
    const degree = field.enter(TAG.sequence, "field parameters").expect(TAG.integer, "degree");
    return { sizeBits: smallIntegerOf(degree, "degree") };
  } catch (error) {
    derErrorOf(error);
    return {};
  }
}

/**
 * Returns whether a point has the right length (SEC 1 §2.3.3): 04 and two coordinates, or 02/03 and one
 * (06/07 are the hybrid form).
 */
function pointFits(bits: Uint8Array, sizeBits: number): boolean {
  const coordinate = Math.ceil(sizeBits / 8);
  const form = bits[0];
  if (form === 4 || form === 6 || form === 7) return bits.length === 1 + 2 * coordinate;
  return (form === 2 || form === 3) && bits.length === 1 + coordinate;
}

/**
 * Reads DSA and DH keys: the size is that of p, the first of the parameters (RFC 3279 §2.3.2, §2.3.3), which
 * may be inherited.
 */
function primeFacts(name: "DSA" | "DH", parameters: Uint8Array | undefined): KeyFacts {
  const facts = { algorithm: "unknown" as const, name };
  if (parameters?.[0] !== TAG.sequence) return facts;
  try {
    const p = integerOf(new DerReader(parameters).enter(TAG.sequence, name).expect(TAG.integer, "p"), "p");
    return { ...facts, sizeBits: bitLengthOf(p) };
  } catch (error) {
    return { ...facts, malformed: derErrorOf(error).message };
  }
}
