/** The exchanges before TLS begins (STARTTLS). */

import { ascii, ByteReader, concat, number, type WireReader } from "./bytes.ts";
import { ProbeError, type ProbeProtocol } from "./types.ts";

/** Identifier octets of an LDAPMessage and of its members (RFC 4511 §4.1.1, §4.12). */
const LDAP = { message: 0x30, id: 0x02, extendedResponse: 0x78, resultCode: 0x0a } as const;
const LDAP_ID = 1;
/** Maximum number of messages before the answer: notifications that nobody asked for. */
const MAX_LDAP_MESSAGES = 10;

/** Starts TLS in LDAP: an extended request with the OID of StartTLS (RFC 4511 §4.14). */
async function startLdap(wire: WireReader): Promise<void> {
  const oid = ascii("1.3.6.1.4.1.1466.20037");
  const request = concat([0x77, oid.length + 2, 0x80, oid.length], oid);
  wire.write(concat([LDAP.message, request.length + 3, LDAP.id, 1, LDAP_ID], request));
  for (let left = MAX_LDAP_MESSAGES; left > 0; left--) {
    const message = new ByteReader(await ldapMessage(wire));
    const id = element(message, LDAP.id).reduce((sum, byte) => sum * 256 + byte, 0);
    if (id !== LDAP_ID) continue;
    const response = new ByteReader(element(message, LDAP.extendedResponse));
    const code = element(response, LDAP.resultCode);
    if (code.some((byte) => byte !== 0)) {
      throw new ProbeError(`The server refused STARTTLS (code ${code.at(-1)}).`);
    }
    return;
  }
  throw new ProbeError("The server does not answer STARTTLS.");
}

async function ldapMessage(wire: WireReader): Promise<Uint8Array> {
  const [tag, first = 0] = await wire.take(2);
  if (tag !== LDAP.message) throw new ProbeError("The server does not speak LDAP on this port.");
  const size = first < 0x80 ? first : new ByteReader(await wire.take(first & 0x7f)).number(first & 0x7f);
  if (size > 16_384) throw new ProbeError("The server's reply is too long.");
  return await wire.take(size);
}

/** Reads the content of the next element in BER, whose length is definite in LDAP (RFC 4511 §5.1). */
function element(reader: ByteReader, tag: number): Uint8Array {
  if (reader.number(1) !== tag) throw new ProbeError("The server does not speak LDAP on this port.");
  const first = reader.number(1);
  return reader.take(first < 0x80 ? first : reader.number(first & 0x7f));
}

/** Starts TLS in PostgreSQL: SSLRequest. */
async function startPostgres(wire: WireReader): Promise<void> {
  wire.write(Uint8Array.from([...number(8, 4), ...number(80_877_103, 4)]));
  const [answer] = await wire.take(1);
  if (answer === 0x53) return;
  throw new ProbeError(
    answer === 0x4e ? "The server does not offer TLS." : "The server does not speak PostgreSQL on this port.",
  );
}

const CLIENT_SSL = 0x0800;
/** Long flags, transactions and the protocol of version 4.1, as every client sends them. */
const CLIENT_FLAGS = CLIENT_SSL | 0x0001 | 0x0004 | 0x0200 | 0x2000 | 0x8000;

/** Starts TLS in MySQL: a handshake response that ends after the flags requests TLS. */
async function startMysql(wire: WireReader): Promise<void> {
  const [low = 0, middle = 0, high = 0] = await wire.take(4);
  const size = low + middle * 256 + high * 65_536;
  if (size > 16_384) throw new ProbeError("The server does not speak MySQL on this port.");
  const greeting = await wire.take(size);
  if (greeting[0] === 0xff) {
    const text = new TextDecoder().decode(greeting.subarray(3)).replace(/[^\x20-\x7e]+/g, " ").slice(0, 100);
    throw new ProbeError(`The server refused the connection: "${text}".`);
  }
  if (greeting[0] !== 10) throw new ProbeError("The server does not speak MySQL on this port.");
  // Version text, thread id, 8 bytes of the challenge, a filler, then the lower flags.
  const flags = greeting.indexOf(0, 1) + 1 + 4 + 8 + 1;
  const offered = (greeting[flags] ?? 0) + (greeting[flags + 1] ?? 0) * 256;
  if ((offered & CLIENT_SSL) === 0) throw new ProbeError("The server does not offer TLS.");
  const little = (value: number): number[] => number(value, 4).reverse();
  const body = concat(little(CLIENT_FLAGS), little(1 << 24), [33], new Uint8Array(23));
  wire.write(concat([body.length, 0, 0, 1], body));
}

/** Starts TLS in XMPP (RFC 6120 §5). The namespace says whether a client or another server connects. */
async function startXmpp(
  wire: WireReader,
  { host, namespace }: { host: string; namespace: "jabber:client" | "jabber:server" },
): Promise<void> {
  wire.write(ascii(
    `<?xml version='1.0'?><stream:stream to='${host}' version='1.0' xmlns='${namespace}' ` +
      "xmlns:stream='http://etherx.jabber.org/streams'>",
  ));
  const features = await wire.until(/<\/stream:features>|<stream:features\s*\/>|<\/stream:stream>/);
  if (!/<starttls[\s/>]/.test(features)) throw new ProbeError("The server does not offer STARTTLS.");
  wire.write(ascii("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"));
  const answer = await wire.until(/<(?:proceed|failure)\b[^<>]*>/);
  if (!answer.includes("<proceed")) throw new ProbeError("The server refused STARTTLS.");
}

const MAX_LINES = 200;

function send(wire: WireReader, text: string): void {
  wire.write(ascii(`${text}\r\n`));
}

/** Reads a reply of three digits, which may have several lines (RFC 5321 §4.2.1, RFC 959 §4.2). */
async function reply(wire: WireReader): Promise<string> {
  const lines: string[] = [];
  for (let left = MAX_LINES; left > 0; left--) {
    const line = await wire.line();
    lines.push(line);
    if (/^\d{3}(?: |$)/.test(line)) return `${line.slice(0, 3)} ${lines.join("\n")}`;
  }
  throw new ProbeError("The server's reply is too long.");
}

function require(found: string, { begins, command }: { begins: string; command: string }): void {
  if (!found.startsWith(begins)) throw refusal(command, found.slice(4));
}

function refusal(command: string, found: string): ProbeError {
  const quoted = found.replace(/[^\x20-\x7e]+/g, " ").slice(0, 100).trim();
  return new ProbeError(`The server does not offer STARTTLS: its answer to ${command} is "${quoted}".`);
}

/** Starts TLS in SMTP (RFC 3207). */
async function startSmtp(wire: WireReader): Promise<void> {
  require(await reply(wire), { begins: "220", command: "the connection" });
  send(wire, "EHLO certmgr.invalid");
  const features = await reply(wire);
  require(features, { begins: "250", command: "EHLO" });
  if (!/^250[ -]STARTTLS\s*$/im.test(features)) {
    throw new ProbeError("The server does not offer STARTTLS.");
  }
  send(wire, "STARTTLS");
  require(await reply(wire), { begins: "220", command: "STARTTLS" });
}

/** Starts TLS in FTP (RFC 4217). */
async function startFtp(wire: WireReader): Promise<void> {
  require(await reply(wire), { begins: "220", command: "the connection" });
  send(wire, "AUTH TLS");
  require(await reply(wire), { begins: "234", command: "AUTH TLS" });
}

/** Starts TLS in POP3 (RFC 2595 §4). */
async function startPop3(wire: WireReader): Promise<void> {
  const greeting = await wire.line();
  if (!greeting.startsWith("+OK")) throw refusal("the connection", greeting);
  send(wire, "STLS");
  const answer = await wire.line();
  if (!answer.startsWith("+OK")) throw refusal("STLS", answer);
}

/** Starts TLS in IMAP (RFC 3501 §6.2.1). */
async function startImap(wire: WireReader): Promise<void> {
  const greeting = await wire.line();
  if (!/^\* (?:OK|PREAUTH)/i.test(greeting)) throw refusal("the connection", greeting);
  send(wire, "a1 STARTTLS");
  for (let left = MAX_LINES; left > 0; left--) {
    const line = await wire.line();
    if (/^a1 OK/i.test(line)) return;
    if (/^a1 /i.test(line)) throw refusal("STARTTLS", line);
  }
  throw new ProbeError("The server's reply is too long.");
}

type Start = (wire: WireReader, host: string) => Promise<void>;

const STARTS: Readonly<Record<ProbeProtocol, Start | undefined>> = {
  tls: undefined,
  smtp: startSmtp,
  imap: startImap,
  pop3: startPop3,
  ldap: startLdap,
  postgres: startPostgres,
  mysql: startMysql,
  xmpp: (wire, host) => startXmpp(wire, { host, namespace: "jabber:client" }),
  "xmpp-server": (wire, host) => startXmpp(wire, { host, namespace: "jabber:server" }),
  ftp: startFtp,
};

/**
 * Asks the server to start TLS. Does nothing for `tls`, where it has already started. Throws a `ProbeError`
 * if the server refuses.
 */
export async function startTls(wire: WireReader, protocol: ProbeProtocol, host: string): Promise<void> {
  await STARTS[protocol]?.(wire, host);
}
