/**
 * The background work of notifications. It is loaded when it first runs, because answering requests does not need it.
 */

import type { SenderOf } from "../webhooks/sending/mod.ts";
import type { NoticePorts } from "./lane.ts";
import type {
  NoticesRun,
  PreviewedMessage,
  previewNotices as Preview,
  runNotices as Run,
} from "./run_notices.ts";
import type { pruneNotices as Prune } from "./prune_notices.ts";

/** Computes what is due and stores it as messages. */
export async function runNotices(...args: Parameters<typeof Run>): Promise<NoticesRun> {
  return await (await import("./run_notices.ts")).runNotices(...args);
}

/** Yields the messages that would be sent, and stores nothing. */
export async function* previewNotices(...args: Parameters<typeof Preview>): AsyncGenerator<PreviewedMessage> {
  yield* (await import("./run_notices.ts")).previewNotices(...args);
}

/** Deletes old messages and events. */
export async function pruneNotices(...args: Parameters<typeof Prune>): ReturnType<typeof Prune> {
  return await (await import("./prune_notices.ts")).pruneNotices(...args);
}

/** Returns a function that makes the senders of notifications. */
export async function noticeSender(ports: NoticePorts): Promise<SenderOf> {
  return (await import("./lane.ts")).noticeSender(ports);
}
