/** Messages of notices: claims them, sends them by e-mail or to a channel, and stores the outcomes. */

import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { actorOf, type Context } from "../../auth/mod.ts";
import type { Millis } from "../../base/clock.ts";
import { stackOf } from "../../base/errors.ts";
import { DELIVERY_LEASE_MS } from "../../base/limits.ts";
import { asciiMailAddress } from "../../base/mail_address.ts";
import { idsIn, type Reader, select, type Transaction, update } from "../../db/mod.ts";
import { notification_channels, notification_deliveries as table } from "../../db/schema/mod.ts";
import { OutboundError, type Send } from "../../http/mod.ts";
import { MailError, type SendMail } from "../../mail/mod.ts";
import { refreshCustomFields } from "../../resource/mod.ts";
import type { Failure } from "../webhooks/deliveries/resource.ts";
import { type MessageKind, type SenderOf, senderOf } from "../webhooks/sending/sender.ts";
import { sendOnce, type SendResult } from "../webhooks/sending/attempt.ts";
import { storeOutcomes } from "../webhooks/sending/settle.ts";
import type { ChannelKindName, ChannelSettings } from "./channel_kinds.ts";
import { describeDue } from "./describe_due.ts";
import { TEST_NOTICE } from "./event_names.ts";
import { linkKey } from "./links.ts";
import { type ReadyMessage, readyMessage, type StoredMessage } from "./message.ts";
import { payloadOf } from "./payloads.ts";
import { htmlText, plainText } from "./texts.ts";

/** Maximum number of concurrent messages of a process, in total and per channel. */
const NOTICE_SLOTS = 8;
const NOTICE_SLOTS_PER_CHANNEL = 2;

/** Statuses with which most services respond if a channel no longer exists. */
const GONE = [404, 410];

/** Sends a message once. Never throws. */
async function attemptNotice(
  ctx: Context,
  claimed: ClaimedNotice,
  ports: NoticePorts,
): Promise<NoticeOutcome> {
  const failed = (failure: Failure, error: string): NoticeOutcome => ({
    message: claimed,
    permanent: failure === "not_visible",
    status: null,
    replyBody: "",
    retryAfter: null,
    durationMs: 0,
    failure,
    error,
  });
  try {
    const message = await permitted(ctx, claimed);
    if (message === undefined) {
      return failed("not_visible", "The user may no longer view any of these objects.");
    }
    const ready = readyMessage(ctx, { message, key: await linkKey(ctx.database) });
    const exchange = claimed.kind === "email"
      ? await byMail(claimed, ready, ports)
      : await byHttp(ctx, { claimed, message: ready, send: ports.send });
    return { message: claimed, ...exchange };
  } catch (error) {
    ctx.log.log("error", "delivery defect", { delivery: claimed.id, error: stackOf(error) });
    return failed("internal", "The message could not be sent.");
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
  // A letter has its user's own words, and is only dropped with the account.
  if (message.letter !== undefined) return message;
  await refreshCustomFields(ctx);
  const due = message.notices.flatMap((one) =>
    one.event === TEST_NOTICE ? [] : [{ ...one, event: one.event }]
  );
  const notices = await describeDue({ ...ctx, actor }, due);
  if (notices.length === 0) return undefined;
  // It is unknown which of the notices that were only counted are still visible.
  return { ...message, notices, more: notices.length === message.notices.length ? message.more : 0 };
}

type SendOutcome = SendResult & { readonly permanent: boolean };

async function byHttp(
  ctx: Context,
  { claimed, message, send }: { claimed: ClaimedNotice; message: ReadyMessage; send: Send },
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
  { settings, recipient, messageId, message: { letter } }: ClaimedNotice,
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
    failure: null,
    error: "",
    permanent: false,
    ...rest,
  });
  const notConfigured = (error: string): SendOutcome =>
    ended({ status: null, failure: "not_configured", error });
  if (mail === undefined) {
    return notConfigured("E-mail is not configured. Set CERTMGR_SMTP_URL.");
  }
  if (from === undefined) {
    return notConfigured("No sender is configured. Set CERTMGR_MAIL_FROM.");
  }
  try {
    const reply = await mail({
      from,
      to: asciiMailAddress(recipient),
      ...letter ?? { subject: message.subject, text: plainText(message), html: htmlText(message) },
      messageId: `${messageId}@${from.slice(from.lastIndexOf("@") + 1)}`,
    });
    return ended({ replyBody: reply.slice(0, 500) });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const { status, message, permanent, cause } = error;
    const unsent = cause instanceof OutboundError ? cause.failure : "no_answer";
    return ended({ status, failure: status === null ? unsent : "refused", error: message, permanent });
  }
}

/** A message that is due. */
interface DueMessage {
  readonly id: number;
  readonly channelId: number | null;
}

/** A message that this process has leased, with its channel. */
export interface ClaimedNotice extends DueMessage {
  readonly kind: ChannelKindName;
  readonly settings: ChannelSettings;
  readonly secret: string;
  readonly messageId: string;
  readonly recipient: string;
  readonly event: string;
  readonly message: StoredMessage;
  /** The number of attempts, including this one. */
  readonly attempts: number;
}

/** The outcome of an attempt. */
export interface NoticeOutcome extends SendResult {
  readonly message: ClaimedNotice;
  /** Whether another attempt would fail in the same way. */
  readonly permanent: boolean;
}

/** How messages are sent. */
export interface NoticePorts {
  readonly send: Send;
  /** Sends e-mail; absent if no mail server is configured. */
  readonly mail?: SendMail | undefined;
  /** Sender of e-mail if the channel has none. */
  readonly mailFrom?: string | undefined;
}

/** Returns a function that creates the senders of notifications. */
export function noticeSender(ports: NoticePorts): SenderOf {
  const kind: MessageKind<DueMessage, ClaimedNotice, NoticeOutcome> = {
    choose: async (reader, { now, inFlight }) =>
      inFlight.length < NOTICE_SLOTS ? await chooseNotices(reader, { now, inFlight }) : [],
    claim: claimNotices,
    attempt: (ctx, message) => attemptNotice(ctx, message, ports),
    isFinal: ({ permanent, message }) => permanent || message.event === TEST_NOTICE,
    settle: async (tx, _ctx, { updates, ...lease }) =>
      void await tx.run(storeOutcomes(table, updates, lease)),
    describe: ({ message, status, error, durationMs }) => ({
      channel: message.channelId,
      attempt: message.attempts,
      status,
      duration_ms: durationMs,
      error,
    }),
  };
  return senderOf(kind);
}

/** Selects the messages that have waited longest, a few for each channel. One statement. */
async function chooseNotices(
  reader: Reader,
  { now, inFlight }: { now: Millis; inFlight: readonly ClaimedNotice[] },
): Promise<DueMessage[]> {
  // A window function over all due messages would read all of them. A page is enough to fill the slots.
  const rows = await reader.all<{ id: number; channel_id: number | null }>(
    sql`SELECT d.id, d.channel_id FROM ${table} AS d INDEXED BY notification_deliveries_due
      LEFT JOIN ${notification_channels} AS c ON c.id = d.channel_id
      WHERE d.next_attempt <= ${now} AND (d.channel_id IS NULL OR c.enabled = 1)
      ORDER BY d.next_attempt, d.id LIMIT 200`,
  );
  const busy = new Set(inFlight.map(({ id }) => id));
  const counts = new Map<number | null, number>();
  for (const { channelId } of inFlight) counts.set(channelId, (counts.get(channelId) ?? 0) + 1);
  const chosen: DueMessage[] = [];
  for (const { id, channel_id: channelId } of rows) {
    const due = { id, channelId };
    const count = counts.get(due.channelId) ?? 0;
    if (chosen.length + inFlight.length >= NOTICE_SLOTS) break;
    if (busy.has(due.id) || count >= NOTICE_SLOTS_PER_CHANNEL) continue;
    counts.set(due.channelId, count + 1);
    chosen.push(due);
  }
  return chosen;
}

/** Leases messages to a process. If it dies, they become due again after the lease. Two statements. */
async function claimNotices(
  tx: Transaction,
  chosen: readonly DueMessage[],
  { owner, now }: { owner: string; now: Millis },
): Promise<ClaimedNotice[]> {
  if (chosen.length === 0) return [];
  const ids = idsIn(chosen.map(({ id }) => id));
  const taken = await tx.all(
    update(table)
      .set({
        lease_owner: owner,
        next_attempt: now + DELIVERY_LEASE_MS,
        attempts: sql`${table.attempts} + 1`,
      })
      .where(and(inArray(table.id, ids), lte(table.next_attempt, now)))
      .returning({ id: table.id }),
  );
  if (taken.length === 0) return [];
  const { id, channel_id, message_id, recipient, event, message, attempts } = table;
  const { kind, settings, secret } = notification_channels;
  const columns = { id, channel_id, message_id, recipient, event, message, attempts, kind, settings, secret };
  const rows = await tx.all(
    select(columns).from(table)
      .leftJoin(notification_channels, eq(notification_channels.id, channel_id))
      .where(inArray(id, idsIn(taken.map((one) => one.id)))),
  );
  return rows.map((row) => ({
    id: row.id,
    channelId: row.channel_id,
    kind: row.kind ?? "email",
    settings: JSON.parse(row.settings ?? "{}"),
    secret: row.secret ?? "",
    messageId: row.message_id,
    recipient: row.recipient,
    event: row.event,
    message: JSON.parse(row.message),
    attempts: row.attempts,
  }));
}
