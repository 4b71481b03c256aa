/** A message as it is stored, before it is converted for a channel. */

import type { Context } from "../../auth/mod.ts";
import type { Notice } from "./describe_due.ts";
import { TEST_NOTICE } from "./event_names.ts";
import { shortened } from "./sentences.ts";
import { noticeLink } from "./links.ts";

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
  webhook_disabled: "disabled",
  job_failing: "failing",
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
