/** Recognizes PKCS#12 files. */

/**
 * Returns whether bytes begin like a PKCS#12 file: a sequence whose first member is the version 3 (RFC 7292
 * §4).
 */
export function isPkcs12(bytes: Uint8Array): boolean {
  const [tag, length = 0] = bytes;
  const version = 2 + (length > 0x80 ? length & 0x7f : 0);
  return tag === 0x30 &&
    [0x02, 0x01, 0x03].every((byte, index) => bytes[version + index] === byte);
}
