/**
 * The offered cipher suites, by their IANA names. Only the certificate matters, so old suites are offered,
 * too.
 */

const TLS13_SUITES: Readonly<Record<number, string>> = {
  0x1301: "TLS_AES_128_GCM_SHA256",
  0x1302: "TLS_AES_256_GCM_SHA384",
  0x1303: "TLS_CHACHA20_POLY1305_SHA256",
};

/** Suites of earlier versions. */
const EARLIER_SUITES: Readonly<Record<number, string>> = {
  0xc02b: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
  0xc02f: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  0xc02c: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
  0xc030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
  0xcca9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
  0xcca8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
  0xc0ac: "TLS_ECDHE_ECDSA_WITH_AES_128_CCM",
  0xc0ad: "TLS_ECDHE_ECDSA_WITH_AES_256_CCM",
  0x009e: "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256",
  0x009f: "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384",
  0xccaa: "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
  0xc023: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
  0xc027: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
  0xc009: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
  0xc013: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
  0xc00a: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
  0xc014: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
  0x0067: "TLS_DHE_RSA_WITH_AES_128_CBC_SHA256",
  0x0033: "TLS_DHE_RSA_WITH_AES_128_CBC_SHA",
  0x0039: "TLS_DHE_RSA_WITH_AES_256_CBC_SHA",
  0x009c: "TLS_RSA_WITH_AES_128_GCM_SHA256",
  0x009d: "TLS_RSA_WITH_AES_256_GCM_SHA384",
  0x003c: "TLS_RSA_WITH_AES_128_CBC_SHA256",
  0x002f: "TLS_RSA_WITH_AES_128_CBC_SHA",
  0x0035: "TLS_RSA_WITH_AES_256_CBC_SHA",
  0x000a: "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
  0x0005: "TLS_RSA_WITH_RC4_128_SHA",
};

/**
 * The numbers of all suites, in the order in which they are offered. A server that follows the client's order
 * chooses a good one.
 */
export const OFFERED_SUITES: readonly number[] = [
  0x1301,
  0x1302,
  0x1303,
  ...Object.keys(EARLIER_SUITES).map(Number).sort((a, b) => rank(a) - rank(b)),
];

/**
 * Returns the rank of a suite, modern suites first. Needed because keys of an object are in numeric order.
 */
function rank(suite: number): number {
  return suite >= 0xc000 ? suite === 0xc02b || suite === 0xc02f ? 0 : 1 : suite >= 0x9e ? 2 : 3;
}

/** Returns the name of a suite, or its number in hexadecimal digits. */
export function suiteName(suite: number): string {
  return TLS13_SUITES[suite] ?? EARLIER_SUITES[suite] ?? `0x${suite.toString(16).padStart(4, "0")}`;
}
