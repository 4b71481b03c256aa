/**
 * The first message of a handshake (RFC 8446 §4.1.2). It offers TLS 1.0 to 1.3, so that every server presents
 * its certificates.
 */

import { ascii, concat, number, vector } from "./bytes.ts";
import { OFFERED_SUITES } from "./cipher_names.ts";
import { type KeyShare, OFFERED_GROUPS } from "./key_share.ts";

/** Signature algorithms: ECDSA, RSA-PSS, RSA, EdDSA, and SHA-1 for old servers. */
const SIGNATURES = [
  0x0403,
  0x0503,
  0x0603,
  0x0807,
  0x0808,
  0x0804,
  0x0805,
  0x0806,
  0x0809,
  0x080a,
  0x080b,
  0x0401,
  0x0501,
  0x0601,
  0x0402,
  0x0203,
  0x0201,
];

/** The content of a ClientHello. */
export interface HelloOptions {
  /** Undefined to send none. */
  readonly serverName: string | undefined;
  /** Application protocols. If there are none, the extension is not sent. */
  readonly alpn: readonly string[];
  readonly random: Uint8Array;
  readonly sessionId: Uint8Array;
  readonly shares: readonly KeyShare[];
  /** The cookie of a HelloRetryRequest, including its extension. */
  readonly cookie?: Uint8Array;
}

/** Returns the handshake message. */
export function clientHello(options: HelloOptions): Uint8Array {
  const { serverName, alpn, random, sessionId, shares, cookie } = options;
  const extensions = concat(
    serverName === undefined ? [] : extension(0, vector(concat([0], vector(ascii(serverName), 2)), 2)),
    extension(5, [1, 0, 0, 0, 0]),
    extension(10, vector(OFFERED_GROUPS.flatMap((group) => number(group, 2)), 2)),
    extension(11, [1, 0]),
    extension(13, vector(SIGNATURES.flatMap((one) => number(one, 2)), 2)),
    alpn.length === 0 ? [] : extension(16, vector(concat(...alpn.map((name) => vector(ascii(name), 1))), 2)),
    extension(23, []),
    extension(43, vector([3, 4, 3, 3, 3, 2, 3, 1], 1)),
    extension(45, [1, 1]),
    extension(
      51,
      vector(
        concat(...shares.map(({ group, publicKey }) => concat(number(group, 2), vector(publicKey, 2)))),
        2,
      ),
    ),
    extension(0xff01, [0]),
    cookie === undefined ? [] : extension(44, cookie),
  );
  const body = concat(
    [3, 3],
    random,
    vector(sessionId, 1),
    vector(OFFERED_SUITES.flatMap((suite) => number(suite, 2)), 2),
    [1, 0],
    vector(extensions, 2),
  );
  return concat([1], vector(body, 3));
}

function extension(type: number, content: Uint8Array | readonly number[]): Uint8Array {
  return concat(number(type, 2), vector(content, 2));
}
