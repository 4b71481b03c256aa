/** The server's side of STARTTLS, according to the specifications of the protocols. */

import type { ProbeProtocol } from "../../src/probe/mod.ts";
import { relay, type TlsServer } from "./tls_servers.ts";

/** Speaks a protocol until TLS begins, and then connects the client with a TLS server. */
export async function speak(
  connection: Deno.TcpConn,
  { protocol, behind, refuses = false }: {
    protocol: ProbeProtocol;
    behind: TlsServer;
    refuses?: boolean;
  },
): Promise<void> {
  const client = new Client(connection);
  if (await DIALOGUES[protocol]?.(client, refuses) === true) {
    await relay(connection, behind);
  } // The client closes the connection; everything sent must have arrived before.
  else await connection.read(new Uint8Array(1));
}

class Client {
  constructor(readonly connection: Deno.TcpConn) {}

  async say(text: string): Promise<void> {
    await this.bytes(new TextEncoder().encode(text));
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      at += await this.connection.write(bytes.subarray(at));
    }
  }

  /** Reads one message. Clients wait for each response, so one read is one message here. */
  async hear(most = 4_096): Promise<Uint8Array> {
    const buffer = new Uint8Array(most);
    const length = await this.connection.read(buffer);
    if (length === null) throw new Error("The client is gone");
    return buffer.subarray(0, length);
  }

  async expect(pattern: RegExp): Promise<void> {
    const text = new TextDecoder().decode(await this.hear());
    if (!pattern.test(text)) {
      throw new Error(`Expected ${pattern}, not ${JSON.stringify(text)}`);
    }
  }
}

/** Returns whether TLS begins. */
type Dialogue = (client: Client, refuses: boolean) => Promise<boolean>;

const DIALOGUES: Readonly<Partial<Record<ProbeProtocol, Dialogue>>> = {
  async smtp(client, refuses): Promise<boolean> {
    await client.say("220-mail.acme.example ESMTP\r\n220 ready\r\n");
    await client.expect(/^EHLO \S+\r\n$/);
    await client.say(
      `250-mail.acme.example\r\n250-SIZE 1000\r\n${refuses ? "" : "250-STARTTLS\r\n"}250 HELP\r\n`,
    );
    if (refuses) return false;
    await client.expect(/^STARTTLS\r\n$/);
    await client.say("220 Go ahead\r\n");
    return true;
  },
  async imap(client, refuses): Promise<boolean> {
    await client.say("* OK IMAP4rev1 ready\r\n");
    await client.expect(/^a1 STARTTLS\r\n$/);
    await client.say(
      refuses ? "* CAPABILITY IMAP4rev1\r\na1 BAD no TLS here\r\n" : "a1 OK Begin TLS\r\n",
    );
    return !refuses;
  },
  async pop3(client, refuses): Promise<boolean> {
    await client.say("+OK POP3 ready\r\n");
    await client.expect(/^STLS\r\n$/);
    await client.say(
      refuses ? "-ERR unknown command\r\n" : "+OK Begin TLS\r\n",
    );
    return !refuses;
  },
  async ftp(client, refuses): Promise<boolean> {
    await client.say("220 FTP ready\r\n");
    await client.expect(/^AUTH TLS\r\n$/);
    await client.say(
      refuses ? "502 Not implemented\r\n" : "234 AUTH TLS OK\r\n",
    );
    return !refuses;
  },
  async ldap(client, refuses): Promise<boolean> {
    const request = await client.hear();
    if (
      !new TextDecoder("latin1").decode(request).endsWith(
        "1.3.6.1.4.1.1466.20037",
      )
    ) return false;
    // An ExtendedResponse: result code, matched DN, message.
    await client.bytes(
      Uint8Array.from([
        0x30,
        12,
        2,
        1,
        1,
        0x78,
        7,
        0x0a,
        1,
        refuses ? 2 : 0,
        4,
        0,
        4,
        0,
      ]),
    );
    return !refuses;
  },
  async postgres(client, refuses): Promise<boolean> {
    const request = await client.hear();
    if (request.toHex() !== "0000000804d2162f") return false;
    await client.say(refuses ? "N" : "S");
    return !refuses;
  },
  async mysql(client, refuses): Promise<boolean> {
    const flags = refuses ? 0xf7ff : 0xffff;
    const body = [
      10,
      ...new TextEncoder().encode("8.0.36\0"),
      ...[7, 0, 0, 0],
      ...new Array(8).fill(65),
      0,
      flags & 0xff,
      flags >> 8,
      ...[33, 2, 0, 0xff, 0xc1, 21],
      ...new Array(10).fill(0),
      ...new Array(12).fill(66),
      0,
    ];
    await client.bytes(Uint8Array.from([body.length, 0, 0, 0, ...body]));
    if (refuses) return false;
    // The hello of TLS follows at once.
    const request = await client.hear(36);
    return request.length === 36 && request[3] === 1 &&
      ((request[5] as number) & 0x08) !== 0;
  },
  xmpp: (client, refuses) => xmpp(client, refuses, "jabber:client"),
  "xmpp-server": (client, refuses) => xmpp(client, refuses, "jabber:server"),
};

async function xmpp(
  client: Client,
  refuses: boolean,
  namespace: string,
): Promise<boolean> {
  const opening =
    `<\\?xml version='1\\.0'\\?><stream:stream to='www\\.acme\\.example' version='1.0' xmlns='${namespace}'`;
  await client.expect(new RegExp(`^${opening}`));
  const starttls = refuses ? "" : "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>";
  await client.say(
    "<?xml version='1.0'?><stream:stream from='acme.example' id='1' version='1.0' ",
  );
  await client.say(
    `xmlns='${namespace}'><stream:features>${starttls}<x/></stream:features>`,
  );
  if (refuses) return false;
  await client.expect(/^<starttls/);
  await client.say("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>");
  return true;
}
