/**
 * Begins a TLS handshake, and reads it up to the server's certificates, exactly as presented: libraries
 * follow issuers, and lose the order, duplicates and unrelated certificates. The handshake is not completed,
 * so the server's signature is not checked. This is sufficient, because a probe only reads what is presented,
 * and sends no secrets.
 */

import { ByteQueue, concat, number, vector } from "./bytes.ts";
import { suiteName } from "./cipher_names.ts";
import { clientHello, type HelloOptions } from "./client_hello.ts";
import { FIRST_GROUPS, generateShare, type KeyShare } from "./key_share.ts";
import {
  AlertError,
  MESSAGE,
  parseCertificates,
  parseEncryptedExtensions,
  parseServerHello,
  type ServerHello,
} from "./server_messages.ts";
import { type Decrypt, digest, handshakeDecryption, suiteOf } from "./tls13_keys.ts";
import { type Presented, ProbeError } from "./types.ts";
import type { WireReader } from "./wire.ts";

const VERSIONS: Readonly<Record<number, string>> = {
  0x0300: "SSL 3.0",
  0x0301: "TLS 1.0",
  0x0302: "TLS 1.1",
  0x0303: "TLS 1.2",
  0x0304: "TLS 1.3",
};
const RECORD = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const;
/** Maximum size of a record (RFC 8446 §5.2) and of a handshake message, in bytes. */
const MAX_RECORD_BYTES = 16_384 + 256;
const MAX_MESSAGE_BYTES = 256 * 1024;

interface Message {
  readonly type: number;
  /** With its header, for the transcript. */
  readonly bytes: Uint8Array;
  readonly body: Uint8Array;
}

/** Reads what the server presents. Throws {@link ProbeError}. */
export async function readPresented(
  wire: WireReader,
  { serverName, alpn }: Pick<HelloOptions, "serverName" | "alpn">,
): Promise<Presented> {
  const messages = new MessageReader(wire);
  const options = {
    serverName,
    alpn,
    random: crypto.getRandomValues(new Uint8Array(32)),
    sessionId: crypto.getRandomValues(new Uint8Array(32)),
  };
  let shares = await Promise.all(FIRST_GROUPS.map(generateShare));
  const first = clientHello({ ...options, shares });
  sendHandshake(wire, first);
  let reply = await expectHello(messages);
  let transcript: readonly Uint8Array[] = [first, reply.message.bytes];
  if (reply.hello.isRetry) {
    const { group, cookie, suite } = reply.hello;
    if (group !== undefined) shares = [await generateShare(group)];
    const second = clientHello({ ...options, shares, ...(cookie === undefined ? {} : { cookie }) });
    sendHandshake(wire, second);
    // The first hello is part of the transcript as its hash (RFC 8446 §4.4.1).
    const hashed = concat([254], vector(digest(suiteOf(suite).hash, first), 3));
    const retry = reply.message.bytes;
    reply = await expectHello(messages);
    if (reply.hello.isRetry) throw new ProbeError("The server asked for another hello twice.");
    transcript = [hashed, retry, second, reply.message.bytes];
  }
  const { hello } = reply;
  const common = { tlsVersion: VERSIONS[hello.version] ?? "unknown", cipher: suiteName(hello.suite) };
  if (hello.version !== 0x0304) {
    return { ...common, alpn: hello.alpn, ...await readPlain(messages) };
  }
  messages.decrypt = await decryptionOf(hello, { shares, transcript });
  return { ...common, ...await readEncrypted(messages) };
}

async function decryptionOf(
  { suite, group, key }: ServerHello,
  { shares, transcript }: { shares: readonly KeyShare[]; transcript: readonly Uint8Array[] },
): Promise<Decrypt> {
  const share = shares.find((one) => one.group === group);
  if (share === undefined || key === undefined) {
    throw new ProbeError("The server chose a key exchange that was not offered.");
  }
  const chosen = suiteOf(suite);
  return handshakeDecryption(chosen, {
    shared: await share.derive(key),
    transcript: digest(chosen.hash, ...transcript),
  });
}

async function expectHello(messages: MessageReader): Promise<{ message: Message; hello: ServerHello }> {
  const message = await messages.next();
  if (message.type !== MESSAGE.serverHello) {
    throw new ProbeError("The server did not begin with a hello.");
  }
  return { message, hello: parseServerHello(message.body) };
}

/** Reads the certificates of TLS 1.2 and earlier, where everything up to ServerHelloDone is unencrypted. */
async function readPlain(
  messages: MessageReader,
): Promise<Pick<Presented, "certificates" | "ocspStapled">> {
  let certificates: Uint8Array[] = [];
  let ocspStapled = false;
  for (;;) {
    const { type, body } = await messages.next();
    if (type === MESSAGE.certificate) certificates = parseCertificates(body, { tls13: false }).certificates;
    else if (type === MESSAGE.certificateStatus) ocspStapled = true;
    else if (certificates.length > 0) return { certificates, ocspStapled };
    if (type === MESSAGE.serverHelloDone) {
      throw new ProbeError("The server presents no certificate.");
    }
  }
}

async function readEncrypted(
  messages: MessageReader,
): Promise<Pick<Presented, "certificates" | "ocspStapled" | "alpn">> {
  let alpn = "";
  for (;;) {
    const { type, body } = await messages.next();
    if (type === MESSAGE.encryptedExtensions) alpn = parseEncryptedExtensions(body);
    else if (type === MESSAGE.certificate) {
      const { certificates, ocspStapled } = parseCertificates(body, { tls13: true });
      if (certificates.length === 0) throw new ProbeError("The server presents no certificate.");
      return { certificates, ocspStapled, alpn };
    } else if (type !== MESSAGE.certificateRequest) {
      throw new ProbeError("The server presents no certificate.");
    }
  }
}

function sendHandshake(wire: WireReader, message: Uint8Array): void {
  wire.write(concat([RECORD.handshake, 3, 1], vector(message, 2)));
}

/** Assembles handshake messages, which may span records. */
class MessageReader {
  decrypt: Decrypt | undefined;
  readonly #buffer = new ByteQueue();

  constructor(readonly wire: WireReader) {}

  async next(): Promise<Message> {
    for (;;) {
      const length = this.#buffer.length < 4 ? undefined : lengthOf(this.#buffer.bytes);
      if (length !== undefined && this.#buffer.length >= 4 + length) {
        const bytes = this.#buffer.take(4 + length);
        return { type: bytes[0] as number, bytes, body: bytes.subarray(4) };
      }
      this.#buffer.push(await this.#record());
    }
  }

  /** Returns the content of the next handshake record. */
  async #record(): Promise<Uint8Array> {
    for (;;) {
      const header = await this.wire.take(5);
      const [type, major, , high = 0, low = 0] = header;
      const length = high * 256 + low;
      if (major !== 3 || length > MAX_RECORD_BYTES || !KNOWN_RECORDS.includes(type as number)) {
        throw new ProbeError("The server does not speak TLS on this port.");
      }
      const payload = await this.wire.take(length);
      if (type === RECORD.changeCipherSpec) continue;
      if (type === RECORD.handshake && this.decrypt === undefined) return payload;
      if (type === RECORD.alert) throw alertOf(payload);
      if (this.decrypt === undefined) throw new ProbeError("The server sent data before its certificates.");
      const inner = this.decrypt(header, payload);
      if (inner.type === RECORD.alert) throw alertOf(inner.content);
      if (inner.type !== RECORD.handshake) {
        throw new ProbeError("The server sent data before its certificates.");
      }
      return inner.content;
    }
  }
}

const KNOWN_RECORDS: readonly number[] = Object.values(RECORD);

function lengthOf(message: Uint8Array): number {
  const [, high = 0, middle = 0, low = 0] = message;
  const length = high * 65_536 + middle * 256 + low;
  if (length > MAX_MESSAGE_BYTES) {
    throw new ProbeError("The server sent a handshake message that is too long.");
  }
  return length;
}

function alertOf(payload: Uint8Array): ProbeError {
  return new AlertError(payload[1] ?? 0);
}

/** Returns the alert record that cancels an unfinished handshake (`user_canceled`). */
export function cancellation(): Uint8Array {
  return concat([RECORD.alert, 3, 3], number(2, 2), [1, 90]);
}
