/**
 * Certificates, requests and bundles as plain data, shared by the readers (`certificate.ts`, `request.ts`,
 * `bundle.ts`), chain validation (`chain/`) and the inventory. Field names follow RFC 5280.
 */

/** A defect or warning about an input; a value, never an exception. */
export interface Finding {
  /** `malformed`, `trailing_data`, `duplicate_extension`, `malformed_extension`, `negative_serial`, `private_key`, `too_large`, … */
  readonly code: string;
  /** A sentence for people, without a full stop. */
  readonly message: string;
  /**
   * 1-based number of the PEM block or certificate that the finding is about, and the 1-based line where the
   * block begins.
   */
  readonly block?: number;
  readonly line?: number;
  /** Whether only the beginning of a certificate was given, or bytes that are not one. */
  readonly part?: "cut_off" | "damaged";
}

/** One attribute of a distinguished name, in the certificate's order. */
export interface NameAttribute {
  readonly oid: string;
  /** RFC 4514 short name (`CN`, `O`), or the OID if it has none. */
  readonly name: string;
  readonly value: string;
  /** Content bytes of an emailAddress, a character each. */
  readonly content?: string;
}

export interface DistinguishedName {
  /** Relative distinguished names in the certificate's order; each is a set of attributes. */
  readonly rdns: readonly (readonly NameAttribute[])[];
  /** RFC 4514 text in the certificate's order (most significant first), escaped: `C=US, O=Let's Encrypt, CN=R3`. */
  readonly text: string;
  /**
   * The keys that are compared (RFC 5280 §7.1), one for each relative distinguished name, in order. Two names
   * are equal if all their keys are equal. A name is within a subtree if its keys begin with those of the
   * subtree.
   */
  readonly rdnKeys: readonly string[];
  /** All {@link rdnKeys} as one text, for use as a map key; empty for the empty name. */
  readonly key: string;
}

/** A subject alternative name. */
export interface GeneralName {
  readonly kind: "dns" | "ip" | "email" | "uri" | "directory" | "other" | "registered_id" | "x400" | "edi";
  /** The name as text: canonical for IP addresses, RFC 4514 for directory names, `<oid>:<hex>` for others. */
  readonly value: string;
  /**
   * Content bytes from the certificate, a character each: IA5 text, 4 or 16 address bytes (8 or 32 in name constraints),
   * an otherName; empty for other kinds. Not a view, because a certificate may have thousands of names.
   */
  readonly content: string;
  /** The name, if the kind is `directory`. */
  readonly directoryName?: DistinguishedName;
  /** The type, if the kind is `other`, or the `registered_id` itself. */
  readonly oid?: string;
}

/**
 * The bases of the subtrees of nameConstraints (RFC 5280 §4.2.1.10); an absent list is empty here. A minimum other than 0,
 * and any maximum, make the extension malformed.
 */
export interface NameConstraints {
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
}

/** One certificate policy. Qualifiers are shown as text. */
export interface PolicyInformation {
  readonly oid: string;
  /** CPS addresses and user notices, as text. */
  readonly qualifiers: readonly string[];
  /** OID of the first qualifier that is neither a CPS address nor a user notice. */
  readonly unknownQualifier?: string;
}

/** One entry of authorityInfoAccess or subjectInfoAccess. */
export interface AccessDescription {
  /** `ocsp`, `caIssuers`, or the OID of the method. */
  readonly method: string;
  readonly location: GeneralName;
}

/** One entry of cRLDistributionPoints. The names may be absent if only a CRL issuer is named. */
export interface DistributionPoint {
  readonly names: readonly GeneralName[];
  readonly crlIssuer: readonly GeneralName[];
  /** Whether its lists cover only some of the reasons. */
  readonly partial?: true;
}

/** An AlgorithmIdentifier. */
export interface AlgorithmIdentifier {
  readonly oid: string;
  /** Readable name: `sha256WithRSAEncryption`, `RSA-PSS SHA-256`, `ecdsa-with-SHA384`, `Ed25519`, or the OID. */
  readonly name: string;
  /** DER of the parameters, tag included; absent if there are none. `05 00` is NULL. */
  readonly parameters?: Uint8Array;
  /** DER of the whole identifier. */
  readonly der: Uint8Array;
}

/** One extension, readable or not. */
export interface Extension {
  readonly oid: string;
  /** The name of the extension (`subjectAltName`), or the OID if it has none. */
  readonly name: string;
  readonly critical: boolean;
  /** Size of the content in bytes. */
  readonly size: number;
  /** Why the extension could not be read: known extensions only, or any whose structure is broken. */
  readonly malformed?: string;
  /** Set on the second and every further extension with the same OID. */
  readonly duplicate?: true;
}

/** Milliseconds since the epoch. An invalid time makes the certificate malformed. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface PublicKeyInfo {
  /** One of the four values in the inventory; `name` is the exact one. */
  readonly algorithm: "rsa" | "ecdsa" | "ed25519" | "unknown";
  /** `RSA`, `RSA-PSS`, `ECDSA P-256`, `Ed25519`, `ML-DSA-65`, or an OID. */
  readonly name: string;
  readonly oid: string;
  /** Bits of the RSA modulus or the curve, 256 for Ed25519; absent if unknown. */
  readonly sizeBits?: number;
  /** Name (`P-256`) or OID of the curve of an elliptic curve key. */
  readonly curve?: string;
  /** DER of the SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /** DER of the algorithm's parameters, tag included; absent if there are none. */
  readonly parameters?: Uint8Array;
  /** Content of the subjectPublicKey BIT STRING, without the count of unused bits. */
  readonly bits: Uint8Array;
  /**
   * Why the key could not be read (an RSA key that is not two positive integers, a point of the wrong
   * length).
   */
  readonly malformed?: string;
}

/** basicConstraints. */
export interface BasicConstraints {
  readonly ca: boolean;
  readonly pathLength?: number;
}

/** The values that certificates and requests have in common. */
export interface ExtensionValues {
  /** The extensions in order, with their bytes. */
  readonly extensions: readonly Extension[];
  /** Names in order. If the extension is malformed, those that could be read. */
  readonly subjectAltNames: readonly GeneralName[];
  readonly basicConstraints?: BasicConstraints;
  /** Names of the bits that are set: `digitalSignature`, `keyCertSign`, … */
  readonly keyUsage?: readonly string[];
  /** Extended key usages: names (`serverAuth`) or OIDs. */
  readonly extendedKeyUsage?: readonly string[];
  readonly authorityKeyId?: Uint8Array;
  readonly authorityCertIssuer?: readonly GeneralName[];
  /** Content bytes of the INTEGER. */
  readonly authorityCertSerial?: Uint8Array;
  readonly subjectKeyId?: Uint8Array;
  /** Also absent if the extension is malformed: check {@link Extension.malformed} before you rely on it. */
  readonly nameConstraints?: NameConstraints;
  readonly certificatePolicies?: readonly PolicyInformation[];
  readonly policyMappings?: readonly { readonly issuerDomain: string; readonly subjectDomain: string }[];
  readonly policyConstraints?: {
    readonly requireExplicitPolicy?: number;
    readonly inhibitPolicyMapping?: number;
  };
  readonly inhibitAnyPolicy?: number;
  readonly issuerAltNames?: readonly GeneralName[];
  readonly authorityInfoAccess?: readonly AccessDescription[];
  readonly subjectInfoAccess?: readonly AccessDescription[];
  readonly crlDistributionPoints?: readonly DistributionPoint[];
  /** Number of embedded signed certificate timestamps (RFC 6962 §3.3). */
  readonly signedTimestamps?: number;
  /** RFC 7633 features: 5 is status_request ("must staple"). */
  readonly tlsFeatures?: readonly number[];
}

/** One certificate, read extension by extension. */
export interface Certificate extends ExtensionValues {
  /** Exactly the bytes of the certificate. */
  readonly der: Uint8Array;
  /** DER of the TBSCertificate, tag included: the bytes that are signed. */
  readonly tbs: Uint8Array;
  /** 1, 2 or 3. */
  readonly version: number;
  /** DER content bytes of the serial number, unchanged (including a leading 00). */
  readonly serial: Uint8Array;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  readonly validity: Validity;
  readonly publicKey: PublicKeyInfo;
  /** Signature algorithm of the outer structure. */
  readonly signatureAlgorithm: AlgorithmIdentifier;
  /** The `signature` field inside the TBSCertificate; must equal the outer one (RFC 5280 §4.1.1.2). */
  readonly tbsSignatureAlgorithm: AlgorithmIdentifier;
  /** Content of the signatureValue BIT STRING, without the count of unused bits (which is 0). */
  readonly signature: Uint8Array;
  /** Lower-case hex without colons. */
  readonly fingerprintSha256: string;
  readonly fingerprintSha1: string;
  /** Unusual or malformed parts that do not prevent reading the rest. */
  readonly findings: readonly Finding[];
}

/** A certification request (PKCS#10, RFC 2986). The value of challengePassword is never read. */
export interface SigningRequest extends ExtensionValues {
  /** Exactly the bytes of the request. */
  readonly der: Uint8Array;
  /** DER of the CertificationRequestInfo: the bytes that are signed. */
  readonly info: Uint8Array;
  readonly subject: DistinguishedName;
  readonly publicKey: PublicKeyInfo;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
  /**
   * OIDs and names of the attributes in order (`extensionRequest`, `challengePassword`), without their
   * values.
   */
  readonly attributes: readonly { readonly oid: string; readonly name: string }[];
  /** Lower-case hex without colons, over {@link der}. */
  readonly fingerprintSha256: string;
  readonly findings: readonly Finding[];
}

/** The result of reading one certificate: the certificate, or the reasons why it cannot be read. */
export interface CertificateReading {
  readonly certificate?: Certificate;
  /** If there is a certificate, the same as its findings. Otherwise the errors of the input. */
  readonly findings: readonly Finding[];
}

/** The result of reading one request. */
export interface RequestReading {
  readonly request?: SigningRequest;
  readonly findings: readonly Finding[];
}

/** One certificate of a text or file. */
export interface BundleMember {
  readonly certificate: Certificate;
  /**
   * 1-based number of its PEM block. All certificates of a PKCS#7 block have the same number. Absent in
   * binary files.
   */
  readonly block?: number;
  /** 1-based line where that block begins. */
  readonly line?: number;
}

/** Every certificate of a text or file, in order. */
export interface Bundle {
  /** Type of the input, detected from its content. */
  readonly kind: "der" | "pem" | "pkcs7" | "unknown";
  readonly members: readonly BundleMember[];
  /**
   * Findings about parts that could not be read. Findings about readable certificates are in the
   * certificates.
   */
  readonly findings: readonly Finding[];
}
