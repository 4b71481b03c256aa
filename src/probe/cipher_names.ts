/**
 * The offered cipher suites: all with which a current client can connect, and a few older ones, because only
 * the certificates are read.
 */

import { ProbeError } from "./types.ts";

const TLS13_SUITES: Readonly<Record<number, string>> = {
  0x1301: "TLS_AES_128_GCM_SHA256",
  0x1302: "TLS_AES_256_GCM_SHA384",
  0x1303: "TLS_CHACHA20_POLY1305_SHA256",
};

/** Key exchanges of earlier versions. The server signs all but the last. */
const EXCHANGES = ["ECDHE_ECDSA", "ECDHE_RSA", "DHE_RSA", "DHE_DSS", "RSA"] as const;
export type Exchange = typeof EXCHANGES[number];

/** Ciphers with their suite for each of {@link EXCHANGES}; 0 if there is none. */
const CIPHERS: readonly (readonly [cipher: string, ...suites: readonly number[]])[] = [
  ["AES_128_GCM_SHA256", 0xc02b, 0xc02f, 0x009e, 0x00a2, 0x009c],
  ["AES_256_GCM_SHA384", 0xc02c, 0xc030, 0x009f, 0x00a3, 0x009d],
  ["CHACHA20_POLY1305_SHA256", 0xcca9, 0xcca8, 0xccaa, 0, 0],
  ["AES_128_CBC_SHA256", 0xc023, 0xc027, 0x0067, 0x0040, 0x003c],
  ["AES_256_CBC_SHA384", 0xc024, 0xc028, 0, 0, 0],
  ["AES_256_CBC_SHA256", 0, 0, 0x006b, 0x006a, 0x003d],
  ["AES_128_CBC_SHA", 0xc009, 0xc013, 0x0033, 0x0032, 0x002f],
  ["AES_256_CBC_SHA", 0xc00a, 0xc014, 0x0039, 0x0038, 0x0035],
  ["3DES_EDE_CBC_SHA", 0xc008, 0xc012, 0x0016, 0x0013, 0x000a],
  ["RC4_128_SHA", 0xc007, 0xc011, 0, 0, 0x0005],
];

/** Names of the suites of earlier versions by number: those that prove possession of the key first. */
const EARLIER_SUITES: ReadonlyMap<number, string> = new Map(
  [EXCHANGES.slice(0, -1), EXCHANGES.slice(-1)].flatMap((exchanges) =>
    CIPHERS.flatMap(([cipher, ...suites]) =>
      exchanges.flatMap((exchange): [number, string][] => {
        const suite = suites[EXCHANGES.indexOf(exchange)] ?? 0;
        return suite === 0 ? [] : [[suite, `TLS_${exchange}_WITH_${cipher}`]];
      })
    )
  ),
);

/**
 * The numbers of all suites, in the order in which they are offered. A server that follows the client's order
 * chooses a good one.
 */
export const OFFERED_SUITES: readonly number[] = [
  ...Object.keys(TLS13_SUITES).map(Number),
  ...EARLIER_SUITES.keys(),
];

/** Returns the name of a suite, or its number in hexadecimal digits. */
export function suiteName(suite: number): string {
  return TLS13_SUITES[suite] ?? EARLIER_SUITES.get(suite) ?? `0x${suite.toString(16).padStart(4, "0")}`;
}

/** Returns the key exchange of a suite of TLS 1.2. Throws a {@link ProbeError} if the suite was not offered. */
export function exchangeOf(suite: number): Exchange {
  const exchange = EXCHANGES.find((one) => EARLIER_SUITES.get(suite)?.startsWith(`TLS_${one}_WITH_`));
  if (exchange === undefined) throw new ProbeError("The server chose a cipher suite that was not offered.");
  return exchange;
}
