/**
 * Recognizes the DER and BER forms of private keys, and Microsoft's, by their first octets alone, so that a
 * key that is cut off is detected, too. Most inputs are ruled out after two or three octets.
 */

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const OID = 0x06;
/**
 * Minimum number of octets of a modulus or prime: a 384-bit RSA key was broken long ago, but is still a
 * private key.
 */
const MIN_NUMBER = 48;
/** Number of octets of the private number of an elliptic curve key: 112 to 640 bits. */
const SCALAR = { min: 14, max: 80 };
/** OID content of the arcs that contain key algorithms. */
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
/** Maximum number of octets of the AlgorithmIdentifier of any other key. */
const MAX_ALGORITHM = 64;
const MIN_ALGORITHM = 10;
/** OID content of password schemes: those of PKCS#5 and PKCS#12, and those of Java's key stores. */
const PASSWORD_SCHEMES = [
  "2a864886f70d0105",
  "2a864886f70d010c01",
  "2b060104012a021101",
  "2b060104012a021301",
]
  .map((hex) => Uint8Array.fromHex(hex));
/** OID content of PKCS#7 types (1.2.840.113549.1.7). */
const PKCS7_TYPES = Uint8Array.fromHex("2a864886f70d0107");

/**
 * Maximum number of octets from the beginning of a key to the end of what {@link mayHoldKeyForm} searches
 * for.
 */
export const MAX_HEAD = 64;
/**
 * Octets of which each form of key contains some: a version, or a password scheme. They rule out text before
 * it is decoded.
 */
export const KEY_OCTETS: readonly Uint8Array[] = [
  ...["020100", "020101", "020103"].map((hex) => Uint8Array.fromHex(hex)),
  ...PASSWORD_SCHEMES,
];
/** How each form begins: a SEQUENCE with a version and the next tag, or with a password scheme. */
const FORM_HEAD = new RegExp(
  [
    "0(?:[\\0-\\x80]|\\x81[^]|\\x82[^]{2}|\\x83[^]{3}|\\x84[^]{4})\\x02\\x01(?:\\x030|[\\0\\x01][0\\x04\\x02])",
    ...PASSWORD_SCHEMES.map((oid) => oid.toHex().replaceAll(/../g, "\\x$&")),
  ].join("|"),
);

/**
 * How Microsoft's forms begin: PVK, PRIVATEKEYBLOB, and the private blobs of CNG. All lengths are in
 * little-endian order.
 */
const BLOB_HEAD = new RegExp(
  [
    "\\x1e\\xf1\\xb5\\xb0\\0{4}[\\x01\\x02]\\0{3}",
    "\\x07\\x02\\0\\0[^]{4}(?:RSA2|DSS[24])",
    "(?:RSA[23]|DSPV)[^][\\x01-\\x40]\\0\\0",
    "EC[KS](?:2 |40|6B)\\0{3}",
  ].join("|"),
);
/** Digits of these beginnings, as they are written in regular expressions. */
export const BLOB_DIGITS = {
  base64: "HvG1s|BwIAA|UlNBM|RFNQV|RUN[LT][MN]",
  hex: "1ef1b5b0|07020000|5253413[23]|44535056|4543[45][b3]3[246]",
};

/** Returns whether a private key in one of Microsoft's forms begins at any octet. */
export function holdsKeyBlob(binary: string): boolean {
  return BLOB_HEAD.test(binary);
}

/**
 * Returns false if no private key and no PKCS#12 file begins at any octet. A quick test: true does not prove
 * that one does.
 * @param binary One character for each octet.
 */
export function mayHoldKeyForm(binary: string): boolean {
  return FORM_HEAD.test(binary);
}

/** Returns whether a private key or a PKCS#12 file begins at any octet from `start` to `end`. */
export function holdsKeyForm(bytes: Uint8Array, { start, end }: { start: number; end: number }): boolean {
  for (let at = bytes.indexOf(SEQUENCE, start); at !== -1 && at < end; at = bytes.indexOf(SEQUENCE, at + 1)) {
    if (keyForm(bytes, at) !== undefined) return true;
  }
  return false;
}

/** Returns whether a file is PKCS#12. */
export function isPkcs12(bytes: Uint8Array): boolean {
  return keyForm(bytes) === "pkcs12";
}

/** Detects a private key or a PKCS#12 file that begins at an octet. */
export function keyForm(bytes: Uint8Array, start = 0): "private_key" | "pkcs12" | undefined {
  if (bytes[start] !== SEQUENCE) return undefined;
  const content = contentStart(bytes, start + 1);
  if (content === -1) return undefined;
  if (bytes[content] === INTEGER) return versionedForm(bytes, content + 1);
  return bytes[content] === SEQUENCE && isEncryptedKey(bytes, content + 1) ? "private_key" : undefined;
}

/** Recognizes the forms that begin with a version number of one octet. */
function versionedForm(bytes: Uint8Array, at: number): "private_key" | "pkcs12" | undefined {
  if (bytes[at] !== 1) return undefined;
  const version = bytes[at + 1];
  const tag = bytes[at + 2];
  if (version === 3) return tag === SEQUENCE && isContentInfo(bytes, at + 3) ? "pkcs12" : undefined;
  if (version !== 0 && version !== 1) return undefined;
  const content = contentStart(bytes, at + 3);
  if (content === -1) return undefined;
  const length = lengthAt(bytes, at + 3);
  switch (tag) {
    case SEQUENCE:
      return isPkcs8(bytes, { at: content, length }) ? "private_key" : undefined;
    case OCTET_STRING: // SEC 1 §C.4, RFC 5915
      return version === 1 && length >= SCALAR.min && length <= SCALAR.max ? "private_key" : undefined;
    case INTEGER: // PKCS#1 (RFC 8017 §A.1.2), and the DSA form of OpenSSL
      return length >= MIN_NUMBER ? "private_key" : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns whether an AlgorithmIdentifier of `length` octets and an OCTET STRING follow the version (RFC 5958
 * §2). Version 1 certificates and CRLs begin like this, too, but a name follows there.
 */
function isPkcs8(bytes: Uint8Array, { at, length }: { at: number; length: number }): boolean {
  if (bytes[at] !== OID) return false;
  const end = at + length;
  if (KEY_ALGORITHMS.some((arc) => startsWith(bytes, { at: at + 2, prefix: arc }))) {
    // An indefinite length is 0 here. If the key is cut off, nothing follows.
    return length === 0 || end >= bytes.length || bytes[end] === OCTET_STRING;
  }
  return length >= MIN_ALGORITHM && length <= MAX_ALGORITHM && bytes[end] === OCTET_STRING;
}

/** Returns whether an AlgorithmIdentifier with a password scheme comes first (RFC 5958 §3). */
function isEncryptedKey(bytes: Uint8Array, at: number): boolean {
  const content = contentStart(bytes, at);
  if (content === -1 || bytes[content] !== OID) return false;
  const oid = contentStart(bytes, content + 1);
  return oid !== -1 && PASSWORD_SCHEMES.some((prefix) => startsWith(bytes, { at: oid, prefix }));
}

/** Returns whether a ContentInfo, the authSafe of a PFX, comes next (RFC 7292 §4). */
function isContentInfo(bytes: Uint8Array, at: number): boolean {
  const content = contentStart(bytes, at);
  if (content === -1 || bytes[content] !== OID) return false;
  const oid = contentStart(bytes, content + 1);
  return oid !== -1 && startsWith(bytes, { at: oid, prefix: PKCS7_TYPES });
}

/**
 * Returns where the content begins whose length is at `at`; -1 if that is not a length of at most four
 * octets.
 */
export function contentStart(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === undefined || first > 0x84) return -1;
  const start = first < 0x80 ? at + 1 : at + 1 + (first & 0x7f);
  return start <= bytes.length ? start : -1;
}

/** Returns the length encoded at `at`; 0 for an indefinite one. */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return first;
  let length = 0;
  for (let next = at + 1; next <= at + (first & 0x7f); next++) length = length * 256 + bytes[next]!;
  return length;
}

function startsWith(bytes: Uint8Array, { at, prefix }: { at: number; prefix: Uint8Array }): boolean {
  for (let index = 0; index < prefix.length; index++) {
    if (bytes[at + index] !== prefix[index]) return false;
  }
  return true;
}
