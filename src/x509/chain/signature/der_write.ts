/** Writes DER, to encode keys again in the only form that the runtime reads. */

import { TAG } from "../../der.ts";

/** Returns an element: identifier octet, shortest length, content. */
export function tlv(tag: number, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = contents.reduce((sum, content) => sum + content.length, 0);
  const length = size < 0x80
    ? [size]
    : size < 0x100
    ? [0x81, size]
    : size < 0x10000
    ? [0x82, size >> 8, size & 0xff]
    : [0x83, size >> 16, (size >> 8) & 0xff, size & 0xff];
  const element = new Uint8Array(1 + length.length + size);
  element.set([tag, ...length]);
  let position = 1 + length.length;
  for (const content of contents) {
    element.set(content, position);
    position += content.length;
  }
  return element;
}

const NO_UNUSED_BITS = Uint8Array.of(0);

/**
 * Returns a SubjectPublicKeyInfo of the OID content of the algorithm, the DER of its parameters (or nothing)
 * and the key bits.
 */
export function subjectPublicKeyInfo(
  oid: Uint8Array,
  { parameters, bits }: { parameters?: Uint8Array; bits: Uint8Array },
): Uint8Array<ArrayBuffer> {
  const algorithm = tlv(TAG.sequence, tlv(TAG.oid, oid), parameters ?? new Uint8Array(0));
  return tlv(TAG.sequence, algorithm, tlv(TAG.bitString, NO_UNUSED_BITS, bits));
}
