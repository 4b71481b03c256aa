/** A receiving SMTP server, and an independent parser of what it receives. */

import { simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import type { MailServer } from "../../../src/mail/mod.ts";

/** Options of the server. */
export interface MailServerOptions {
  readonly starttls?: boolean;
  readonly tls?: boolean;
  readonly user?: string;
  readonly password?: string;
  /** Codes with which it refuses the first messages. */
  readonly refusals?: readonly number[];
  /** Called when a message has arrived, before its response. */
  readonly onMessage?: () => Promise<void>;
  /** Only counts messages in `counted`, because in a benchmark parsing costs more than sending. */
  readonly unread?: boolean;
}

/** A message as the server received it. */
export interface ReceivedMail {
  readonly envelopeFrom: string;
  readonly envelopeTo: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly replyTo: string;
  readonly messageId: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

/** A running server. */
export interface TestMailServer extends AsyncDisposable {
  readonly settings: Extract<MailServer, { kind: "smtp" }>;
  /** Its certificate in PEM. */
  readonly ca: string;
  readonly received: ReceivedMail[];
  /** `Message-ID` of every message that was offered, refused or not. */
  readonly attempted: string[];
  /** Messages that were accepted without being parsed. */
  counted: number;
}

/** Creates a certificate for 127.0.0.1. */
async function certificate(): Promise<{ key: string; cert: string }> {
  const folder = await Deno.makeTempDir();
  const [key, cert] = [`${folder}/key.pem`, `${folder}/cert.pem`];
  const { code } = await new Deno.Command("openssl", {
    args: ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2"]
      .concat(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]),
    stderr: "null",
  }).output();
  if (code !== 0) throw new Error(`openssl ended with ${code}`);
  const pair = { key: await Deno.readTextFile(key), cert: await Deno.readTextFile(cert) };
  await Deno.remove(folder, { recursive: true });
  return pair;
}

/** Starts a server: `await using server = await mailServer({})`. */
export async function mailServer(options: MailServerOptions): Promise<TestMailServer> {
  const pair = await certificate();
  const received: ReceivedMail[] = [];
  const attempted: string[] = [];
  const refusals = [...options.refusals ?? []];
  const encrypted = options.tls === true || options.starttls === true;
  const server = new SMTPServer({
    ...pair,
    secure: options.tls === true,
    authOptional: options.user === undefined,
    disabledCommands: encrypted ? [] : ["STARTTLS"],
    // deno-lint-ignore no-explicit-any -- the library has no types
    onAuth(auth: any, _session: any, done: any): void {
      if (auth.username === options.user && auth.password === options.password) {
        done(null, { user: auth.username });
      } else done(new Error("Wrong password"));
    },
    // deno-lint-ignore no-explicit-any -- the library has no types
    async onData(stream: any, session: any, done: any): Promise<void> {
      if (options.unread) {
        stream.on("data", () => {}).on("end", () => {
          running.counted++;
          done();
        });
        return;
      }
      const mail = await simpleParser(stream).catch(() => undefined);
      // A client was killed in the middle of a message: nothing was received, and no client waits for a response.
      if (mail === undefined) return;
      attempted.push(mail.messageId ?? "");
      await options.onMessage?.();
      const refusal = refusals.shift();
      if (refusal !== undefined) {
        done(Object.assign(new Error("Not now"), { responseCode: refusal }));
        return;
      }
      received.push({
        envelopeFrom: session.envelope.mailFrom.address,
        envelopeTo: session.envelope.rcptTo.map(({ address }: { address: string }) => address),
        subject: mail.subject ?? "",
        text: mail.text ?? "",
        replyTo: mail.replyTo?.text ?? "",
        html: mail.html === false ? "" : mail.html ?? "",
        messageId: mail.messageId ?? "",
        secure: session.secure,
        user: session.user,
      });
      done();
    },
  });
  // Clients that do not trust the certificate close the connection.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.server.address() as { port: number };
  const { user, password } = options;
  const running: TestMailServer = {
    settings: {
      kind: "smtp",
      host: "127.0.0.1",
      port,
      security: options.tls ? "tls" : options.starttls ? "starttls" : "plain",
      ...(user === undefined ? {} : { user, password: password ?? "" }),
    },
    ca: pair.cert,
    received,
    attempted,
    counted: 0,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  return running;
}
