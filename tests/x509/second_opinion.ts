/**
 * Reads a certificate with `@peculiar/x509`, which shares no code with our parser, and returns fields in the forms of
 * our parser.
 */

import "reflect-metadata";
import { createHash } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsagesExtension,
  type Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
} from "@peculiar/x509";
import { KEY_PURPOSE_NAMES } from "../../src/x509/oids.ts";
import type { Certificate, DistinguishedName, GeneralName } from "../../src/x509/mod.ts";

/** A value for each field that both parsers have; `unreadable` if the library throws. */
export type Opinion = Readonly<Record<string, unknown>>;

/** Replaces a field for which the library throws. */
export const UNREADABLE = "unreadable";

const ATTRIBUTES: Readonly<Record<string, string>> = {
  CN: "2.5.4.3",
  SN: "2.5.4.4",
  C: "2.5.4.6",
  L: "2.5.4.7",
  ST: "2.5.4.8",
  O: "2.5.4.10",
  OU: "2.5.4.11",
  T: "2.5.4.12",
  G: "2.5.4.42",
  I: "2.5.4.43",
  DC: "0.9.2342.19200300.100.1.25",
  E: "1.2.840.113549.1.9.1",
};

/** The library's types of names by ours. Of directory names and others only the type is compared. */
const KINDS: Readonly<Record<GeneralName["kind"], string>> = {
  dns: "dns",
  ip: "ip",
  email: "email",
  uri: "url",
  directory: "dn",
  registered_id: "id",
  other: "other",
  x400: "other",
  edi: "other",
};
const COMPARED_KINDS = ["dns", "ip", "email", "url", "id"];
/** The library's names of its otherName types. */
const OTHER_NAMES = ["guid", "upn", "other"];

const KEY_USAGES = [
  "digitalSignature",
  "nonRepudiation",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
];

/** Returns the fields of a certificate as the library reads them; undefined if it cannot. */
export function theirOpinion(der: Uint8Array<ArrayBuffer>): Opinion | undefined {
  const certificate = attempt(() => new X509Certificate(der));
  if (!(certificate instanceof X509Certificate)) return undefined;
  const fields: Record<string, () => unknown> = {
    serial: () => certificate.serialNumber.toLowerCase(),
    subject: () => attributesOf(certificate.subjectName),
    issuer: () => attributesOf(certificate.issuerName),
    notBefore: () => certificate.notBefore.toISOString(),
    notAfter: () => certificate.notAfter.toISOString(),
    fingerprint: () => sha256(certificate.rawData),
    spki: () => sha256(certificate.publicKey.rawData),
    // When called again, the library returns an empty list where it has thrown before.
    ...extensionFields(attempt(() => certificate.extensions)),
  };
  return Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, attempt(read)]));
}

function extensionFields(read: readonly Extension[] | typeof UNREADABLE): Record<string, () => unknown> {
  function extensions(): readonly Extension[] {
    if (read === UNREADABLE) throw new Error(UNREADABLE);
    return read;
  }
  function first<T extends Extension>(type: abstract new (...args: never[]) => T): T | undefined {
    return extensions().find((one): one is T => one instanceof type);
  }
  return {
    extensions: () => extensions().map(({ type, critical }) => `${type}${critical ? " critical" : ""}`),
    sans: () =>
      first(SubjectAlternativeNameExtension)?.names.toJSON().map(({ type, value }) =>
        sanOf(OTHER_NAMES.includes(type) ? "other" : type, value)
      ) ?? [],
    keyUsage: () => {
      const flags = first(KeyUsagesExtension)?.usages;
      return flags === undefined ? null : KEY_USAGES.filter((_, bit) => (flags & (1 << bit)) !== 0);
    },
    extendedKeyUsage: () =>
      first(ExtendedKeyUsageExtension)?.usages.map((usage) =>
        KEY_PURPOSE_NAMES[String(usage)] ?? String(usage)
      ) ?? null,
    basicConstraints: () => {
      const found = first(BasicConstraintsExtension);
      return found === undefined ? null : [found.ca, found.pathLength ?? null];
    },
    subjectKeyId: () => first(SubjectKeyIdentifierExtension)?.keyId.toLowerCase() ?? null,
    authorityKeyId: () => first(AuthorityKeyIdentifierExtension)?.keyId?.toLowerCase() ?? null,
  };
}

/** Returns the same fields from our own parser. */
export function ourOpinion(certificate: Certificate): Opinion {
  const { validity, basicConstraints } = certificate;
  return {
    // Without the octet that only keeps the number positive, because the library shows the number.
    serial: certificate.serial.toHex().replace(/^00(?=[89a-f])/, ""),
    subject: ourAttributes(certificate.subject),
    issuer: ourAttributes(certificate.issuer),
    notBefore: new Date(validity.notBefore).toISOString(),
    notAfter: new Date(validity.notAfter).toISOString(),
    fingerprint: certificate.fingerprintSha256,
    spki: sha256(certificate.publicKey.spki),
    extensions: certificate.extensions.map(({ oid, critical }) => `${oid}${critical ? " critical" : ""}`),
    sans: certificate.subjectAltNames.map(({ kind, value }) => sanOf(KINDS[kind], value)),
    keyUsage: certificate.keyUsage ?? null,
    extendedKeyUsage: certificate.extendedKeyUsage ?? null,
    basicConstraints: basicConstraints === undefined
      ? null
      : [basicConstraints.ca, basicConstraints.pathLength ?? null],
    subjectKeyId: certificate.subjectKeyId?.toHex() ?? null,
    authorityKeyId: certificate.authorityKeyId?.toHex() ?? null,
  };
}

function sanOf(kind: string, value: string): string {
  return COMPARED_KINDS.includes(kind) ? `${kind} ${value}` : kind;
}

/** Returns the attributes of a relative name in the order of their types, because the library groups them by type. */
function attributesOf(name: Name): string[][] {
  return name.toJSON().map((set) =>
    Object.entries(set).flatMap(([type, values]) =>
      values.map((value) => `${ATTRIBUTES[type] ?? type}=${value}`)
    ).sort()
  );
}

function ourAttributes(name: DistinguishedName): string[][] {
  return name.rdns.map((set) => set.map(({ oid, value }) => `${oid}=${value}`).sort());
}

function sha256(bytes: ArrayBuffer | Uint8Array): string {
  return createHash("sha256").update(new Uint8Array(bytes)).digest("hex");
}

function attempt<T>(read: () => T): T | typeof UNREADABLE {
  try {
    return read();
  } catch {
    return UNREADABLE;
  }
}
