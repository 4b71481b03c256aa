/**
 * What a certificate, a request and a bundle say, as plain data: the vocabulary between reading (`certificate.ts`,
 * `request.ts`, `bundle.ts`), the chain engine (`chain/`) and the inventory. Field names follow RFC 5280.
 */

/** Something that is wrong or odd in an input; a value, never an exception. */
export interface Finding {
  /** `malformed`, `trailing_data`, `duplicate_extension`, `malformed_extension`, `negative_serial`, `private_key`, `too_large`, … */
  readonly code: string;
  /** A sentence for people, without a full stop. */
  readonly message: string;
  /** 1-based number of the PEM block or bundle member it concerns, and the 1-based line where the block begins. */
  readonly block?: number;
  readonly line?: number;
}

/** One attribute of a distinguished name, in the certificate's order. */
export interface NameAttribute {
  readonly oid: string;
  /** RFC 4514 short name when there is one (`CN`, `O`), else the OID. */
  readonly name: string;
  readonly value: string;
}

/** A distinguished name. */
export interface DistinguishedName {
  /** Relative names in the certificate's order; each a set of attributes. */
  readonly rdns: readonly (readonly NameAttribute[])[];
  /** RFC 4514 text in the certificate's order (most significant first), escaped: `C=US, O=Let's Encrypt, CN=R3`. */
  readonly text: string;
  /** DER bytes of the Name. */
  readonly der: Uint8Array;
}

/** A subject alternative name. */
export interface GeneralName {
  readonly kind: "dns" | "ip" | "email" | "uri" | "directory" | "other" | "registered_id" | "x400" | "edi";
  /** Text form; IP addresses canonical, directory names RFC 4514, others `<oid>:<hex>`. */
  readonly value: string;
  /** Content bytes as they stand in the certificate. */
  readonly der: Uint8Array;
}

/** One extension as it stands, whether it could be read or not. */
export interface Extension {
  readonly oid: string;
  /** The field's own name (`subjectAltName`), else the OID. */
  readonly name: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
  /** Why the content could not be read, for extensions that we know. */
  readonly malformed?: string;
}

/** A moment of a certificate: milliseconds since the epoch. Time text that is no time makes the certificate malformed. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A public key. */
export interface PublicKeyInfo {
  /** The inventory's four values; the real name is `name`. */
  readonly algorithm: "rsa" | "ecdsa" | "ed25519" | "unknown";
  /** `RSA`, `RSA-PSS`, `ECDSA P-256`, `Ed25519`, `ML-DSA-65`, or an OID. */
  readonly name: string;
  readonly oid: string;
  /** RSA modulus bits, curve size, 256 for Ed25519; absent when not known. */
  readonly sizeBits?: number;
  /** Curve name (`P-256`) or OID of an elliptic key. */
  readonly curve?: string;
  /** DER of the SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
}

/** basicConstraints. */
export interface BasicConstraints {
  readonly ca: boolean;
  readonly pathLength?: number;
}

/** One certificate, read extension by extension. */
export interface Certificate {
  /** Exactly the certificate's bytes, nothing after them. */
  readonly der: Uint8Array;
  /** 1, 2 or 3. */
  readonly version: number;
  /** DER content bytes of the serial INTEGER, kept as they are (a leading 00 survives). */
  readonly serial: Uint8Array;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  readonly validity: Validity;
  readonly publicKey: PublicKeyInfo;
  /** Signature algorithm of the outer structure: name for people and OID. */
  readonly signatureAlgorithm: { readonly oid: string; readonly name: string };
  /** Bytes of the extensions in order. */
  readonly extensions: readonly Extension[];
  readonly subjectAltNames: readonly GeneralName[];
  readonly basicConstraints?: BasicConstraints;
  /** Names of the bits that are set: `digitalSignature`, `keyCertSign`, … */
  readonly keyUsage?: readonly string[];
  /** Extended key usages: names (`serverAuth`) or OIDs. */
  readonly extendedKeyUsage?: readonly string[];
  readonly authorityKeyId?: Uint8Array;
  readonly subjectKeyId?: Uint8Array;
  /** Lower-case hex without colons. */
  readonly fingerprintSha256: string;
  readonly fingerprintSha1: string;
  /** Odd or malformed parts that do not hide the rest. */
  readonly findings: readonly Finding[];
}
