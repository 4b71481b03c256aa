/** Reads the certificates of a PKCS#7 / CMS SignedData (RFC 5652). CRLs and signers are skipped. */

import { MAX_MEMBERS } from "../base/limits.ts";
import {
  bytesOf,
  contextTag,
  DerError,
  DerReader,
  type Element,
  findingOf,
  LimitError,
  TAG,
  TrailingDataError,
} from "./der.ts";
import { oidOf } from "./der_values.ts";
import { addFinding } from "./findings.ts";
import { contentStart } from "./key_forms.ts";
import type { Finding } from "./types.ts";

/** Reads elements like {@link DerReader}. An element of indefinite length ends before its end-of-contents octets. */
class BerReader extends DerReader {
  override next(field: string): Element {
    const header = readHeader(this.source, { start: this.position, limit: this.end, field });
    const { tag, start, contentStart } = header;
    const end = header.end ?? endOfContents(this.source, { start: contentStart, limit: this.end, field });
    const element = this.take({ tag, source: this.source, start, contentStart, end });
    if (header.end === undefined) this.position = end + 2;
    return element;
  }

  /** Works like {@link DerReader.enter}, and the returned reader accepts BER, too. */
  override enter(tag: number, field: string): BerReader {
    const element = this.expect(tag, field);
    return new BerReader(element.source, element);
  }
}

interface Header {
  readonly tag: number;
  readonly start: number;
  readonly contentStart: number;
  /** Absent for an indefinite length. */
  readonly end?: number;
}

interface Bounds {
  readonly start: number;
  readonly limit: number;
  readonly field: string;
}

function readHeader(source: Uint8Array, { start, limit, field }: Bounds): Header {
  if (start + 2 > limit) throw new DerError(`${field} is cut off`);
  const tag = source[start]!;
  if ((tag & 0x1f) === 0x1f) throw new DerError(`${field} has a tag number above 30`);
  const first = source[start + 1]!;
  let contentStart = start + 2;
  if (first === 0x80) {
    if ((tag & 0x20) === 0) throw new DerError(`${field} is primitive and has an indefinite length`);
    return { tag, start, contentStart };
  }
  let length = first;
  if (first > 0x80) {
    const count = first & 0x7f;
    // Leading zeros are allowed, but more than 8 length octets are not needed.
    if (count > 8 || contentStart + count > limit) throw new DerError(`${field} is cut off`);
    length = 0;
    for (let index = 0; index < count; index++) length = length * 256 + source[contentStart + index]!;
    contentStart += count;
  }
  if (contentStart + length > limit) throw new DerError(`${field} is longer than the input`);
  return { tag, start, contentStart, end: contentStart + length };
}

/**
 * Returns the offset of the end-of-contents octets that close the element whose content begins at `start`.
 * Takes one pass.
 */
function endOfContents(source: Uint8Array, { start, limit, field }: Bounds): number {
  let position = start;
  let depth = 1;
  while (true) {
    if (position + 2 <= limit && source[position] === 0 && source[position + 1] === 0) {
      if (--depth === 0) return position;
      position += 2;
      continue;
    }
    const header = readHeader(source, { start: position, limit, field });
    if (header.end === undefined) depth++;
    position = header.end ?? header.contentStart;
  }
}

const SIGNED_DATA = "1.2.840.113549.1.7.2";
/** Other content types of a ContentInfo, by OID. */
const OTHER_CONTENT: Readonly<Record<string, string>> = {
  "1.2.840.113549.1.7.1": "plain data",
  "1.2.840.113549.1.7.3": "enveloped (encrypted) data",
  "1.2.840.113549.1.7.4": "signed and enveloped data",
  "1.2.840.113549.1.7.5": "digested data",
  "1.2.840.113549.1.7.6": "encrypted data",
  "1.2.840.113549.1.9.16.1.2": "authenticated data",
  "1.2.840.113549.1.9.16.1.9": "compressed data",
  "1.2.840.113549.1.9.16.1.23": "authenticated and enveloped data",
};

/** The DER of each certificate in order, and findings about skipped parts. */
export interface Pkcs7Reading {
  readonly certificates: readonly Uint8Array[];
  readonly findings: readonly Finding[];
}

/** Returns whether the bytes begin like a ContentInfo: a SEQUENCE that starts with an OID, which no certificate does. */
export function looksLikePkcs7(bytes: Uint8Array): boolean {
  return bytes[0] === TAG.sequence && bytes[contentStart(bytes, 1)] === TAG.oid;
}

/** Reads a ContentInfo, DER or BER. Never throws. */
export function readPkcs7(bytes: Uint8Array): Pkcs7Reading {
  const certificates: Uint8Array[] = [];
  const findings: Finding[] = [];
  try {
    const outer = new BerReader(bytes);
    const info = outer.enter(TAG.sequence, "ContentInfo");
    if (!outer.done) {
      throw new TrailingDataError(`${outer.end - outer.position} bytes follow the PKCS#7 data`);
    }
    const type = oidOf(info.expect(TAG.oid, "content type"), "content type");
    if (type !== SIGNED_DATA) {
      const message = `PKCS#7 with ${
        OTHER_CONTENT[type] ?? `content of type ${type}`
      } has no certificates to read`;
      return { certificates, findings: [{ code: "unsupported_content", message }] };
    }
    readSignedData(info.enter(contextTag(0, true), "SignedData"), { certificates, findings });
  } catch (error) {
    findings.push(findingOf(error));
  }
  return { certificates, findings };
}

/**
 * Reads SignedData ::= SEQUENCE { version, digestAlgorithms SET, encapContentInfo, certificates [0], crls
 * [1], signerInfos }.
 */
function readSignedData(
  wrapper: BerReader,
  { certificates, findings }: { certificates: Uint8Array[]; findings: Finding[] },
): void {
  const data = wrapper.enter(TAG.sequence, "SignedData");
  data.expect(TAG.integer, "SignedData version");
  data.expect(TAG.set, "digestAlgorithms");
  data.expect(TAG.sequence, "encapContentInfo");
  if (data.nextTag === contextTag(0, true)) {
    const set = data.enter(contextTag(0, true), "certificates");
    while (!set.done) {
      const choice = set.next("certificates");
      if (choice.tag !== TAG.sequence) {
        const message = "An attribute certificate or other format among the certificates";
        addFinding(findings, { code: "unsupported_member", message });
      } else if (certificates.length === MAX_MEMBERS) {
        throw new LimitError(`More than ${MAX_MEMBERS} certificates in one PKCS#7 file`);
      } else certificates.push(bytesOf(choice));
    }
  }
  if (certificates.length === 0 && findings.length === 0) {
    findings.push({ code: "empty", message: "The PKCS#7 data contains no certificates" });
  }
}
