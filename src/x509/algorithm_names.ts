/** Names of key types, curves, hashes and signature algorithms. */

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

type Names = Readonly<Record<string, string>>;

/** OIDs of the keys that the reader parses. The second RSA OID comes from X.500 and still occurs in old certificates. */
export const KEY_OID = {
  rsa: "1.2.840.113549.1.1.1",
  rsaX500: "2.5.8.1.1",
  rsaPss: "1.2.840.113549.1.1.10",
  rsaOaep: "1.2.840.113549.1.1.7",
  ec: "1.2.840.10045.2.1",
  ed25519: "1.3.101.112",
  dsa: "1.2.840.10040.4.1",
  dh: "1.2.840.10046.2.1",
  dhPkcs3: "1.2.840.113549.1.3.1",
} as const;

/** Elliptic curves: name and size in bits. */
export const CURVES: Readonly<Record<string, readonly [name: string, bits: number]>> = {
  "1.2.840.10045.3.1.1": ["P-192", 192],
  "1.2.840.10045.3.1.2": ["prime192v2", 192],
  "1.2.840.10045.3.1.3": ["prime192v3", 192],
  "1.2.840.10045.3.1.4": ["prime239v1", 239],
  "1.2.840.10045.3.1.5": ["prime239v2", 239],
  "1.2.840.10045.3.1.6": ["prime239v3", 239],
  "1.3.132.0.33": ["P-224", 224],
  "1.2.840.10045.3.1.7": ["P-256", 256],
  "1.3.132.0.34": ["P-384", 384],
  "1.3.132.0.35": ["P-521", 521],
  "1.3.132.0.9": ["secp160k1", 160],
  "1.3.132.0.8": ["secp160r1", 160],
  "1.3.132.0.30": ["secp160r2", 160],
  "1.3.132.0.31": ["secp192k1", 192],
  "1.3.132.0.32": ["secp224k1", 224],
  "1.3.132.0.10": ["secp256k1", 256],
  "1.3.132.0.1": ["sect163k1", 163],
  "1.3.132.0.15": ["sect163r2", 163],
  "1.3.132.0.26": ["sect233k1", 233],
  "1.3.132.0.27": ["sect233r1", 233],
  "1.3.132.0.16": ["sect283k1", 283],
  "1.3.132.0.17": ["sect283r1", 283],
  "1.3.132.0.36": ["sect409k1", 409],
  "1.3.132.0.37": ["sect409r1", 409],
  "1.3.132.0.38": ["sect571k1", 571],
  "1.3.132.0.39": ["sect571r1", 571],
  "1.3.36.3.3.2.8.1.1.1": ["brainpoolP160r1", 160],
  "1.3.36.3.3.2.8.1.1.3": ["brainpoolP192r1", 192],
  "1.3.36.3.3.2.8.1.1.5": ["brainpoolP224r1", 224],
  "1.3.36.3.3.2.8.1.1.7": ["brainpoolP256r1", 256],
  "1.3.36.3.3.2.8.1.1.8": ["brainpoolP256t1", 256],
  "1.3.36.3.3.2.8.1.1.9": ["brainpoolP320r1", 320],
  "1.3.36.3.3.2.8.1.1.11": ["brainpoolP384r1", 384],
  "1.3.36.3.3.2.8.1.1.12": ["brainpoolP384t1", 384],
  "1.3.36.3.3.2.8.1.1.13": ["brainpoolP512r1", 512],
  "1.3.36.3.3.2.8.1.1.14": ["brainpoolP512t1", 512],
  "1.2.156.10197.1.301": ["SM2", 256],
};

/** Algorithms with one OID for both the key and the signature: name, and size in bits if it is fixed. */
export const SINGLE_OID_ALGORITHMS: Readonly<Record<string, readonly [name: string, bits?: number]>> = {
  "1.3.101.110": ["X25519", 256],
  "1.3.101.111": ["X448", 448],
  "1.3.101.112": ["Ed25519", 256],
  "1.3.101.113": ["Ed448", 448],
  "2.16.840.1.101.3.4.3.17": ["ML-DSA-44"],
  "2.16.840.1.101.3.4.3.18": ["ML-DSA-65"],
  "2.16.840.1.101.3.4.3.19": ["ML-DSA-87"],
  "2.16.840.1.101.3.4.3.20": ["SLH-DSA-SHA2-128s"],
  "2.16.840.1.101.3.4.3.21": ["SLH-DSA-SHA2-128f"],
  "2.16.840.1.101.3.4.3.22": ["SLH-DSA-SHA2-192s"],
  "2.16.840.1.101.3.4.3.23": ["SLH-DSA-SHA2-192f"],
  "2.16.840.1.101.3.4.3.24": ["SLH-DSA-SHA2-256s"],
  "2.16.840.1.101.3.4.3.25": ["SLH-DSA-SHA2-256f"],
  "2.16.840.1.101.3.4.3.26": ["SLH-DSA-SHAKE-128s"],
  "2.16.840.1.101.3.4.3.27": ["SLH-DSA-SHAKE-128f"],
  "2.16.840.1.101.3.4.3.28": ["SLH-DSA-SHAKE-192s"],
  "2.16.840.1.101.3.4.3.29": ["SLH-DSA-SHAKE-192f"],
  "2.16.840.1.101.3.4.3.30": ["SLH-DSA-SHAKE-256s"],
  "2.16.840.1.101.3.4.3.31": ["SLH-DSA-SHAKE-256f"],
  "2.16.840.1.101.3.4.4.1": ["ML-KEM-512"],
  "2.16.840.1.101.3.4.4.2": ["ML-KEM-768"],
  "2.16.840.1.101.3.4.4.3": ["ML-KEM-1024"],
};

/** Key types that have a name here but are not parsed. */
export const OTHER_KEY_NAMES: Names = {
  "1.2.643.2.2.19": "GOST R 34.10-2001",
  "1.2.643.7.1.1.1.1": "GOST R 34.10-2012 (256)",
  "1.2.643.7.1.1.1.2": "GOST R 34.10-2012 (512)",
};

/** Hash functions in RSA-PSS parameters. */
export const HASH_NAMES: Names = {
  "1.2.840.113549.2.5": "MD5",
  "1.3.14.3.2.26": "SHA-1",
  "2.16.840.1.101.3.4.2.4": "SHA-224",
  "2.16.840.1.101.3.4.2.1": "SHA-256",
  "2.16.840.1.101.3.4.2.2": "SHA-384",
  "2.16.840.1.101.3.4.2.3": "SHA-512",
  "2.16.840.1.101.3.4.2.6": "SHA-512/256",
  "2.16.840.1.101.3.4.2.8": "SHA3-256",
  "2.16.840.1.101.3.4.2.9": "SHA3-384",
  "2.16.840.1.101.3.4.2.10": "SHA3-512",
};

/** Signature algorithms. */
export const SIGNATURE_NAMES: Names = {
  "1.2.840.113549.1.1.2": "md2WithRSAEncryption",
  "1.2.840.113549.1.1.4": "md5WithRSAEncryption",
  "1.2.840.113549.1.1.5": "sha1WithRSAEncryption",
  "1.3.14.3.2.29": "sha1WithRSAEncryption",
  "1.2.840.113549.1.1.14": "sha224WithRSAEncryption",
  "1.2.840.113549.1.1.11": "sha256WithRSAEncryption",
  "1.2.840.113549.1.1.12": "sha384WithRSAEncryption",
  "1.2.840.113549.1.1.13": "sha512WithRSAEncryption",
  "1.2.840.113549.1.1.15": "sha512-224WithRSAEncryption",
  "1.2.840.113549.1.1.16": "sha512-256WithRSAEncryption",
  "2.16.840.1.101.3.4.3.13": "sha3-224WithRSAEncryption",
  "2.16.840.1.101.3.4.3.14": "sha3-256WithRSAEncryption",
  "2.16.840.1.101.3.4.3.15": "sha3-384WithRSAEncryption",
  "2.16.840.1.101.3.4.3.16": "sha3-512WithRSAEncryption",
  "1.2.840.10045.4.1": "ecdsa-with-SHA1",
  "1.2.840.10045.4.3.1": "ecdsa-with-SHA224",
  "1.2.840.10045.4.3.2": "ecdsa-with-SHA256",
  "1.2.840.10045.4.3.3": "ecdsa-with-SHA384",
  "1.2.840.10045.4.3.4": "ecdsa-with-SHA512",
  "2.16.840.1.101.3.4.3.9": "ecdsa-with-SHA3-224",
  "2.16.840.1.101.3.4.3.10": "ecdsa-with-SHA3-256",
  "2.16.840.1.101.3.4.3.11": "ecdsa-with-SHA3-384",
  "2.16.840.1.101.3.4.3.12": "ecdsa-with-SHA3-512",
  "1.2.840.10040.4.3": "dsa-with-SHA1",
  "2.16.840.1.101.3.4.3.1": "dsa-with-SHA224",
  "2.16.840.1.101.3.4.3.2": "dsa-with-SHA256",
  "2.16.840.1.101.3.4.3.3": "dsa-with-SHA384",
  "2.16.840.1.101.3.4.3.4": "dsa-with-SHA512",
  "1.2.156.10197.1.501": "SM2-with-SM3",
  "1.2.643.2.2.3": "GOST R 34.10-2001",
  "1.2.643.7.1.1.3.2": "GOST R 34.10-2012 (256)",
  "1.2.643.7.1.1.3.3": "GOST R 34.10-2012 (512)",
};
