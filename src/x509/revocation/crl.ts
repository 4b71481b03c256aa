/**
 * Reads certificate revocation lists (RFC 5280 §5): strict DER, and of the entries only those that are looked for are
 * kept. A list of 300,000 entries is read in slices.
 */

import { readAlgorithm } from "../algorithms.ts";
import {
  bytesOf,
  contentOf,
  contextTag,
  DerError,
  DerReader,
  type Element,
  readerOf,
  soleSequence,
  TAG,
} from "../der.ts";
import { booleanOf, integerOf, oidOf, smallIntegerOf, wholeBitStringOf } from "../der_values.ts";
import { readGeneralNames } from "../general_names.ts";
import { readName } from "../names.ts";
import { readTime } from "../time.ts";
import type { Millis } from "../../base/clock.ts";
import type { AlgorithmIdentifier, DistinguishedName, GeneralName } from "../types.ts";
import { reasonOf, type RevocationReason } from "./reasons.ts";

/** An entry of a list. */
export interface CrlEntry {
  readonly revokedAt: Millis;
  readonly reason: RevocationReason;
}

/** issuingDistributionPoint (RFC 5280 §5.2.5): the certificates that a list covers. */
export interface CrlScope {
  readonly names: readonly GeneralName[];
  readonly userCertificatesOnly: boolean;
  readonly caCertificatesOnly: boolean;
  readonly attributeCertificatesOnly: boolean;
}

export interface RevocationList {
  readonly tbs: Uint8Array;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
  readonly issuer: DistinguishedName;
  readonly thisUpdate: Millis;
  readonly nextUpdate: Millis;
  /** Hexadecimal digits. */
  readonly crlNumber: string;
  readonly authorityKeyId?: Uint8Array;
  readonly scope?: CrlScope;
  /** Why the list must not be used although it is well-formed: an indirect or a delta list, a list of some reasons only. */
  readonly unsupported?: string;
  /** A critical extension that is unknown. */
  readonly critical?: string;
  readonly entries: number;
  /** The entries that were looked for, by serial number. */
  readonly found: ReadonlyMap<string, CrlEntry>;
}

/** The values that extensions set. */
type Draft = { -readonly [K in keyof RevocationList]?: RevocationList[K] };

const OID = {
  reasonCode: "2.5.29.21",
  invalidityDate: "2.5.29.24",
  certificateIssuer: "2.5.29.29",
  crlNumber: "2.5.29.20",
  deltaCrlIndicator: "2.5.29.27",
  issuingDistributionPoint: "2.5.29.28",
  authorityKeyIdentifier: "2.5.29.35",
} as const;

/** Number of entries between two pauses. */
const ENTRIES_PER_STEP = 256;
/** Content of the extensions of most entries, except for the reason at its end. */
const REASON_ONLY = Uint8Array.fromHex("300a0603551d1504030a01");

/**
 * Reads a list, and the entries with the serial numbers in `sought` (hexadecimal digits of the DER content).
 * Throws a DerError or LimitError if it is malformed anywhere.
 */
export function* readCrl(der: Uint8Array, sought: ReadonlySet<string>): Generator<void, RevocationList> {
  const outer = soleSequence(der, "CRL");
  const tbs = outer.expect(TAG.sequence, "tbsCertList");
  const signatureAlgorithm = readAlgorithm(outer, "signatureAlgorithm");
  const signature = wholeBitStringOf(outer.expect(TAG.bitString, "signatureValue"), "signatureValue");
  outer.finish("CRL");
  const reader = readerOf(tbs);
  const version = reader.optional(TAG.integer, "version");
  if (version === undefined || smallIntegerOf(version, "version") !== 1) {
    throw new DerError("The list is not of version 2, which RFC 5280 requires");
  }
  const inner = readAlgorithm(reader, "signature");
  if (inner.der.toHex() !== signatureAlgorithm.der.toHex()) {
    throw new DerError("The inner and the outer signature algorithm differ");
  }
  const issuer = readName(reader, { field: "issuer", findings: [] });
  const thisUpdate = readTime(reader, "thisUpdate").at;
  if (reader.nextTag !== TAG.utcTime && reader.nextTag !== TAG.generalizedTime) {
    throw new DerError("nextUpdate is missing");
  }
  const nextUpdate = readTime(reader, "nextUpdate").at;
  const draft: Draft = {};
  const list = reader.optional(TAG.sequence, "revokedCertificates");
  const tagged = reader.optional(contextTag(0, true), "crlExtensions");
  reader.finish("tbsCertList");
  if (tagged !== undefined) readListExtensions(readerOf(tagged), draft);
  const { crlNumber } = draft;
  if (crlNumber === undefined) throw new DerError("The list has no CRL number");
  const found = new Map<string, CrlEntry>();
  const entries = list === undefined ? 0 : yield* readEntries(list, { sought, found, draft });
  return {
    ...draft,
    tbs: bytesOf(tbs),
    signatureAlgorithm,
    signature,
    issuer,
    thisUpdate,
    nextUpdate,
    crlNumber,
    entries,
    found,
  };
}

function* readEntries(
  list: Element,
  { sought, found, draft }: {
    sought: ReadonlySet<string>;
    found: Map<string, CrlEntry>;
    draft: Draft;
  },
): Generator<void, number> {
  // Most entries are skipped by the last bytes of their numbers, without making a text of them.
  const tails = new Set([...sought].map((serial) => {
    const bytes = Uint8Array.fromHex(serial);
    return tailOf(bytes, 0, bytes.length);
  }));
  const reader = new DerReader(list.source, { ...list, budget: { left: Infinity } });
  let count = 0;
  while (!reader.done) {
    const element = reader.expect(TAG.sequence, "revoked certificate");
    const entry = readerOf(element);
    const serial = entry.expect(TAG.integer, "serial number");
    if (tails.has(tailOf(serial.source, serial.contentStart, serial.end))) {
      const text = contentOf(serial).toHex();
      if (sought.has(text)) found.set(text, readEntry(element));
    }
    const time = entry.next("revocationDate");
    if (time.tag !== TAG.utcTime && time.tag !== TAG.generalizedTime) {
      throw new DerError("revocationDate is not a time");
    }
    if (!entry.done && !hasOnlyReason(element, time.end)) readEntryExtensions(entry, draft);
    if (++count % ENTRIES_PER_STEP === 0) yield;
  }
  if (count === 0) throw new DerError("revokedCertificates is empty");
  return count;
}

/** Returns the last four bytes as a number. */
function tailOf(bytes: Uint8Array, start: number, end: number): number {
  let tail = 0;
  for (let index = Math.max(start, end - 4); index < end; index++) tail = tail * 256 + bytes[index]!;
  return tail;
}

/** Returns whether what follows the date of an entry is a well-formed, not critical reason and nothing else. */
function hasOnlyReason({ source, end }: Element, start: number): boolean {
  if (end - start !== REASON_ONLY.length + 3 || source[start] !== TAG.sequence) return false;
  return REASON_ONLY.every((byte, index) => source[start + 2 + index] === byte) &&
    source[start + 1] === REASON_ONLY.length + 1 && reasonOf(source[end - 1]!) !== undefined;
}

/** Reads an entry that was looked for. */
function readEntry(element: Element): CrlEntry {
  const reader = readerOf(element);
  integerOf(reader.next("serial number"), "serial number");
  const revokedAt = readTime(reader, "revocationDate").at;
  return { revokedAt, reason: reader.done ? "unspecified" : readEntryExtensions(reader, {}) };
}

/** Reads the extensions of an entry and returns its reason. */
function readEntryExtensions(entry: DerReader, draft: Draft): RevocationReason {
  let reason: RevocationReason = "unspecified";
  eachExtension(entry, draft, (oid, value) => {
    if (oid === OID.certificateIssuer) {
      value.next("certificateIssuer");
      draft.unsupported = "The list is indirect: it has entries of other issuers";
    } else if (oid === OID.reasonCode) {
      const code = value.expect(TAG.enumerated, "reasonCode");
      const named = reasonOf(smallIntegerOf(code, "reasonCode"));
      if (named === undefined) throw new DerError("reasonCode is not a reason of a complete list");
      reason = named;
    } else if (oid !== OID.invalidityDate) return false;
    else readTime(value, "invalidityDate");
    return true;
  });
  entry.finish("revoked certificate");
  return reason;
}

function readListExtensions(reader: DerReader, draft: Draft): void {
  eachExtension(reader, draft, (oid, value, critical) => {
    switch (oid) {
      case OID.crlNumber:
        draft.crlNumber = integerOf(value.expect(TAG.integer, "cRLNumber"), "cRLNumber").toHex();
        if (critical) draft.critical = "cRLNumber";
        return true;
      case OID.authorityKeyIdentifier: {
        const key = value.enter(TAG.sequence, "authorityKeyIdentifier").optional(
          contextTag(0, false),
          "authorityKeyIdentifier",
        );
        if (key !== undefined) draft.authorityKeyId = contentOf(key);
        return true;
      }
      case OID.deltaCrlIndicator:
        draft.unsupported = "The list is a delta list: it has only changes";
        value.expect(TAG.integer, "deltaCRLIndicator");
        return true;
      case OID.issuingDistributionPoint:
        readScope(value.enter(TAG.sequence, "issuingDistributionPoint"), draft);
        return true;
      default:
        return false;
    }
  });
  reader.finish("crlExtensions");
}

/** Reads issuingDistributionPoint. */
function readScope(reader: DerReader, draft: Draft): void {
  const field = "issuingDistributionPoint";
  const names: GeneralName[] = [];
  const point = reader.optional(contextTag(0, true), field);
  if (point !== undefined) {
    const choice = readerOf(point);
    if (choice.nextTag === contextTag(0, true)) {
      readGeneralNames(choice.enter(contextTag(0, true), field), { field, findings: [], names });
    } else {
      draft.unsupported = "The list names its distribution point by a relative name";
      choice.expect(contextTag(1, true), field);
    }
    choice.finish(field);
  }
  const flag = (number: number): boolean => {
    const element = reader.optional(contextTag(number, false), field);
    return element !== undefined && booleanOf(element, field);
  };
  const userCertificatesOnly = flag(1);
  const caCertificatesOnly = flag(2);
  if (reader.optional(contextTag(3, false), field) !== undefined) {
    draft.unsupported = "The list covers only some of the reasons";
  }
  if (flag(4)) draft.unsupported = "The list is indirect: it may have entries of other issuers";
  const attributeCertificatesOnly = flag(5);
  reader.finish(field);
  draft.scope = { names, userCertificatesOnly, caCertificatesOnly, attributeCertificatesOnly };
}

/** Reads a SEQUENCE OF Extension; `read` returns whether it knows the extension. */
function eachExtension(
  reader: DerReader,
  draft: Draft,
  read: (oid: string, value: DerReader, critical: boolean) => boolean,
): void {
  const list = reader.enter(TAG.sequence, "extensions");
  if (list.done) throw new DerError("The list of extensions is empty");
  const seen = new Set<string>();
  while (!list.done) {
    const extension = list.enter(TAG.sequence, "extension");
    const oid = oidOf(extension.expect(TAG.oid, "extension OID"), "extension OID");
    const flag = extension.optional(TAG.boolean, "critical flag");
    const critical = flag !== undefined && booleanOf(flag, "critical flag");
    const value = extension.enter(TAG.octetString, "extension value");
    extension.finish("extension");
    if (seen.has(oid)) throw new DerError(`Extension ${oid} occurs more than once`);
    seen.add(oid);
    if (read(oid, value, critical)) value.finish(`Extension ${oid}`);
    else if (critical) draft.critical = oid;
  }
}
