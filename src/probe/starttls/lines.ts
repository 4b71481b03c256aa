/** STARTTLS for protocols that consist of lines. */

import { ascii } from "../bytes.ts";
import { ProbeError } from "../types.ts";
import type { WireReader } from "../wire.ts";

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
export async function startSmtp(wire: WireReader): Promise<void> {
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
export async function startFtp(wire: WireReader): Promise<void> {
  require(await reply(wire), { begins: "220", command: "the connection" });
  send(wire, "AUTH TLS");
  require(await reply(wire), { begins: "234", command: "AUTH TLS" });
}

/** Starts TLS in POP3 (RFC 2595 §4). */
export async function startPop3(wire: WireReader): Promise<void> {
  const greeting = await wire.line();
  if (!greeting.startsWith("+OK")) throw refusal("the connection", greeting);
  send(wire, "STLS");
  const answer = await wire.line();
  if (!answer.startsWith("+OK")) throw refusal("STLS", answer);
}

/** Starts TLS in IMAP (RFC 3501 §6.2.1). */
export async function startImap(wire: WireReader): Promise<void> {
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
