/**
 * A TLS server that presents certificates and signs the handshake with any key, which no library does: by default
 * with one that is not the certificate's. It ends after its first flight.
 */

import { createCipheriv, createHash, createHmac, type Hash, sign } from "node:crypto";
import { ascii, ByteReader, concat, number, vector } from "../../src/probe/bytes.ts";
import { generateShare } from "../../src/probe/tls13_keys.ts";
import { type TestKey, testKey } from "./test_ca/mod.ts";
import type { TestCertificate } from "./test_ca/mod.ts";
import { scriptedServer, type TlsServer } from "./tls_servers.ts";

const X25519 = 0x001d;
const ECDSA_SHA256 = 0x0403;

/** What the server presents, and how it signs. */
export interface Keyless {
  readonly chain: readonly TestCertificate[];
  readonly version: "TLS 1.2" | "TLS 1.3";
  /** A key on P-256; undefined to end the handshake without a signature. */
  readonly key?: TestKey | undefined;
  readonly address?: string;
}

/** Returns a key that no certificate has. */
export const strangersKey = (): Promise<TestKey> => testKey("p256", "keyless");

/** Starts a server: `await using server = keylessServer({ chain: [leaf], version: "TLS 1.3", key })`. */
export function keylessServer(
  { chain, version, key, address }: Keyless,
): TlsServer {
  return scriptedServer(async (connection) => {
    const client = await readHello(connection);
    const flight = version === "TLS 1.2"
      ? plainFlight(client, { chain, key })
      : await encryptedFlight(client, { chain, key });
    await connection.write(flight);
    await connection.read(new Uint8Array(1_000));
  }, address);
}

interface ClientHello {
  readonly message: Uint8Array;
  readonly random: Uint8Array;
  readonly sessionId: Uint8Array;
  readonly share: Uint8Array;
}

async function readHello(connection: Deno.TcpConn): Promise<ClientHello> {
  const buffer = new Uint8Array(8_192);
  const length = await connection.read(buffer) ?? 0;
  const message = buffer.slice(5, length);
  const reader = new ByteReader(message.subarray(4));
  reader.take(2);
  const random = reader.take(32);
  const sessionId = reader.vector(1);
  reader.vector(2);
  reader.vector(1);
  const extensions = new ByteReader(reader.vector(2));
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const content = new ByteReader(extensions.vector(2));
    if (type !== 51) continue;
    const shares = new ByteReader(content.vector(2));
    while (shares.left > 0) {
      const group = shares.number(2);
      const share = shares.vector(2);
      if (group === X25519) return { message, random, sessionId, share };
    }
  }
  throw new Error("The client sent no key for X25519");
}

type Signing = Pick<Keyless, "chain" | "key">;

function plainFlight(
  { random, sessionId }: ClientHello,
  { chain, key }: Signing,
): Uint8Array {
  const own = crypto.getRandomValues(new Uint8Array(32));
  const hello = handshake(
    2,
    concat([3, 3], own, vector(sessionId, 1), [0xc0, 0x2b, 0]),
  );
  const certificate = handshake(
    11,
    vector(concat(...chain.map(({ der }) => vector(der, 3))), 3),
  );
  const parameters = concat(
    [3, 0, 0x1d],
    vector(crypto.getRandomValues(new Uint8Array(32)), 1),
  );
  const exchange = key === undefined ? [] : handshake(
    12,
    concat(parameters, signed(key, concat(random, own, parameters))),
  );
  return record(22, concat(hello, certificate, exchange, handshake(14, [])));
}

async function encryptedFlight(
  client: ClientHello,
  { chain, key }: Signing,
): Promise<Uint8Array> {
  const share = await generateShare(X25519);
  const secret = await share.derive(client.share);
  const extensions = concat(
    [0, 43, 0, 2, 3, 4],
    [0, 51],
    vector(concat(number(X25519, 2), vector(share.publicKey, 2)), 2),
  );
  const own = crypto.getRandomValues(new Uint8Array(32));
  const hello = handshake(
    2,
    concat(
      [3, 3],
      own,
      vector(client.sessionId, 1),
      [0x13, 0x01, 0],
      vector(extensions, 2),
    ),
  );
  const certificate = handshake(
    11,
    concat(
      [0],
      vector(
        concat(...chain.map(({ der }) => concat(vector(der, 3), [0, 0]))),
        3,
      ),
    ),
  );
  const read = [client.message, hello, handshake(8, [0, 0]), certificate];
  const label = concat(
    new Uint8Array(64).fill(32),
    ascii("TLS 1.3, server CertificateVerify"),
    [0],
  );
  const proof = key === undefined
    ? handshake(20, new Uint8Array(32))
    : handshake(15, signed(key, concat(label, sha256(...read))));
  const inner = concat(read[2] as Uint8Array, certificate, proof, [22]);
  const traffic = serverTraffic(secret, sha256(client.message, hello));
  const header = concat([23, 3, 3], number(inner.length + 16, 2));
  const cipher = createCipheriv(
    "aes-128-gcm",
    expand(traffic, "key", 16),
    expand(traffic, "iv", 12),
  );
  cipher.setAAD(header);
  const sealed = concat(
    cipher.update(inner),
    cipher.final(),
    cipher.getAuthTag(),
  );
  return concat(record(22, hello), header, sealed);
}

function signed(key: TestKey, data: Uint8Array): Uint8Array {
  return concat(
    number(ECDSA_SHA256, 2),
    vector(sign("sha256", data, key.privateKeyPem), 2),
  );
}

function handshake(
  type: number,
  body: Uint8Array | readonly number[],
): Uint8Array {
  return concat([type], vector(body, 3));
}

function record(type: number, content: Uint8Array): Uint8Array {
  return concat([type, 3, 3], vector(content, 2));
}

function sha256(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const hash: Hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** Returns the server's handshake traffic secret (RFC 8446 §7.1). */
function serverTraffic(
  shared: Uint8Array,
  transcript: Uint8Array<ArrayBuffer>,
): Uint8Array {
  const zeros = new Uint8Array(32);
  const derived = expand(hmac(zeros, zeros), "derived", 32, sha256());
  return expand(hmac(derived, shared), "s hs traffic", 32, transcript);
}

function hmac(key: Uint8Array, data: Uint8Array): Uint8Array {
  return createHmac("sha256", key).update(data).digest();
}

function expand(
  secret: Uint8Array,
  label: string,
  length: number,
  context = new Uint8Array(),
): Uint8Array {
  const info = concat(
    number(length, 2),
    vector(ascii(`tls13 ${label}`), 1),
    vector(context, 1),
    [1],
  );
  return hmac(secret, info).subarray(0, length);
}
