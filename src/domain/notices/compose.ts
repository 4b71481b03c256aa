/** Composes messages from notices: decides which notices each recipient gets in a message. */

import { randomText } from "../../base/bytes.ts";
import type { Notice } from "./describe_due.ts";
import type { LoadedSubscription } from "./load_subscriptions.ts";
import { MAX_LISTED_NOTICES, MAX_SINGLE_MESSAGES } from "./limits.ts";
import type { StoredMessage } from "./message.ts";
import { OWNER } from "./subscriptions.ts";

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
    const groups = single ? own.map((notice) => [notice]) : [own];
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
