/** Records events for subscriptions: the entry point for every part of the service that has something to report. */

import { insertRows, type Transaction } from "../../db/mod.ts";
import { notice_events } from "../../db/schema/mod.ts";
import type { Millis } from "../../base/clock.ts";
import type { NoticeEvent } from "./event_names.ts";

/** Something that happened to an object. */
export interface NoticeOccurrence {
  readonly event: NoticeEvent;
  readonly objectType: string;
  readonly objectId: number;
  /** Added to the message; must contain nothing that a user who may view the object may not know. */
  readonly detail?: string;
  readonly time: Millis;
}

/** Records events in the caller's transaction. One statement. */
export async function recordNoticeEvents(
  tx: Transaction,
  occurrences: readonly NoticeOccurrence[],
): Promise<void> {
  if (occurrences.length === 0) return;
  const rows = occurrences.map(({ event, objectType, objectId, detail = "", time }) => ({
    event,
    object_type: objectType,
    object_id: objectId,
    detail,
    time,
  }));
  await tx.run(insertRows(notice_events, rows));
}
