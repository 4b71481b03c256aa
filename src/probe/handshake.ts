/**
 * Begins a TLS handshake, and reads the server's certificates exactly as presented: libraries follow issuers,
 * and lose the order, duplicates and unrelated certificates. Then checks the server's signature, which proves
 * that it has the key. The handshake is not completed, because a probe sends nothing.
 */

import { ByteQueue, concat, number, vector, type WireReader } from "./bytes.ts";
import { exchangeOf, suiteName } from "./cipher_names.ts";
import { clientHello, type HelloOptions } from "./client_hello.ts";
import {
  AlertError,
  type CertificateMessage,
  MESSAGE,
  parseCertificates,
  parseEncryptedExtensions,
  parseServerHello,
  parseStatus,
  type ServerHello,
} from "./server_messages.ts";
import { type Proof, UNPROVEN, verifyKeyExchange, verifyTranscript } from "./possession.ts";
import {
  type Decrypt,
  digest,
  FIRST_GROUPS,
  generateShare,
  handshakeDecryption,
  type KeyShare,
  suiteOf,
} from "./tls13_keys.ts";
import { type Presented, ProbeError } from "./types.ts";
import { first } from "../base/first.ts";

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
    const randoms = concat(options.random, hello.random);
    return { ...common, alpn: hello.alpn, ...await readPlain(messages, { ...hello, randoms }) };
  }
  messages.decrypt = await decryptionOf(hello, { shares, transcript });
  return { ...common, ...await readEncrypted(messages, { ...hello, transcript }) };
}

/** Returns the proof, or what a server does that presents certificates, but ends the handshake without one. */
async function proofOf(prove: () => Promise<Proof>): Promise<Proof> {
  try {
    return await prove();
  } catch (error) {
    if (error instanceof ProbeError) return { ...UNPROVEN, fault: error.message };
    throw error;
  }
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

type Read = Pick<Presented, "certificates" | "ocspStapled" | "ocspResponse" | "possession" | "fault">;

/** Reads TLS 1.2 and earlier, where everything up to ServerHelloDone is unencrypted. */
async function readPlain(
  messages: MessageReader,
  { version, suite, randoms }: Pick<ServerHello, "version" | "suite"> & { randoms: Uint8Array },
): Promise<Read> {
  const certificates = certificatesOf(await messages.next(), { tls13: false }).certificates;
  let ocspStapled = false;
  let stapled: Pick<Presented, "ocspResponse"> = {};
  const proof = await proofOf(async () => {
    let message = await messages.next();
    if (message.type === MESSAGE.certificateStatus) {
      ocspStapled = true;
      stapled = parseStatus(message.body);
      message = await messages.next();
    }
    const exchange = exchangeOf(suite);
    // Before TLS 1.2, which clients require, signatures use hashes that cannot be checked here. With an exchange
    // by RSA, the server signs nothing.
    if (version !== 0x0303 || exchange === "RSA") return UNPROVEN;
    if (message.type !== MESSAGE.serverKeyExchange) {
      throw new ProbeError("The server does not sign the handshake.");
    }
    return await verifyKeyExchange(first(certificates), { body: message.body, randoms, exchange });
  });
  return { certificates, ocspStapled, ...stapled, ...proof };
}

async function readEncrypted(
  messages: MessageReader,
  { suite, transcript }: Pick<ServerHello, "suite"> & { transcript: readonly Uint8Array[] },
): Promise<Read & Pick<Presented, "alpn">> {
  let alpn = "";
  const read = [...transcript];
  for (;;) {
    const message = await messages.next();
    read.push(message.bytes);
    if (message.type === MESSAGE.encryptedExtensions) alpn = parseEncryptedExtensions(message.body);
    else if (message.type !== MESSAGE.certificateRequest) {
      const sent = certificatesOf(message, { tls13: true });
      const proof = await proofOf(async () => {
        const { type, body } = await messages.next();
        if (type !== MESSAGE.certificateVerify) {
          throw new ProbeError("The server does not sign the handshake.");
        }
        const hash = digest(suiteOf(suite).hash, ...read);
        return await verifyTranscript(first(sent.certificates), { body, transcript: hash });
      });
      return { ...sent, alpn, ...proof };
    }
  }
}

function certificatesOf({ type, body }: Message, options: { tls13: boolean }): CertificateMessage {
  const read = type === MESSAGE.certificate ? parseCertificates(body, options) : undefined;
  if (read === undefined || read.certificates.length === 0) {
    throw new ProbeError("The server presents no certificate.");
  }
  return read;
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
        // A HelloRequest is ignored during a handshake, and not part of its transcript (RFC 5246 §7.4.1.1).
        if (bytes[0] === MESSAGE.helloRequest && this.decrypt === undefined) continue;
        return { type: bytes[0] ?? 0, bytes, body: bytes.subarray(4) };
      }
      this.#buffer.push(await this.#record());
    }
  }

  /** Returns the content of the next handshake record. */
  async #record(): Promise<Uint8Array> {
    for (;;) {
      const header = await this.wire.take(5);
      const [type = 0, major, , high = 0, low = 0] = header;
      const length = high * 256 + low;
      if (major !== 3 || length > MAX_RECORD_BYTES || !KNOWN_RECORDS.includes(type)) {
        throw new ProbeError("The server does not speak TLS on this port.");
      }
      const payload = await this.wire.take(length);
      if (type === RECORD.changeCipherSpec) continue;
      if (type === RECORD.handshake && this.decrypt === undefined) return payload;
      if (type === RECORD.alert) {
        if (this.decrypt === undefined && isWarning(payload)) continue;
        throw alertOf(payload);
      }
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

/**
 * Returns whether a handshake continues after an alert: a warning of TLS 1.2 and earlier (`unrecognized_name`), but
 * not that the connection is closed.
 */
function isWarning([level, description]: Uint8Array): boolean {
  return level === 1 && description !== 0;
}

function alertOf(payload: Uint8Array): ProbeError {
  return new AlertError(payload[1] ?? 0);
}

/** Returns the alert record that cancels an unfinished handshake (`user_canceled`). */
export function cancellation(): Uint8Array {
  return concat([RECORD.alert, 3, 3], number(2, 2), [1, 90]);
}
