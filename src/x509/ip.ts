/** Formats IP addresses of certificates. */

/** Formats 4 or 16 bytes canonically (RFC 5952 for IPv6); undefined for any other number of bytes. */
export function ipText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join(".");
  return bytes.length === 16 ? ipv6Text(bytes) : undefined;
}

/**
 * Formats address and mask (RFC 5280 §4.2.1.10) as `10.0.0.0/8`, or with the mask itself if it is not a
 * prefix.
 */
export function ipRangeText(bytes: Uint8Array): string | undefined {
  if (bytes.length !== 8 && bytes.length !== 32) return undefined;
  const half = bytes.length / 2;
  const mask = bytes.subarray(half);
  return `${ipText(bytes.subarray(0, half))}/${prefixLength(mask) ?? ipText(mask)}`;
}

/** Counts the leading ones of a mask; undefined if ones follow a zero. */
export function prefixLength(mask: Uint8Array): number | undefined {
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
