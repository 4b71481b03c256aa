/**
 * The first message of a handshake (RFC 8446 §4.1.2). It offers TLS 1.0 to 1.3, so that every server presents
 * its certificates.
 */

import { ascii, concat, number, vector } from "./bytes.ts";
import { OFFERED_SUITES } from "./cipher_names.ts";
import { type KeyShare, OFFERED_GROUPS } from "./tls13_keys.ts";
import { OFFERED_SIGNATURES } from "./possession.ts";

const PADDED_BYTES = 512;

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

export function clientHello(options: HelloOptions): Uint8Array {
  const { serverName, alpn, random, sessionId, shares, cookie } = options;
  const extensions = concat(
    serverName === undefined ? [] : extension(0, vector(concat([0], vector(ascii(serverName), 2)), 2)),
    extension(5, [1, 0, 0, 0, 0]),
    extension(10, vector(OFFERED_GROUPS.flatMap((group) => number(group, 2)), 2)),
    extension(11, [1, 0]),
    extension(13, vector(OFFERED_SIGNATURES.flatMap((one) => number(one, 2)), 2)),
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
  const suites = vector(OFFERED_SUITES.flatMap((suite) => number(suite, 2)), 2);
  const start = concat([3, 3], random, vector(sessionId, 1), suites, [1, 0]);
  // Some load balancers do not answer a message of 256 to 511 bytes (RFC 7685). The rest is headers.
  const missing = PADDED_BYTES - start.length - extensions.length - 10;
  const padding = missing < 0 ? [] : extension(21, new Uint8Array(missing));
  return concat([1], vector(concat(start, vector(concat(extensions, padding), 2)), 3));
}

function extension(type: number, content: Uint8Array | readonly number[]): Uint8Array {
  return concat(number(type, 2), vector(content, 2));
}
