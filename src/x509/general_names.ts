/**
 * Reads GeneralName (RFC 5280 §4.2.1.6): alternative names, name constraints, key ids and access locations.
 */

import {
  bytesOf,
  contextTag,
  DerError,
  derErrorOf,
  DerReader,
  type Element,
  limitedName,
  LimitError,
  readerOf,
  TAG,
} from "./der.ts";
import { oidOf, oidText } from "./der_values.ts";
import { addFinding } from "./findings.ts";
import { parseName } from "./names.ts";
import { decodeAscii, latin1, printable } from "./strings.ts";
import type { Finding, GeneralName } from "./types.ts";

/** Malformed names in one list; each costs an exception, which is 100 times slower than reading a name. */
const MAX_MALFORMED_NAMES = 100;

/** Options for reading a list of names. */
export interface NameOptions {
  /** The name of the field in error messages. */
  readonly field: string;
  readonly findings: Finding[];
  /** Whether addresses have a mask, as in name constraints. */
  readonly ranges?: boolean;
}

/**
 * Reads names into `names` until the reader's end. A malformed name does not stop the others; the first one's error
 * is thrown at the end, and a {@link LimitError} at once if there are too many.
 */
export function readGeneralNames(
  reader: DerReader,
  { names, ...options }: NameOptions & { names: GeneralName[] },
): void {
  const failures: DerError[] = [];
  if (reader.done) throw new DerError(`${options.field} has no names`);
  while (!reader.done) {
    const element = reader.next(options.field);
    try {
      names.push(generalNameOf(element, options));
    } catch (error) {
      failures.push(derErrorOf(error));
      if (failures.length > MAX_MALFORMED_NAMES) {
        throw new LimitError(`${options.field} has more than ${MAX_MALFORMED_NAMES} malformed names`);
      }
    }
  }
  if (failures.length > 0) throw failures[0]!;
}

/** Reads an element as a GeneralName. */
export function generalNameOf(element: Element, options: NameOptions): GeneralName {
  const der = limitedName(element, options.field);
  switch (element.tag) {
    case contextTag(0, true):
      return otherName(element, latin1(der));
    case contextTag(1, false):
      return asciiName("email", der, options);
    case contextTag(2, false):
      return asciiName("dns", der, options);
    case contextTag(3, true):
      return { kind: "x400", value: der.toHex(), content: "" };
    case contextTag(4, true):
      return directory(element, options);
    case contextTag(5, true):
      return { kind: "edi", value: der.toHex(), content: "" };
    case contextTag(6, false):
      return asciiName("uri", der, options);
    case contextTag(7, false):
      return { kind: "ip", value: address(der, options), content: latin1(der) };
    case contextTag(8, false): {
      const oid = oidText(der, `${options.field}: registeredID`);
      return { kind: "registered_id", value: oid, content: "", oid };
    }
    default:
      throw new DerError(`${options.field} has a name of an unknown kind`);
  }
}

function asciiName(
  kind: GeneralName["kind"],
  der: Uint8Array,
  { field, findings }: NameOptions,
): GeneralName {
  const { text, warning } = decodeAscii(der);
  if (warning === undefined) return { kind, value: printable(text), content: text };
  addFinding(findings, { code: "odd_name", message: `${field}: a name ${warning}` });
  return { kind, value: printable(text), content: latin1(der) };
}

/** Reads a directoryName, which is `[4] EXPLICIT` because Name is a CHOICE. */
function directory(element: Element, { field, findings }: NameOptions): GeneralName {
  const reader = readerOf(element);
  const sequence = reader.expect(TAG.sequence, `${field}: directoryName`);
  reader.finish(`${field}: directoryName`);
  const directoryName = parseName(sequence, { field, findings });
  return { kind: "directory", value: directoryName.text, content: "", directoryName };
}

function otherName(element: Element, content: string): GeneralName {
  const reader = readerOf(element);
  const oid = oidOf(reader.expect(TAG.oid, "otherName: type"), "otherName: type");
  const wrapper = reader.enter(contextTag(0, true), "otherName: value");
  const value = bytesOf(wrapper.next("otherName: value"));
  wrapper.finish("otherName: value");
  reader.finish("otherName");
  return { kind: "other", value: `${oid}:${value.toHex()}`, content, oid };
}

function address(der: Uint8Array, { field, ranges = false }: NameOptions): string {
  const text = ranges ? ipRangeText(der) : ipText(der);
  if (text === undefined) throw new DerError(`${field}: an IP address of ${der.length} bytes`);
  return text;
}

/** Formats 4 or 16 bytes canonically (RFC 5952 for IPv6); undefined for any other number of bytes. */
function ipText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join(".");
  return bytes.length === 16 ? ipv6Text(bytes) : undefined;
}

/**
 * Formats address and mask (RFC 5280 §4.2.1.10) as `10.0.0.0/8`, or with the mask itself if it is not a
 * prefix.
 */
function ipRangeText(bytes: Uint8Array): string | undefined {
  if (bytes.length !== 8 && bytes.length !== 32) return undefined;
  const half = bytes.length / 2;
  const mask = bytes.subarray(half);
  return `${ipText(bytes.subarray(0, half))}/${prefixLength(mask) ?? ipText(mask)}`;
}

/** Counts the leading ones of a mask; undefined if ones follow a zero. */
function prefixLength(mask: Uint8Array): number | undefined {
  let length = 0;
  while (length < mask.length * 8 && bit(mask, length)) length++;
  for (let index = length; index < mask.length * 8; index++) if (bit(mask, index)) return undefined;
  return length;
}

function bit(bytes: Uint8Array, index: number): boolean {
  return (bytes[index >> 3]! & (0x80 >> (index & 7))) !== 0;
}

function ipv6Text(bytes: Uint8Array): string {
  const groups: number[] = [];
  for (let index = 0; index < 16; index += 2) groups.push(bytes[index]! * 256 + bytes[index + 1]!);
  const gap = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (gap === undefined) return hex.join(":");
  return `${hex.slice(0, gap.start).join(":")}::${hex.slice(gap.start + gap.length).join(":")}`;
}

/** Returns the first of the longest runs of at least two zero groups (RFC 5952 §4.2). */
function longestZeroRun(groups: readonly number[]): { start: number; length: number } | undefined {
  let best: { start: number; length: number } | undefined;
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > 1 && length > (best?.length ?? 0)) best = { start, length };
  }
  return best;
}
