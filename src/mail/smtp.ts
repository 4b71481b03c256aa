/** Sends e-mail by SMTP. */

import nodemailer from "nodemailer";
import { type Mail, MailError, type MailServer, type SendMail } from "./mod.ts";

/** Time limits of the connection, the greeting and each reply, in milliseconds. */
const TIMEOUT_MS = 10_000;
/**
 * Time limit of a whole attempt, in milliseconds: a server that keeps sending parts of a reply must not occupy
 * a slot for ever. Below the lease of a message, so that no other process sends it at the same time.
 */
const TOTAL_MS = 25_000;

/**
 * Returns a function that sends e-mail to an SMTP server. All connections except to this machine are
 * encrypted, and the server's certificate is verified. `ca`: additional trust anchors in PEM, for tests.
 * `totalMs`: another time limit, for tests.
 */
export function smtpSender(
  { host, port, security, user, password }: Extract<MailServer, { kind: "smtp" }>,
  { ca, totalMs = TOTAL_MS }: { ca?: string; totalMs?: number } = {},
): SendMail {
  const transport = nodemailer.createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ...(user === undefined ? {} : { auth: { user, pass: password ?? "" } }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // The content of a message must not make the library read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ from, to, subject, text, html, replyTo, messageId }: Mail): Promise<string> => {
    const attempt = new AbortController();
    const looksEncoded = subject.includes("=?");
    const timer = setTimeout(() => attempt.abort(), totalMs);
    try {
      const { response } = await transport.sendMail({
        // As objects, so that no address is parsed as a list of addresses.
        from: { name: "", address: from },
        to: { name: "", address: to },
        ...(looksEncoded ? {} : { subject }),
        text,
        ...(html === undefined ? {} : { html }),
        ...(replyTo === undefined ? {} : { replyTo: { name: "", address: replyTo } }),
        messageId: `<${messageId}>`,
        // RFC 3834 §5: suppresses automatic replies ("out of office").
        headers: {
          "Auto-Submitted": "auto-generated",
          ...(looksEncoded ? { Subject: { prepared: true, value: encodedWords(subject) } } : {}),
        },
        signal: attempt.signal,
      });
      return response;
    } catch (error) {
      if (!attempt.signal.aborted) throw mailError(error, host);
      throw new MailError(
        `The mail server ${host} did not accept the message within ${totalMs / 1000} seconds.`,
        { permanent: false, status: null, cause: error },
      );
    } finally {
      clearTimeout(timer);
    }
  };
}

function mailError(error: unknown, host: string): MailError {
  const { responseCode, code, message } = error as { responseCode?: number; code?: string; message?: string };
  if (responseCode !== undefined) {
    return new MailError(String(message).slice(0, 500), {
      // Wrong credentials and missing encryption are fixed by the operator, and the message is kept until
      // then.
      permanent: responseCode >= 500 && (code === "EENVELOPE" || code === "EMESSAGE"),
      status: responseCode,
      cause: error,
    });
  }
  return new MailError(`The mail server ${host} cannot be used: ${message ?? code ?? "unknown error"}`, {
    permanent: false,
    status: null,
    cause: error,
  });
}

/** Encodes a subject that would itself be read as encoded words (RFC 2047), which the library sends as they are. */
function encodedWords(text: string): string {
  // Ten characters have at most 40 octets, and a word at most 75 characters.
  const words = text.match(/.{1,10}/gsu) ?? [];
  return words.map((word) => `=?utf-8?B?${new TextEncoder().encode(word).toBase64()}?=`).join("\r\n ");
}
