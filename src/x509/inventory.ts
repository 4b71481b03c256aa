/** Converts a certificate or a request to the inventory's field names and text forms, and says what it is for. */

import { readHost, readHostName } from "../base/host_name.ts";
import { lastValue, valuesOf } from "./names.ts";
import type { Certificate, DistinguishedName, GeneralName, PublicKeyInfo, SigningRequest } from "./types.ts";

/**
 * Returns whether the names cover a host. `host` is a lower-case name or a canonical address; an address
 * matches only IP names. A wildcard must be the whole first label, and covers exactly one label (RFC 9525
 * §6.3).
 */
export function coversHost(names: readonly GeneralName[], host: string): boolean {
  const isAddress = host.includes(":") || /^[\d.]+$/.test(host);
  return names.some(({ kind, value }) =>
    isAddress
      ? kind === "ip" && readHost(value) === host
      : kind === "dns" && coversName(value.toLowerCase(), host)
  );
}

function coversName(pattern: string, host: string): boolean {
  if (pattern === host) return true;
  if (!pattern.startsWith("*.")) return false;
  const rest = pattern.slice(1);
  const first = host.indexOf(".");
  return first > 0 && host.slice(first) === rest && !rest.includes("*");
}

/** Fields of a certificate; times in milliseconds since the epoch. */
export interface InventoryFields {
  readonly common_name: string;
  /** DER bytes of the serial number as `0A:1B:2C`. */
  readonly serial_number: string;
  readonly issuer: string;
  readonly subject: string;
  readonly valid_from: number;
  readonly valid_to: number;
  readonly fingerprint_sha256: string;
  readonly algorithm: PublicKeyInfo["algorithm"];
  /** In bits; null if unknown. */
  readonly key_size: number | null;
  readonly sans: readonly string[];
}

/** Fields of a request; missing subject attributes are empty. */
export interface RequestFields {
  readonly common_name: string;
  readonly organization: string;
  readonly organizational_unit: string;
  readonly locality: string;
  readonly state: string;
  readonly country: string;
  readonly sans: readonly string[];
  readonly fingerprint_sha256: string;
  readonly algorithm: PublicKeyInfo["algorithm"];
  readonly key_size: number | null;
  readonly subject_string: string;
}

/** Returns the inventory's fields of a certificate. */
export function inventoryFields(certificate: Certificate): InventoryFields {
  const { subject, issuer, serial, validity, publicKey, subjectAltNames, fingerprintSha256 } = certificate;
  return {
    common_name: nameOf(subject, subjectAltNames) ?? colonHex(serial),
    serial_number: colonHex(serial),
    issuer: issuer.text,
    subject: subject.text,
    valid_from: validity.notBefore,
    valid_to: validity.notAfter,
    fingerprint_sha256: colonHexOf(fingerprintSha256),
    algorithm: publicKey.algorithm,
    key_size: publicKey.sizeBits ?? null,
    sans: subjectAltNames.map(sanText),
  };
}

/** Returns the inventory's fields of a request. */
export function requestFields(request: SigningRequest): RequestFields {
  const { subject, publicKey, subjectAltNames, fingerprintSha256 } = request;
  function joined(attribute: string): string {
    return valuesOf(subject, attribute).join(", ");
  }
  return {
    common_name: nameOf(subject, subjectAltNames) ?? colonHexOf(fingerprintSha256),
    organization: joined("O"),
    organizational_unit: joined("OU"),
    locality: joined("L"),
    state: joined("ST"),
    country: joined("C"),
    sans: subjectAltNames.map(sanText),
    fingerprint_sha256: colonHexOf(fingerprintSha256),
    algorithm: publicKey.algorithm,
    key_size: publicKey.sizeBits ?? null,
    subject_string: subject.text,
  };
}

/** Kinds of alternative names in the order in which they name a certificate; others follow. */
const NAMING: readonly GeneralName["kind"][] = ["dns", "ip", "uri", "email"];

/**
 * Returns the last CN, or the first DNS name, IP address, URI, e-mail address or other name, or the subject; undefined
 * without any. Never a placeholder: names are compared, and certificates with equal names are taken for the same use.
 */
function nameOf(subject: DistinguishedName, names: readonly GeneralName[]): string | undefined {
  const candidates = [
    lastValue(subject, "CN"),
    ...NAMING.flatMap((kind) => names.filter((name) => name.kind === kind)).map(({ value }) => value),
    ...names.filter(({ kind }) => !NAMING.includes(kind)).map(sanText),
    // With a value that is not blank.
    /=[^,+]*[^\s\\,+]/.test(subject.text) ? subject.text : undefined,
  ];
  return candidates.find((candidate) => candidate !== undefined && candidate.trim() !== "");
}

/** Returns all names of a certificate. One that was derived from an alternative name is there once. */
export function allNames(commonName: string, sans: readonly string[]): string[] {
  const derived = sans.some((name) =>
    Object.values(PREFIXES).some((prefix) => prefix !== "" && name === prefix + commonName)
  );
  return derived ? [...sans] : [commonName, ...sans];
}

/** Returns the key of a certificate that is named by its issuer and its serial number in hex. */
export function issuerAndSerial(issuer: string, serial: string): string {
  return `${serial.replaceAll(":", "").replace(/^0+(?=.)/, "").toLowerCase()} ${issuer.toLowerCase()}`;
}

/** Formats bytes as `0A:1B:2C`. */
export function colonHex(bytes: Uint8Array): string {
  return bytes.toHex().toUpperCase().replace(/..(?!$)/g, "$&:");
}

/** Formats plain hex digits as `0A:1B:2C`. */
export function colonHexOf(hex: string): string {
  return colonHex(Uint8Array.fromHex(hex));
}

const PREFIXES: Readonly<Record<GeneralName["kind"], string>> = {
  dns: "",
  ip: "IP:",
  email: "email:",
  uri: "URI:",
  directory: "dirName:",
  other: "otherName:",
  registered_id: "RID:",
  x400: "x400Address:",
  edi: "ediPartyName:",
};

/**
 * Formats a name as text: `www.example.com`, `IP:10.0.0.1`, `email:a@b.example`, `URI:https://…`,
 * `dirName:…`, `otherName:<oid>:<hex>`, `RID:…`.
 */
export function sanText({ kind, value }: GeneralName): string {
  return `${PREFIXES[kind]}${value}`;
}

/**
 * Replaces the number of the certificate that a message of a chain is about by its name, from `names`, leaf first:
 * "Certificate 2 expired on …" becomes "Example CA 1 expired on …". The leaf is "this certificate"; one without a name
 * keeps its number.
 */
export function namedMessage(message: string, names: readonly string[]): string {
  return message.replace(/(^|: )Certificate (\d+)(?= )/, (found, before: string, position: string) => {
    if (position === "1") return before === "" ? "This certificate" : `${before}this certificate`;
    const name = names[Number(position) - 1];
    return name === undefined || name === "" ? found : `${before}${name}`;
  });
}

/** Usages of certificates, in the order in which they are listed. */
export const USAGES = [
  "server_auth",
  "client_auth",
  "code_signing",
  "email_protection",
  "time_stamping",
  "ocsp_signing",
  "document_signing",
  "smart_card",
  "any",
  "ca",
  "other",
] as const;

export type Usage = typeof USAGES[number];

/** Kinds of certificates: what they are mainly for. */
export const KINDS = ["server", "client", "ca", "other"] as const;

export type Kind = typeof KINDS[number];

/** Usages by the names of extended key usages (RFC 5280 §4.2.1.12, RFC 9336, Microsoft's); all others are `other`. */
const BY_PURPOSE: Readonly<Record<string, Usage>> = {
  serverAuth: "server_auth",
  msServerGatedCrypto: "server_auth",
  netscapeServerGatedCrypto: "server_auth",
  clientAuth: "client_auth",
  codeSigning: "code_signing",
  emailProtection: "email_protection",
  timeStamping: "time_stamping",
  OCSPSigning: "ocsp_signing",
  documentSigning: "document_signing",
  msDocumentSigning: "document_signing",
  msSmartcardLogon: "smart_card",
  anyExtendedKeyUsage: "any",
};

/**
 * Returns the usages of a certificate. One without extended key usages may be used for anything, unless it is that of
 * an authority (RFC 5280 §4.2.1.9).
 */
export function usagesOf(
  { basicConstraints, extendedKeyUsage }: Pick<Certificate, "basicConstraints" | "extendedKeyUsage">,
): Usage[] {
  const isCa = basicConstraints?.ca === true;
  const found = new Set<Usage>(extendedKeyUsage?.map((purpose) => BY_PURPOSE[purpose] ?? "other"));
  if (isCa) found.add("ca");
  else if (extendedKeyUsage === undefined) found.add("any");
  return USAGES.filter((usage) => found.has(usage));
}

/**
 * Returns what a certificate is mainly for. One that names a host is a server's, even if it may also issue certificates:
 * `openssl req -x509` makes such ones by default. One without limits is taken for a server's.
 */
export function kindOf(certificate: Certificate): Kind {
  const usages = usagesOf(certificate);
  if (usages.includes("ca")) return namesHost(certificate) ? "server" : "ca";
  if (usages.includes("server_auth") || usages.includes("any")) return "server";
  return usages.includes("client_auth") ? "client" : "other";
}

function namesHost({ subject, issuer, subjectAltNames }: Certificate): boolean {
  if (subjectAltNames.length > 0) return subjectAltNames.some(({ kind }) => kind === "dns" || kind === "ip");
  const name = lastValue(subject, "CN") ?? "";
  return subject.text === issuer.text && name.includes(".") && readHostName(name) !== undefined;
}
