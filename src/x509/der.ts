/**
 * A strict reader of DER (X.690): accepts only definite, minimal lengths and low tag numbers, and no
 * remaining bytes. It reads the bytes without copying them. Errors are {@link DerError}s. The readers of
 * whole structures convert them to findings, so no DerError leaves this directory.
 */

import type { Finding } from "./types.ts";

/** Maximum size of a DER certificate or request in bytes; real ones stay below 8 KiB. */
export const MAX_CERTIFICATE_BYTES = 64 * 1024;
/**
 * Maximum number of elements that are read of one input: 1,200 extensions or four times as many names. A certificate has
 * about 90; without a limit, its size would allow 32,000, each of which takes memory and time at every reading.
 */
const MAX_ELEMENTS = 5_000;

/**
 * Maximum size of a name in bytes. Most attributes have at most 64 characters (RFC 5280, appendix A.1), and each byte of a
 * name is escaped, normalized, indexed and shown.
 */
export const MAX_NAME_BYTES = 4 * 1024;

/** Identifier octets of the types that X.509 uses. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  visibleString: 0x1a,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Returns the identifier octet of the context-specific tag `[number]`, primitive or constructed. */
export function contextTag(number: number, constructed: boolean): number {
  return (constructed ? 0xa0 : 0x80) | number;
}

/** Thrown for bytes that are not DER, or are not the expected element. */
export class DerError extends Error {
  override readonly name: string = "DerError";
}

/** Thrown for bytes after the only element that an input may contain. */
export class TrailingDataError extends DerError {
  override readonly name = "TrailingDataError";
}

/** Thrown for an input that exceeds a limit. It must not be reported as a malformed part. */
export class LimitError extends Error {
  override readonly name = "LimitError";
}

/** Converts a reader's error to a finding; rethrows anything else. */
export function findingOf(error: unknown): Finding {
  if (error instanceof LimitError) return { code: "too_large", message: error.message };
  if (error instanceof TrailingDataError) return { code: "trailing_data", message: error.message };
  if (error instanceof DerError) return { code: "malformed", message: error.message };
  throw error;
}

/** Returns a caught DerError; rethrows anything else. */
export function derErrorOf(error: unknown): DerError {
  if (error instanceof DerError) return error;
  throw error;
}

/** One element: identifier octet and the offsets of its content and its end in `source`. */
export interface Element {
  readonly tag: number;
  readonly source: Uint8Array;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
  /** Shared by all elements of an input: how many more are read. */
  readonly budget: { left: number };
}

/** Returns the content bytes of a name. Errors: LimitError. */
export function limitedName(element: Element, field: string): Uint8Array {
  const content = contentOf(element);
  if (content.length > MAX_NAME_BYTES) {
    throw new LimitError(`${field} has a name of ${content.length} bytes, more than ${MAX_NAME_BYTES}`);
  }
  return content;
}

/** Returns the content bytes of an element (a view). */
export function contentOf(element: Element): Uint8Array {
  return element.source.subarray(element.contentStart, element.end);
}

/** Returns all bytes of an element, identifier and length included (a view). */
export function bytesOf(element: Element): Uint8Array {
  return element.source.subarray(element.start, element.end);
}

/**
 * Reads one element after another between two offsets. The parameter `field` of the methods is the name of the
 * field in error messages.
 */
export class DerReader {
  readonly source: Uint8Array;
  readonly end: number;
  readonly #budget: Element["budget"];
  position: number;

  /** Reads all of `source`, or only the content of `element`. */
  constructor(source: Uint8Array, element?: Element) {
    this.source = source;
    this.position = element?.contentStart ?? 0;
    this.end = element?.end ?? source.length;
    this.#budget = element?.budget ?? { left: MAX_ELEMENTS };
  }

  /** Returns whether all elements were read. */
  get done(): boolean {
    return this.position >= this.end;
  }

  /** Identifier octet of the next element, or -1 at the end. */
  get nextTag(): number {
    return this.position < this.end ? this.source[this.position]! : -1;
  }

  /** Returns the next element, whatever its tag. */
  next(field: string): Element {
    const { source, end } = this;
    const start = this.position;
    if (start + 2 > end) throw new DerError(`${field} is cut off`);
    const tag = source[start]!;
    if ((tag & 0x1f) === 0x1f) throw new DerError(`${field} has a tag number above 30`);
    const first = source[start + 1]!;
    let contentStart = start + 2;
    let length = first;
    if (first >= 0x80) {
      const count = first & 0x7f;
      if (count === 0) throw new DerError(`${field} has an indefinite length`);
      contentStart += count;
      length = longLength({ source, start: start + 2, count, end, field });
    }
    const elementEnd = contentStart + length;
    if (elementEnd > end) throw new DerError(`${field} is longer than the input`);
    return this.take({ tag, source, start, contentStart, end: elementEnd });
  }

  /** Moves to the end of an element that was read, and counts it. */
  protected take({ tag, source, start, contentStart, end }: Omit<Element, "budget">): Element {
    if (--this.#budget.left < 0) throw new LimitError(`More than ${MAX_ELEMENTS} elements`);
    this.position = end;
    return { tag, source, start, contentStart, end, budget: this.#budget };
  }

  /** Returns the next element, which must have this identifier octet. */
  expect(tag: number, field: string): Element {
    const found = this.nextTag;
    if (found !== tag) {
      const seen = found === -1 ? "is missing" : `has tag ${hexByte(found)} instead of ${hexByte(tag)}`;
      throw new DerError(`${field} ${seen}`);
    }
    return this.next(field);
  }

  /** Returns the next element if it has this identifier octet. */
  optional(tag: number, field: string): Element | undefined {
    return this.nextTag === tag ? this.next(field) : undefined;
  }

  /** Returns a reader over the content of the next element, which must have this identifier octet. */
  enter(tag: number, field: string): DerReader {
    return readerOf(this.expect(tag, field));
  }

  /** Throws unless all bytes were read. */
  finish(field: string): void {
    if (this.position < this.end) {
      throw new DerError(`${field} has ${this.end - this.position} unexpected bytes at its end`);
    }
  }
}

/** Returns a reader over the content of an element. */
export function readerOf(element: Element): DerReader {
  return new DerReader(element.source, element);
}

/** Throws if the DER of a certificate or request exceeds the size limit. */
export function requireSize(der: Uint8Array, name: string): void {
  if (der.length <= MAX_CERTIFICATE_BYTES) return;
  throw new LimitError(`The ${name} has ${der.length} bytes; at most ${MAX_CERTIFICATE_BYTES} are read`);
}

/** Returns a reader over the only SEQUENCE in `bytes`. */
export function soleSequence(bytes: Uint8Array, name: string): DerReader {
  const outer = new DerReader(bytes);
  const inner = outer.enter(TAG.sequence, name);
  if (!outer.done) throw new TrailingDataError(`${outer.end - outer.position} bytes follow the ${name}`);
  return inner;
}

function longLength(
  { source, start, count, end, field }: {
    source: Uint8Array;
    start: number;
    count: number;
    end: number;
    field: string;
  },
): number {
  // Four octets express up to 4 GiB, more than any accepted input.
  if (count > 4) throw new DerError(`${field} is longer than the input`);
  if (start + count > end) throw new DerError(`${field} is cut off`);
  let length = 0;
  for (let index = 0; index < count; index++) length = length * 256 + source[start + index]!;
  if (length < 0x80 || source[start] === 0) throw new DerError(`${field} has a length that is not minimal`);
  return length;
}

function hexByte(value: number): string {
  return `0x${value.toString(16).padStart(2, "0")}`;
}
