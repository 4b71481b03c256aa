/** iPAddress: a constraint is an address and a mask. Addresses of the other family are not within it. */

import type { NameForm } from "./form.ts";

interface Range {
  readonly address: Uint8Array;
  readonly mask: Uint8Array;
}

/** Addresses in network order: 4 or 16 bytes for a name, twice as many for a constraint. */
export const ipForm: NameForm<Uint8Array, Range> = {
  label: "IP address",
  readName: ({ der }) => der.length === 4 || der.length === 16 ? der : undefined,
  readConstraint({ der }): Range | undefined {
    if (der.length !== 8 && der.length !== 32) return undefined;
    const half = der.length / 2;
    return { address: der.subarray(0, half), mask: der.subarray(half) };
  },
  within: (name, { address, mask }) =>
    name.length === address.length &&
    name.every((byte, index) => ((byte ^ address[index]!) & mask[index]!) === 0),
};
