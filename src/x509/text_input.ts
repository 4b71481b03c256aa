/** Distinguishes text files from binary ones. */

const UTF16_BYTE_ORDER_MARKS = [[0xff, 0xfe, "utf-16le"], [0xfe, 0xff, "utf-16be"]] as const;

/** Returns the text of a text file; undefined for a binary one (DER begins with a SEQUENCE, text does not). */
export function decodeText(bytes: Uint8Array): string | undefined {
  for (const [first, second, encoding] of UTF16_BYTE_ORDER_MARKS) {
    if (bytes[0] === first && bytes[1] === second) return new TextDecoder(encoding).decode(bytes);
  }
  if (looksBinary(bytes)) return undefined;
  // Other text around the blocks may be in any encoding: the blocks are ASCII in all of them.
  return new TextDecoder().decode(bytes);
}

/** 0x30 is also the digit 0: it is a SEQUENCE when the next octet is a long or indefinite length, or control octets follow. */
function looksBinary(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x30) return bytes.subarray(0, 64).includes(0);
  return bytes.length < 2 || bytes[1]! >= 0x80 || bytes.subarray(1, 8).some((byte) => byte < 9);
}
