/** Makes one attempt to send a notification. */

import { asciiMailAddress } from "../../base/mail_address.ts";
import { actorOf, type Context } from "../../auth/mod.ts";
import { stackOf } from "../../base/errors.ts";
import { MailError } from "../../mail/mod.ts";
import { refreshCustomFields } from "../../resource/mod.ts";
import { TemplateError } from "../webhooks/mod.ts";
import { sendOnce, type SendResult } from "../webhooks/sending/mod.ts";
import type { DueNotice } from "./collect_due.ts";
import { describeDue, type Notice } from "./describe_due.ts";
import { TEST_NOTICE } from "./event_names.ts";
import { type ReadyMessage, readyMessage, type StoredMessage } from "./message.ts";
import { payloadOf } from "./payloads.ts";
import { htmlText, plainText } from "./texts.ts";
import { linkKey } from "./links.ts";
import type { ClaimedNotice, NoticeOutcome, NoticePorts } from "./notice_messages.ts";

/** Statuses with which most services respond if a channel no longer exists. */
const GONE = [404, 410];

/** Sends a message once. Never throws. */
export async function attemptNotice(
  ctx: Context,
  claimed: ClaimedNotice,
  ports: NoticePorts,
): Promise<NoticeOutcome> {
  const failed = (error: string, permanent: boolean): NoticeOutcome => ({
    message: claimed,
    permanent,
    status: null,
    replyBody: "",
    retryAfter: null,
    durationMs: 0,
    error,
  });
  try {
    const message = await permitted(ctx, claimed);
    if (message === undefined) return failed("The user may no longer view any of these objects.", true);
    const ready = readyMessage(ctx, { message, key: await linkKey(ctx.database) });
    const exchange = claimed.kind === "email"
      ? await byMail(claimed, ready, ports)
      : await byHttp(ctx, { claimed, message: ready, send: ports.send });
    return { message: claimed, ...exchange };
  } catch (error) {
    if (error instanceof TemplateError) return failed(error.message, true);
    ctx.log.log("error", "delivery defect", { delivery: claimed.id, error: stackOf(error) });
    return failed("The message could not be sent.", false);
  }
}

/**
 * Describes the notices again, without what the subscription's user may no longer view: permissions and objects may have
 * changed since the message was made, because attempts continue for days.
 */
async function permitted(
  ctx: Context,
  { message, event }: ClaimedNotice,
): Promise<StoredMessage | undefined> {
  if (event === TEST_NOTICE) return message;
  const actor = message.userId === null ? undefined : await actorOf(ctx, message.userId);
  if (actor === undefined) return undefined;
  await refreshCustomFields(ctx);
  const notices = await describeDue({ ...ctx, actor }, message.notices as readonly (Notice & DueNotice)[]);
  if (notices.length === 0) return undefined;
  // It is unknown which of the notices that were only counted are still visible.
  return { ...message, notices, more: notices.length === message.notices.length ? message.more : 0 };
}

type SendOutcome = SendResult & { readonly permanent: boolean };

async function byHttp(
  ctx: Context,
  { claimed, message, send }: {
    claimed: ClaimedNotice;
    message: ReadyMessage;
    send: NoticePorts["send"];
  },
): Promise<SendOutcome> {
  const { kind, settings, secret, messageId } = claimed;
  if (kind === "email") throw new Error("E-mail is not sent by HTTP");
  const now = ctx.clock.now();
  const { url, headers, body } = payloadOf({ kind, settings, secret, message, messageId, now });
  const exchange = await sendOnce(
    ctx,
    { url, method: "POST", headers, body, secrets: [secret, settings.url ?? ""], delivery: claimed.id },
    send,
  );
  const { status } = exchange;
  // Slack and others respond with 400 to a message that they will never accept, and with 404 or 410 if the
  // channel no longer exists.
  return { ...exchange, permanent: status !== null && [400, 413, 422, ...GONE].includes(status) };
}

async function byMail(
  { settings, recipient, messageId }: ClaimedNotice,
  message: ReadyMessage,
  { mail, mailFrom }: NoticePorts,
): Promise<SendOutcome> {
  const given = settings.from ?? mailFrom;
  const from = given === undefined ? undefined : asciiMailAddress(given);
  const started = performance.now();
  const ended = (rest: Partial<SendOutcome>): SendOutcome => ({
    status: 250,
    replyBody: "",
    retryAfter: null,
    durationMs: Math.round(performance.now() - started),
    error: "",
    permanent: false,
    ...rest,
  });
  if (mail === undefined) {
    return ended({ status: null, error: "E-mail is not configured. Set CERTMGR_SMTP_URL." });
  }
  if (from === undefined) {
    return ended({ status: null, error: "No sender is configured. Set CERTMGR_MAIL_FROM." });
  }
  try {
    const reply = await mail({
      from,
      to: asciiMailAddress(recipient),
      subject: message.subject,
      text: plainText(message),
      html: htmlText(message),
      messageId: `${messageId}@${from.slice(from.lastIndexOf("@") + 1)}`,
    });
    return ended({ replyBody: reply.slice(0, 500) });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return ended({ status: error.status, error: error.message, permanent: error.permanent });
  }
}
