/** Builds revocation lists from fields that a test may all set. */

import { bitString, concat, explicit, integer, sequence, time, tlv } from "./der_writer.ts";
import { extension, type ExtensionInput } from "./extensions.ts";
import type { TestCertificate } from "./certificate.ts";
import { TEST_NOW } from "./ca.ts";

const DAY_MS = 86_400_000;

export interface CrlInput {
  /** `undefined` leaves the version out. */
  readonly version?: number | undefined;
  readonly issuer?: Uint8Array;
  readonly thisUpdate?: number;
  /** `null` leaves it out. */
  readonly nextUpdate?: number | null;
  readonly revoked?: readonly {
    readonly serial: Uint8Array;
    readonly at?: number;
    readonly reason?: number;
    readonly extensions?: readonly ExtensionInput[];
  }[];
  /** `null` leaves the CRL number out. */
  readonly number?: number | null;
  readonly extensions?: readonly ExtensionInput[];
  readonly brokenSignature?: boolean;
  readonly innerAlgorithm?: Uint8Array;
  /** DER of all entries instead of `revoked`. */
  readonly entries?: Uint8Array;
}

/** Returns the extension with a reason. */
export function reasonCode(code: number): ExtensionInput {
  return { oid: "2.5.29.21", value: tlv(0x0a, Uint8Array.of(code)) };
}

/** Builds a list and signs it with the key of a certificate. */
export async function buildCrl(signer: TestCertificate, input: CrlInput = {}): Promise<Uint8Array> {
  const { thisUpdate = TEST_NOW - DAY_MS, nextUpdate = TEST_NOW + 6 * DAY_MS, revoked = [], number = 7 } =
    input;
  const version = "version" in input ? input.version : 1;
  const entries = input.entries ??
    concat(...revoked.map(({ serial, at = TEST_NOW - DAY_MS, reason, extensions }) => {
      const all = [...(reason === undefined ? [] : [reasonCode(reason)]), ...extensions ?? []];
      return sequence(
        integer(serial),
        time(at),
        ...(all.length === 0 ? [] : [sequence(...all.map(extension))]),
      );
    }));
  const all = [
    ...(number === null ? [] : [{ oid: "2.5.29.20", value: integer(number) }]),
    ...input.extensions ?? [],
  ];
  const tbs = sequence(
    ...(version === undefined ? [] : [integer(version)]),
    input.innerAlgorithm ?? signer.key.algorithm(),
    input.issuer ?? signer.subject,
    time(thisUpdate),
    ...(nextUpdate === null ? [] : [time(nextUpdate)]),
    ...(entries.length === 0 ? [] : [sequence(entries)]),
    ...(all.length === 0 ? [] : [explicit(0, sequence(...all.map(extension)))]),
  );
  const { algorithm, signature } = await signer.key.sign(tbs);
  if (input.brokenSignature) signature[signature.length - 1]! ^= 1;
  return sequence(tbs, algorithm, bitString(signature));
}

/** Returns issuingDistributionPoint with these elements. */
export function issuingPoint(...content: Uint8Array[]): ExtensionInput {
  return { oid: "2.5.29.28", critical: true, value: sequence(...content) };
}
