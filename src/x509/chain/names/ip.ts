/** iPAddress: a constraint is an address and a mask. Addresses of the other family are not within it. */

import { Buffer } from "node:buffer";
import type { NameForm } from "./form.ts";

interface Range {
  readonly address: Uint8Array;
  readonly mask: Uint8Array;
}

/** Addresses in network order: 4 or 16 bytes for a name, twice as many for a constraint. */
export const ipForm: NameForm<Uint8Array, Range> = {
  label: "IP address",
  readName: ({ content: { length }, content }) =>
    length === 4 || length === 16 ? Buffer.from(content, "latin1") : undefined,
  readConstraint({ content }): Range | undefined {
    if (content.length !== 8 && content.length !== 32) return undefined;
    const bytes = Buffer.from(content, "latin1");
    return { address: bytes.subarray(0, bytes.length / 2), mask: bytes.subarray(bytes.length / 2) };
  },
  within: (name, { address, mask }) =>
    name.length === address.length &&
    name.every((byte, index) => ((byte ^ address[index]!) & mask[index]!) === 0),
};
