/**
 * DER and BER forms of private keys, told by their first octets alone, so that a key that is cut off gives itself away
 * too. Most inputs are dismissed after two or three octets.
 */

/** Gives the next octet; -1 after the last one. */
export type Octets = () => number;

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const OID = 0x06;
/** Shortest modulus or prime in octets: 384-bit RSA, long broken, is still a private key. */
const MIN_NUMBER = 48;
/** Octets of the private number of an elliptic key: 112 to 640 bits. */
const SCALAR = { min: 14, max: 80 };
/** OID content of the arcs that key algorithms stand in. */
const KEY_ALGORITHMS = [
  "2a864886f70d0101", // PKCS#1: RSA
  "2a864886f70d0103", // PKCS#3: DH
  "2a8648ce3d02", // X9.62: EC
  "2a8648ce3804", // X9.57: DSA
  "2a8648ce3e02", // X9.42: DH
  "2b65", // RFC 8410: Ed25519, X25519, …
  "6086480165030403", // NIST: ML-DSA, SLH-DSA
  "6086480165030404", // NIST: ML-KEM
].map((hex) => Uint8Array.fromHex(hex));
/** Octets of the AlgorithmIdentifier of a key of any other kind. */
const MAX_ALGORITHM = 64;
/** OID content of PKCS#5 (1.2.840.113549.1.5) and PKCS#12 (1.2.840.113549.1.12.1) password schemes. */
const PASSWORD_SCHEMES = ["2a864886f70d0105", "2a864886f70d010c01"].map((hex) => Uint8Array.fromHex(hex));
/** OID content of PKCS#7 types (1.2.840.113549.1.7). */
const PKCS7_TYPES = Uint8Array.fromHex("2a864886f70d0107");

/** What the octets are the beginning of: a private key, a PKCS#12 file, or nothing of the kind. */
export function keyForm(next: Octets): "private_key" | "pkcs12" | undefined {
  if (next() !== SEQUENCE || skipLength(next) === undefined) return undefined;
  const tag = next();
  if (tag === INTEGER) return versionedForm(next);
  if (tag === SEQUENCE) return isEncryptedKey(next) ? "private_key" : undefined;
  return undefined;
}

/** The octets of a byte string from a place on. */
export function octetsOf(bytes: Uint8Array, start = 0): Octets {
  let position = start;
  return () => position < bytes.length ? bytes[position++]! : -1;
}

/** Forms that begin with a version number of one octet. */
function versionedForm(next: Octets): "private_key" | "pkcs12" | undefined {
  if (next() !== 1) return undefined;
  const version = next();
  const tag = next();
  if (version === 3) return tag === SEQUENCE && isContentInfo(next) ? "pkcs12" : undefined;
  if (version !== 0 && version !== 1) return undefined;
  const length = skipLength(next);
  if (length === undefined) return undefined;
  switch (tag) {
    case SEQUENCE:
      return isPkcs8(next, length) ? "private_key" : undefined;
    case OCTET_STRING: // SEC 1 §C.4, RFC 5915
      return version === 1 && length >= SCALAR.min && length <= SCALAR.max ? "private_key" : undefined;
    case INTEGER: // PKCS#1 (RFC 8017 §A.1.2), and the DSA form of OpenSSL
      return length >= MIN_NUMBER ? "private_key" : undefined;
    default:
      return undefined;
  }
}

/** RFC 5958 §2: after the version an AlgorithmIdentifier of `length` octets, then an OCTET STRING. */
function isPkcs8(next: Octets, length: number): boolean {
  if (next() !== OID) return false;
  next(); // the length of the OID
  const oid = take(next, 8);
  if (KEY_ALGORITHMS.some((arc) => startsWith(oid, arc))) return true;
  if (length > MAX_ALGORITHM || length < 10) return false;
  take(next, length - 10);
  return next() === OCTET_STRING;
}

/** RFC 5958 §3: an AlgorithmIdentifier with a password scheme comes first. */
function isEncryptedKey(next: Octets): boolean {
  if (skipLength(next) === undefined || next() !== OID || skipLength(next) === undefined) return false;
  const oid = take(next, 9);
  return PASSWORD_SCHEMES.some((scheme) => startsWith(oid, scheme));
}

/** RFC 7292 §4: the authSafe of a PFX is a ContentInfo. */
function isContentInfo(next: Octets): boolean {
  if (skipLength(next) === undefined || next() !== OID || skipLength(next) === undefined) return false;
  return startsWith(take(next, 8), PKCS7_TYPES);
}

/** The length that comes next; 0 for an indefinite one; undefined when it is none. */
export function skipLength(next: Octets): number | undefined {
  const first = next();
  if (first < 0x80) return first === -1 ? undefined : first;
  if (first > 0x84) return undefined;
  let length = 0;
  for (let count = first & 0x7f; count > 0; count--) {
    const octet = next();
    if (octet === -1) return undefined;
    length = length * 256 + octet;
  }
  return length;
}

function take(next: Octets, count: number): number[] {
  const octets: number[] = [];
  for (let taken = 0; taken < count; taken++) octets.push(next());
  return octets;
}

function startsWith(octets: readonly number[], prefix: Uint8Array): boolean {
  return prefix.every((octet, index) => octets[index] === octet);
}
