/**
 * Names of post-quantum algorithms that are shown but not checked. One OID identifies both the key and the
 * signature.
 */

const NIST = "2.16.840.1.101.3.4.3.";
const PKIX = "1.3.6.1.5.5.7.6.";

/** HashML-DSA and HashSLH-DSA (FIPS 204, FIPS 205), in the order of NIST's register. */
const FIRST_PRE_HASHED = 32;
const PRE_HASHED = [
  ...["44", "65", "87"].map((level) => `HashML-DSA-${level}-SHA512`),
  ...["128s", "128f"].map((form) => `HashSLH-DSA-SHA2-${form}-SHA256`),
  ...["192s", "192f", "256s", "256f"].map((form) => `HashSLH-DSA-SHA2-${form}-SHA512`),
  ...["128s", "128f"].map((form) => `HashSLH-DSA-SHAKE-${form}-SHAKE128`),
  ...["192s", "192f", "256s", "256f"].map((form) => `HashSLH-DSA-SHAKE-${form}-SHAKE256`),
];

/** Composite ML-DSA (draft-ietf-lamps-pq-composite-sigs), in the order of IANA's register. */
const FIRST_COMPOSITE = 37;
const COMPOSITE = [
  "MLDSA44-RSA2048-PSS-SHA256",
  "MLDSA44-RSA2048-PKCS15-SHA256",
  "MLDSA44-Ed25519-SHA512",
  "MLDSA44-ECDSA-P256-SHA256",
  "MLDSA65-RSA3072-PSS-SHA512",
  "MLDSA65-RSA3072-PKCS15-SHA512",
  "MLDSA65-RSA4096-PSS-SHA512",
  "MLDSA65-RSA4096-PKCS15-SHA512",
  "MLDSA65-ECDSA-P256-SHA512",
  "MLDSA65-ECDSA-P384-SHA512",
  "MLDSA65-ECDSA-brainpoolP256r1-SHA512",
  "MLDSA65-Ed25519-SHA512",
  "MLDSA87-ECDSA-P384-SHA512",
  "MLDSA87-ECDSA-brainpoolP384r1-SHA512",
  "MLDSA87-Ed448-SHAKE256",
  "MLDSA87-RSA3072-PSS-SHA512",
  "MLDSA87-RSA4096-PSS-SHA512",
  "MLDSA87-ECDSA-P521-SHA512",
];

function numbered(names: readonly string[], arc: string, first: number): (readonly [string, string])[] {
  return names.map((name, index) => [`${arc}${first + index}`, name]);
}

/** Names by OID; HSS/LMS and XMSS by RFC 9802. */
export const POST_QUANTUM_NAMES: Readonly<Record<string, string>> = Object.fromEntries([
  ...numbered(PRE_HASHED, NIST, FIRST_PRE_HASHED),
  ...numbered(COMPOSITE, PKIX, FIRST_COMPOSITE),
  ["1.2.840.113549.1.9.16.3.17", "HSS/LMS"],
  [`${PKIX}34`, "XMSS"],
  [`${PKIX}35`, "XMSS^MT"],
]);
