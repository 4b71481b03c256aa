/** Messages of notices: claims them, sends them by e-mail or to a channel, and stores the outcomes. */

import { and, eq, inArray, lte, sql } from "drizzle-orm";
import type { Millis } from "../../base/clock.ts";
import { DELIVERY_LEASE_MS } from "../../base/limits.ts";
import type { Send } from "../../http/mod.ts";
import type { SendMail } from "../../mail/mod.ts";
import { idsIn, type Reader, select, type Transaction, update } from "../../db/mod.ts";
import { notification_channels, notification_deliveries as table } from "../../db/schema/mod.ts";
import {
  type MessageKind,
  type SenderOf,
  senderOf,
  type SendResult,
  storeOutcomes,
} from "../webhooks/sending/mod.ts";
import type { ChannelKindName, ChannelSettings } from "./channel_kinds.ts";
import { TEST_NOTICE } from "./event_names.ts";
import { NOTICE_SLOTS, NOTICE_SLOTS_PER_CHANNEL } from "./limits.ts";
import type { StoredMessage } from "./message.ts";
import { attemptNotice } from "./attempt_notice.ts";

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
export function createNoticeSender(ports: NoticePorts): SenderOf {
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
    kind: (row.kind ?? "email") as ChannelKindName,
    settings: JSON.parse(row.settings ?? "{}"),
    secret: row.secret ?? "",
    messageId: row.message_id,
    recipient: row.recipient,
    event: row.event,
    message: JSON.parse(row.message),
    attempts: row.attempts,
  }));
}
