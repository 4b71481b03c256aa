/** Work that few requests need: the background work of notifications, and previews. Loaded when it first runs. */

import type { SenderOf } from "../webhooks/sending/mod.ts";
import type { NoticePorts } from "./notice_messages.ts";
import type {
  NoticesRun,
  PreviewedMessage,
  previewMessages as Preview,
  storeDueMessages as Run,
} from "./run_notices.ts";
import type { previewNew as PreviewOne, SubscriptionPreview } from "./preview_subscription.ts";
import type { deleteOldNotices as Prune } from "./prune_notices.ts";

/** Finds what is due, and stores it as messages. */
export async function runNotices(...args: Parameters<typeof Run>): Promise<NoticesRun> {
  return await (await import("./run_notices.ts")).storeDueMessages(...args);
}

/** Yields the messages that would be sent, and stores nothing. */
export async function* previewNotices(...args: Parameters<typeof Preview>): AsyncGenerator<PreviewedMessage> {
  yield* (await import("./run_notices.ts")).previewMessages(...args);
}

/** Returns what the first message of a new subscription would say, and stores nothing. */
export async function previewSubscription(
  ...args: Parameters<typeof PreviewOne>
): Promise<SubscriptionPreview | undefined> {
  return await (await import("./preview_subscription.ts")).previewNew(...args);
}

/** Deletes old messages and events. */
export async function pruneNotices(...args: Parameters<typeof Prune>): ReturnType<typeof Prune> {
  return await (await import("./prune_notices.ts")).deleteOldNotices(...args);
}

/** Returns a function that creates the senders of notifications. */
export async function noticeSender(ports: NoticePorts): Promise<SenderOf> {
  return (await import("./notice_messages.ts")).createNoticeSender(ports);
}
