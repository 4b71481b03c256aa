/** PKCS#7 files for tests. */

import { concat, explicit, integer, oid, sequence, set, tlv } from "./der_writer.ts";

const DATA = "1.2.840.113549.1.7.1";
const SIGNED_DATA = "1.2.840.113549.1.7.2";

/** Options of a certs-only file. */
export interface Pkcs7Options {
  /** Writes the wrappers as BER with indefinite lengths. */
  readonly indefinite?: boolean;
  /** DER of CRLs, signers and other choices besides the certificates. */
  readonly crls?: readonly Uint8Array[];
  readonly signerInfos?: readonly Uint8Array[];
}

/** Returns a SignedData with these certificates (DER) in this order. */
export function pkcs7(certificates: readonly Uint8Array[], options: Pkcs7Options = {}): Uint8Array {
  const { indefinite = false, crls = [], signerInfos = [] } = options;
  const wrap = indefinite ? indefiniteTlv : tlv;
  return wrap(
    0x30,
    oid(SIGNED_DATA),
    wrap(
      0xa0,
      wrap(
        0x30,
        integer(1),
        set(),
        indefinite ? indefiniteTlv(0x30, oid(DATA)) : sequence(oid(DATA)),
        ...(certificates.length === 0 ? [] : [wrap(0xa0, ...certificates)]),
        ...(crls.length === 0 ? [] : [explicit(1, ...crls)]),
        set(...signerInfos),
      ),
    ),
  );
}

/** Returns a ContentInfo of any type; `1.2.840.113549.1.7.3` is enveloped data. */
export function contentInfo(type: string, content: Uint8Array): Uint8Array {
  return sequence(oid(type), explicit(0, content));
}

/** Returns an element of indefinite length (BER) with its end-of-contents octets. */
export function indefiniteTlv(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  return concat(Uint8Array.of(tag, 0x80), ...content, Uint8Array.of(0, 0));
}
