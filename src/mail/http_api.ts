/** Sends e-mail through an HTTP API, for platforms without sockets. */

import { OutboundError, PUBLIC_ONLY, type Send } from "../http/mod.ts";
import { type Mail, MailError, type MailServer, type SendMail } from "./mod.ts";

/** Time limit of an exchange in milliseconds. */
const TIMEOUT_MS = 10_000;
const MAX_REPLY_BYTES = 2_048;

/**
 * Returns a function that posts e-mail as JSON (`from`, `to`, `subject`, `text`, `html`, `headers`) with a
 * bearer token, the format of Resend's API and many others.
 */
export function httpMailSender(
  { url, token }: Extract<MailServer, { kind: "http" }>,
  send: Send,
): SendMail {
  return async ({ from, to, subject, text, html, replyTo, messageId }: Mail): Promise<string> => {
    const reply = await send({
      url,
      method: "POST",
      headers: {
        "authorization": `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": messageId,
      },
      body: JSON.stringify({
        from,
        to: [to],
        subject,
        text,
        html,
        reply_to: replyTo,
        headers: { "Message-ID": `<${messageId}>` },
      }),
      timeoutMs: TIMEOUT_MS,
      maxReplyBytes: MAX_REPLY_BYTES,
      allowed: PUBLIC_ONLY,
    }).catch((error) => {
      const reason = error instanceof OutboundError ? error.message : "The message could not be sent.";
      throw new MailError(reason, { permanent: false, status: null, cause: error });
    });
    if (reply.status >= 200 && reply.status <= 299) return `${reply.status}`;
    const permanent = reply.status >= 400 && reply.status < 500 &&
      ![401, 403, 408, 429].includes(reply.status);
    throw new MailError(`The mail API answered ${reply.status}.`, { permanent, status: reply.status });
  };
}
