/** Readers of known extensions: each parses the content of its extension into the draft of the values. */

import { contentOf, contextTag, DerError, type DerReader, LimitError, readerOf, TAG } from "./der.ts";
import { booleanOf, integerOf, oidOf, setBitsOf, smallIntegerOf } from "./der_values.ts";
import { generalNameOf, readGeneralNames } from "./general_names.ts";
import { ACCESS_METHOD_NAMES, KEY_PURPOSE_NAMES } from "./oids.ts";
import { eachEntry, readPolicies, readPolicyConstraints, readPolicyMappings } from "./policies.ts";
import type {
  AccessDescription,
  DistributionPoint,
  ExtensionValues,
  Finding,
  GeneralName,
  NameConstraints,
} from "./types.ts";

/** Maximum number of subtrees of a certificate. The largest public intermediates have a few hundred. */
const MAX_SUBTREES = 2_000;

/** Reads NameConstraints. Empty lists and a value without any list are malformed (§4.2.1.10). */
function readNameConstraints(content: DerReader, findings: Finding[]): NameConstraints {
  const field = "nameConstraints";
  const sequence = content.enter(TAG.sequence, field);
  if (sequence.done) throw new DerError(`${field} has neither permitted nor excluded subtrees`);
  const permitted = readSubtrees(sequence, { number: 0, findings });
  const excluded = readSubtrees(sequence, { number: 1, findings });
  sequence.finish(field);
  return { permitted, excluded };
}

function readSubtrees(
  sequence: DerReader,
  { number, findings }: { number: 0 | 1; findings: Finding[] },
): GeneralName[] {
  const field = number === 0 ? "permittedSubtrees" : "excludedSubtrees";
  const list = sequence.optional(contextTag(number, true), field);
  if (list === undefined) return [];
  const reader = readerOf(list);
  if (reader.done) throw new DerError(`${field} is empty`);
  const subtrees: GeneralName[] = [];
  while (!reader.done) {
    if (subtrees.length === MAX_SUBTREES) {
      throw new LimitError(`${field} has more than ${MAX_SUBTREES} entries`);
    }
    subtrees.push(readSubtree(reader.enter(TAG.sequence, field), { field, findings }));
  }
  return subtrees;
}

function readSubtree(
  reader: DerReader,
  { field, findings }: { field: string; findings: Finding[] },
): GeneralName {
  const base = generalNameOf(reader.next(field), { field, findings, ranges: true });
  requireMask(base, field);
  const least = reader.optional(contextTag(0, false), `${field}: minimum`);
  const minimum = least === undefined ? 0 : smallIntegerOf(least, `${field}: minimum`);
  if (minimum !== 0 || !reader.done) {
    throw new DerError(`${field} has a minimum or maximum distance, which RFC 5280 forbids`);
  }
  return base;
}

/** Throws unless the mask of an address is a prefix: RFC 5280 requires "the style of RFC 4632". */
function requireMask({ kind, value }: GeneralName, field: string): void {
  if (kind !== "ip" || /\/\d+$/.test(value)) return;
  throw new DerError(`${field}: the mask of ${value} is not a prefix`);
}

/** The values while they are being collected. */
export type ExtensionDraft =
  & { -readonly [K in keyof Omit<ExtensionValues, "extensions" | "subjectAltNames">]: ExtensionValues[K] }
  & {
    subjectAltNames: GeneralName[];
  };

/** Reads one extension's content; throws a DerError when it is malformed. The caller rejects remaining bytes. */
type ExtensionReader = (content: DerReader, target: Target) => void;

interface Target {
  readonly draft: ExtensionDraft;
  readonly findings: Finding[];
}

/** Names of the bits of keyUsage by bit number (RFC 5280 §4.2.1.3). */
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
/** Maximum number of extended key usages of a certificate; real ones have fewer than 15. */
const MAX_PURPOSES = 200;

/** Readers by the OID of the extension. */
export const EXTENSION_READERS: Readonly<Record<string, ExtensionReader>> = {
  "2.5.29.14": (content, { draft }) => {
    draft.subjectKeyId = contentOf(content.expect(TAG.octetString, "subjectKeyIdentifier"));
  },
  "2.5.29.15": readKeyUsage,
  "2.5.29.17": (content, { draft, findings }) => {
    const reader = content.enter(TAG.sequence, "subjectAltName");
    readGeneralNames(reader, { field: "subjectAltName", findings, names: draft.subjectAltNames });
  },
  "2.5.29.18": (content, { draft, findings }) => {
    const names: GeneralName[] = [];
    const reader = content.enter(TAG.sequence, "issuerAltName");
    readGeneralNames(reader, { field: "issuerAltName", findings, names });
    draft.issuerAltNames = names;
  },
  "2.5.29.19": readBasicConstraints,
  "2.5.29.30": (content, { draft, findings }) => {
    draft.nameConstraints = readNameConstraints(content, findings);
  },
  "2.5.29.31": (content, { draft, findings }) => {
    draft.crlDistributionPoints = readDistributionPoints(content, {
      field: "cRLDistributionPoints",
      findings,
    });
  },
  "2.5.29.32": (content, { draft }) => {
    draft.certificatePolicies = readPolicies(content);
  },
  "2.5.29.33": (content, { draft }) => {
    draft.policyMappings = readPolicyMappings(content);
  },
  "2.5.29.35": readAuthorityKeyIdentifier,
  "2.5.29.36": (content, { draft }) => {
    draft.policyConstraints = readPolicyConstraints(content);
  },
  "2.5.29.37": readKeyPurposes,
  "2.5.29.46": (content, { findings }) => {
    readDistributionPoints(content, { field: "freshestCRL", findings });
  },
  "2.5.29.54": (content, { draft }) => {
    draft.inhibitAnyPolicy = smallIntegerOf(
      content.expect(TAG.integer, "inhibitAnyPolicy"),
      "inhibitAnyPolicy",
    );
  },
  "1.3.6.1.5.5.7.1.1": (content, { draft, findings }) => {
    draft.authorityInfoAccess = readAccess(content, { field: "authorityInfoAccess", findings });
  },
  "1.3.6.1.5.5.7.1.11": (content, { draft, findings }) => {
    draft.subjectInfoAccess = readAccess(content, { field: "subjectInfoAccess", findings });
  },
  "1.3.6.1.5.5.7.1.24": readTlsFeatures,
  "1.3.6.1.4.1.11129.2.4.2": (content, { draft }) => {
    draft.signedTimestamps = countTimestamps(contentOf(content.expect(TAG.octetString, "timestamp list")));
  },
};

function readKeyUsage(content: DerReader, { draft, findings }: Target): void {
  const bits = setBitsOf(content.expect(TAG.bitString, "keyUsage"), "keyUsage");
  if (bits.length === 0) findings.push({ code: "empty_key_usage", message: "keyUsage allows nothing" });
  draft.keyUsage = bits.flatMap((bit) => KEY_USAGES[bit] ?? []);
}

/**
 * Reads basicConstraints (RFC 5280 §4.2.1.9). An explicit FALSE is not DER, but is so common that it is
 * accepted.
 */
function readBasicConstraints(content: DerReader, { draft }: Target): void {
  const sequence = content.enter(TAG.sequence, "basicConstraints");
  const flag = sequence.optional(TAG.boolean, "cA");
  const ca = flag !== undefined && booleanOf(flag, "cA");
  const length = sequence.optional(TAG.integer, "pathLenConstraint");
  sequence.finish("basicConstraints");
  draft.basicConstraints = length === undefined
    ? { ca }
    : { ca, pathLength: smallIntegerOf(length, "pathLenConstraint") };
}

/** Reads authorityKeyIdentifier (RFC 5280 §4.2.1.1). */
function readAuthorityKeyIdentifier(content: DerReader, { draft, findings }: Target): void {
  const field = "authorityKeyIdentifier";
  const sequence = content.enter(TAG.sequence, field);
  const keyId = sequence.optional(contextTag(0, false), field);
  const issuer: GeneralName[] = [];
  if (sequence.nextTag === contextTag(1, true)) {
    readGeneralNames(sequence.enter(contextTag(1, true), field), { field, findings, names: issuer });
  }
  const serial = sequence.optional(contextTag(2, false), field);
  sequence.finish(field);
  if (keyId !== undefined) draft.authorityKeyId = contentOf(keyId);
  if (issuer.length > 0) draft.authorityCertIssuer = issuer;
  if (serial !== undefined) draft.authorityCertSerial = integerOf(serial, `${field}: serial`);
}

function readKeyPurposes(content: DerReader, { draft }: Target): void {
  const sequence = content.enter(TAG.sequence, "extKeyUsage");
  const purposes: string[] = [];
  while (!sequence.done) {
    if (purposes.length === MAX_PURPOSES) {
      throw new LimitError(`extKeyUsage has more than ${MAX_PURPOSES} entries`);
    }
    const oid = oidOf(sequence.expect(TAG.oid, "extKeyUsage"), "extKeyUsage");
    purposes.push(KEY_PURPOSE_NAMES[oid] ?? oid);
  }
  if (purposes.length === 0) throw new DerError("extKeyUsage has no entries");
  draft.extendedKeyUsage = purposes;
}

/** Reads the TLS feature extension, a SEQUENCE OF INTEGER (RFC 7633 §4.2.3). */
function readTlsFeatures(content: DerReader, { draft }: Target): void {
  const sequence = content.enter(TAG.sequence, "tlsFeature");
  const features: number[] = [];
  while (!sequence.done) {
    features.push(smallIntegerOf(sequence.expect(TAG.integer, "tlsFeature"), "tlsFeature"));
  }
  draft.tlsFeatures = features;
}

/**
 * Counts the items of a SignedCertificateTimestampList (RFC 6962 §3.3): a 16-bit length, then items with 16-bit lengths.
 * Their signatures are not verified.
 */
function countTimestamps(list: Uint8Array): number {
  const view = new DataView(list.buffer, list.byteOffset, list.byteLength);
  if (list.length < 2 || view.getUint16(0) !== list.length - 2) {
    throw new DerError("The timestamp list has a wrong length");
  }
  let count = 0;
  let position = 2;
  while (position < list.length) {
    if (position + 2 > list.length) throw new DerError("The timestamp list is cut off");
    position += 2 + view.getUint16(position);
    count++;
  }
  if (position !== list.length) throw new DerError("The timestamp list is cut off");
  return count;
}

/** Maximum number of entries of an extension; real ones have fewer than 10. */
const MAX_ENTRIES = 200;

/** Reads a SEQUENCE OF AccessDescription with at least one entry (RFC 5280 §4.2.2.1, §4.2.2.2). */
function readAccess(
  content: DerReader,
  { field, findings }: { field: string; findings: Finding[] },
): AccessDescription[] {
  const entries: AccessDescription[] = [];
  eachEntry(content, { field, max: MAX_ENTRIES }, (reader) => {
    const oid = oidOf(reader.expect(TAG.oid, field), field);
    const location = generalNameOf(reader.next(field), { field, findings });
    entries.push({ method: ACCESS_METHOD_NAMES[oid] ?? oid, location });
  });
  return entries;
}

/** Reads a SEQUENCE OF DistributionPoint with at least one entry. */
function readDistributionPoints(
  content: DerReader,
  { field, findings }: { field: string; findings: Finding[] },
): DistributionPoint[] {
  const points: DistributionPoint[] = [];
  eachEntry(content, { field, max: MAX_ENTRIES }, (reader) => {
    const names: GeneralName[] = [];
    const crlIssuer: GeneralName[] = [];
    const name = reader.optional(contextTag(0, true), field);
    // DistributionPointName is a list of names or one relative name. A relative name has no address to show.
    const choice = name === undefined ? undefined : readerOf(name);
    if (choice?.nextTag === contextTag(0, true)) {
      readGeneralNames(choice.enter(contextTag(0, true), field), { field, findings, names });
    } else choice?.expect(contextTag(1, true), field);
    choice?.finish(field);
    const reasons = reader.optional(contextTag(1, false), field);
    if (reasons !== undefined) setBitsOf(reasons, `${field}: reasons`);
    const issuer = reader.optional(contextTag(2, true), field);
    if (issuer !== undefined) readGeneralNames(readerOf(issuer), { field, findings, names: crlIssuer });
    points.push({ names, crlIssuer, ...(reasons === undefined ? {} : { partial: true }) });
  });
  return points;
}
