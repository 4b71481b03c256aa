/**
 * Reads BER: like DER, but lengths need not be minimal and may be indefinite (X.690 §8.1.3.6). Used only for
 * the outer layers of PKCS#7; the certificates inside are DER.
 */

import { DerError, DerReader, type Element } from "./der.ts";

/** Reads elements like {@link DerReader}. An element of indefinite length ends before its end-of-contents octets. */
export class BerReader extends DerReader {
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
