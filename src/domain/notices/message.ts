/** A message as it is stored, before it is converted for a channel. */

import { jsonText } from "../../db/mod.ts";
import type { Millis } from "../../base/clock.ts";
import type { Context } from "../../auth/mod.ts";
import { randomText } from "../../base/bytes.ts";
import type { Mail } from "../../mail/mod.ts";
import type { Notice } from "./describe_due.ts";
import { TEST_NOTICE } from "./event_names.ts";
import { noticeLink } from "./links.ts";
import type { LoadedSubscription } from "./load_subscriptions.ts";
import { shortened } from "./sentences.ts";
import { OWNER } from "./subscriptions.ts";

/** Maximum number of notices in a message, which gives only the number of the others. */
export const MAX_LISTED_NOTICES = 200;

/**
 * Number of notices up to which an immediate subscription sends one message each. More are sent in one
 * message together.
 */
const MAX_SINGLE_MESSAGES = 10;

/** A message to one recipient. */
export interface NewMessage {
  readonly messageId: string;
  /** E-mail address; empty for channels without recipients. */
  readonly recipient: string;
  readonly event: string;
  readonly message: StoredMessage;
}

/** Generates the id of a message, which becomes the left side of a `Message-ID`. */
export function newNoticeId(): string {
  return `certmgr-${randomText(26)}`;
}

/**
 * Returns the messages of a subscription. A digest is one message; a few immediate notices are one message
 * each. `more` is the number of notices that are not in `notices`.
 */
export function composeMessages(
  { id: _, name, userId, mode, ...subscription }: LoadedSubscription,
  { notices, more }: { readonly notices: readonly Notice[]; readonly more: number },
): NewMessage[] {
  if (notices.length === 0) return [];
  return recipientsOf(subscription, notices).flatMap(({ recipient, own, isOwner }) => {
    const further = isOwner ? 0 : more;
    const single = mode === "immediate" && further === 0 && own.length <= MAX_SINGLE_MESSAGES;
    // The certificates of an incident are one list.
    const { list = [], alone = [] } = Object.groupBy(
      own,
      ({ event }) => single && !event.startsWith("incident_") ? "alone" : "list",
    );
    const groups = [list, ...alone.map((notice) => [notice])];
    return groups.filter((group) => group.length > 0).map((group): NewMessage => {
      const listed = group.slice(0, MAX_LISTED_NOTICES);
      return {
        messageId: newNoticeId(),
        recipient,
        event: group.length === 1 && group[0] !== undefined ? group[0].event : "digest",
        message: { name, userId, notices: listed, more: group.length - listed.length + further },
      };
    });
  });
}

/** Returns each address with its notices. Owners get only notices about what they own. */
function recipientsOf(
  { kind, recipients, email }: Pick<LoadedSubscription, "kind" | "recipients" | "email">,
  notices: readonly Notice[],
): { recipient: string; own: readonly Notice[]; isOwner: boolean }[] {
  if (kind !== "email") return [{ recipient: "", own: notices, isOwner: false }];
  const named = recipients.filter((one) => one !== OWNER);
  const addresses = recipients.length === 0 ? (email === "" ? [] : [email]) : named;
  const all = addresses.map((recipient) => ({ recipient, own: notices, isOwner: false }));
  if (!recipients.includes(OWNER)) return all;
  const owners = new Set(notices.flatMap((notice) => notice.owners ?? []));
  return [
    ...all,
    ...[...owners].filter((owner) => !addresses.includes(owner)).map((recipient) => ({
      recipient,
      own: notices.filter((notice) => notice.owners?.includes(recipient)),
      isOwner: true,
    })),
  ];
}

/**
 * Maximum length of a subject (RFC 5322 §2.1.1 recommends short lines; mail programs show about a hundred
 * characters).
 */
const MAX_SUBJECT_CHARS = 250;

/** Content of a message. */
export interface StoredMessage {
  /** Name of the subscription. */
  readonly name: string;
  readonly userId: number | null;
  readonly notices: readonly Notice[];
  /** Number of additional notices, which are only counted. */
  readonly more: number;
  /** The message itself, if a user wrote it. */
  readonly letter?: Pick<Mail, "subject" | "text" | "replyTo">;
}

/** A message with its links, for rendering. */
export interface ReadyMessage {
  readonly subject: string;
  readonly notices: readonly (Notice & { readonly url: string; readonly respond?: string })[];
  readonly more: number;
  /** Why the recipient gets it. */
  readonly footer: string;
  readonly manageUrl: string;
}

const VERBS: Readonly<Record<Notice["event"], string>> = {
  expiring: "expiring soon",
  expired: "expired",
  renewed: "renewed",
  chain_broken: "with an invalid chain",
  certificate_revoked: "revoked",
  certificate_revocation_unavailable: "without an answer about their revocation",
  certificate_renewal_window_moved: "to be renewed earlier",
  policy_failed: "failing a policy",
  new_certificate: "new",
  unknown_served: "served and unknown",
  endpoint_unreachable: "not answering",
  endpoint_wrong: "serving the wrong certificate",
  endpoint_superseded: "serving a replaced certificate",
  endpoint_invalid: "not accepted by clients",
  endpoint_recovered: "as expected again",
  agent_silent: "silent",
  request_open_too_long: "open for too long",
  incident_opened: "to be replaced",
  incident_reminder: "still to be replaced",
  webhook_disabled: "disabled",
  test: "test",
};

/** Returns the subject: the title of a single notice, or how many there are of each kind. */
export function subjectOf({ notices, more }: Pick<StoredMessage, "notices" | "more">): string {
  const [first] = notices;
  if (first !== undefined && notices.length === 1 && more === 0) {
    return shortened(first.title, MAX_SUBJECT_CHARS);
  }
  const counts = new Map<string, number>();
  for (const { event } of notices) counts.set(VERBS[event], (counts.get(VERBS[event]) ?? 0) + 1);
  const parts = [...counts].map(([verb, count]) => `${count} ${verb}`);
  return shortened(`${notices.length + more} notices: ${parts.join(", ")}`, MAX_SUBJECT_CHARS);
}

/** Adds the links to a stored message. `key` signs those with which the reader can respond. */
export function readyMessage(
  { baseUrl, clock }: Pick<Context, "baseUrl" | "clock">,
  { message, key }: { message: StoredMessage; key: string },
): ReadyMessage {
  return {
    subject: subjectOf(message),
    notices: message.notices.map((notice) => ({
      ...notice,
      url: baseUrl + notice.path,
      ...(notice.validTo === undefined || message.userId === null ? {} : {
        respond: baseUrl + noticeLink({
          certificateId: notice.objectId,
          validTo: notice.validTo,
          userId: message.userId,
          now: clock.now(),
        }, key),
      }),
    })),
    more: message.more,
    ...(message.notices[0]?.event === TEST_NOTICE
      ? {
        footer: `Sent by certmgr to test the notification channel "${shortened(message.name)}".`,
        manageUrl: `${baseUrl}/notification-channels/`,
      }
      : {
        footer: `Sent by certmgr for the subscription "${shortened(message.name)}".`,
        manageUrl: `${baseUrl}/subscriptions/`,
      }),
  };
}

/** Returns the row of a new message. */
export function deliveryRow(
  { messageId, recipient, event, message }: NewMessage,
  { channelId, subscriptionId, now }: {
    channelId: number | null;
    subscriptionId: number | null;
    now: Millis;
  },
): Record<string, string | number | null> {
  return {
    channel_id: channelId,
    subscription_id: subscriptionId,
    message_id: messageId,
    event,
    notices: message.notices.length + message.more,
    recipient,
    message: jsonText(message),
    next_attempt: now,
    created: now,
    last_updated: now,
  };
}
