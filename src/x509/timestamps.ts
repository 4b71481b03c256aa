/** Counts embedded certificate timestamps (RFC 6962 §3.3); their signatures are not verified. */

import { DerError } from "./der.ts";

/** Number of timestamps in a SignedCertificateTimestampList: 16-bit length, then items with 16-bit lengths. */
export function countTimestamps(list: Uint8Array): number {
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
