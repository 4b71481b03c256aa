/** Parses the messages of a server up to its certificates, and its alerts. */

import { ByteReader } from "./bytes.ts";
import { ProbeError } from "./types.ts";

export const MESSAGE = {
  helloRequest: 0,
  serverHello: 2,
  encryptedExtensions: 8,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateVerify: 15,
  certificateStatus: 22,
} as const;

/** Maximum number of certificates; a longer chain is refused. */
const MAX_CERTIFICATES = 30;

/** The random value that makes a ServerHello a HelloRetryRequest (RFC 8446 §4.1.3). */
const RETRY = "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c";

export interface ServerHello {
  readonly random: Uint8Array;
  /** `0x0304` for TLS 1.3. */
  readonly version: number;
  readonly suite: number;
  /** Whether the client must send another hello. */
  readonly isRetry: boolean;
  /** The group that the server chose, and its key unless it is a retry. */
  readonly group?: number;
  readonly key?: Uint8Array;
  readonly cookie?: Uint8Array;
  readonly alpn: string;
}

export function parseServerHello(body: Uint8Array): ServerHello {
  const reader = new ByteReader(body);
  const legacy = reader.number(2);
  const random = reader.take(32);
  const isRetry = random.toHex() === RETRY;
  reader.vector(1);
  const suite = reader.number(2);
  reader.take(1);
  const found = extensionsOf(reader.left > 0 ? reader.vector(2) : new Uint8Array());
  const version = found.get(43);
  const share = found.get(51);
  const cookie = found.get(44);
  const shared = share === undefined ? undefined : new ByteReader(share);
  return {
    random,
    version: version === undefined ? legacy : new ByteReader(version).number(2),
    suite,
    isRetry,
    ...(shared === undefined ? {} : { group: shared.number(2) }),
    ...(shared === undefined || isRetry ? {} : { key: shared.vector(2) }),
    ...(cookie === undefined ? {} : { cookie }),
    alpn: alpnOf(found),
  };
}

/** Returns the application protocol in EncryptedExtensions. */
export function parseEncryptedExtensions(body: Uint8Array): string {
  return alpnOf(extensionsOf(new ByteReader(body).vector(2)));
}

/** The certificates in the order presented, and whether an OCSP response comes with the first one. */
export interface CertificateMessage {
  readonly certificates: Uint8Array[];
  readonly ocspStapled: boolean;
  readonly ocspResponse?: Uint8Array;
}

/** Parses a Certificate message. In TLS 1.3 it has a context, and extensions for each certificate. */
export function parseCertificates(body: Uint8Array, { tls13 }: { tls13: boolean }): CertificateMessage {
  const reader = new ByteReader(body);
  if (tls13) reader.vector(1);
  const list = new ByteReader(reader.vector(3));
  const certificates: Uint8Array[] = [];
  let status: Uint8Array | undefined;
  while (list.left > 0) {
    if (certificates.length === MAX_CERTIFICATES) {
      throw new ProbeError(`The server sent more than ${MAX_CERTIFICATES} certificates.`);
    }
    certificates.push(list.vector(3).slice());
    const found = tls13 ? extensionsOf(list.vector(2)).get(5) : undefined;
    if (certificates.length === 1) status = found;
  }
  return {
    certificates,
    ocspStapled: status !== undefined,
    ...(status === undefined ? {} : parseStatus(status)),
  };
}

/** Parses a CertificateStatus (RFC 6066 §8): the type, which must be OCSP, and the response. */
export function parseStatus(body: Uint8Array): { ocspResponse?: Uint8Array } {
  const reader = new ByteReader(body);
  return reader.number(1) === 1 ? { ocspResponse: reader.vector(3).slice() } : {};
}

function extensionsOf(bytes: Uint8Array): Map<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  const reader = new ByteReader(bytes);
  while (reader.left > 0) found.set(reader.number(2), reader.vector(2));
  return found;
}

function alpnOf(found: ReadonlyMap<number, Uint8Array>): string {
  const content = found.get(16);
  if (content === undefined) return "";
  return new TextDecoder().decode(new ByteReader(new ByteReader(content).vector(2)).vector(1));
}

const ALERTS: Readonly<Record<number, string>> = {
  0: "closed the connection",
  40: "refused the handshake",
  70: "refused all protocol versions",
  71: "requires stronger security",
  80: "reported an internal error",
  112: "does not know the server name",
  116: "requires a client certificate",
  120: "refused all application protocols",
};

export class AlertError extends ProbeError {
  override readonly name = "AlertError";
  readonly code: number;

  constructor(code: number) {
    super(`The server ${ALERTS[code] ?? "stopped the handshake"} (TLS alert ${code}).`);
    this.code = code;
  }
}
