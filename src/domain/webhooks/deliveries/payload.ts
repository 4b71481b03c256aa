/** The body of a message. */

import type { Snapshot } from "../../../changes/mod.ts";
import { randomText } from "../../../base/bytes.ts";
import { daysUntil, formatDatetime, type Millis, parseDatetime } from "../../../base/clock.ts";
import { jsonText } from "../../../db/mod.ts";

/** An event, with its object before and after it. */
export interface EventRecord {
  readonly objectType: string;
  /** `created`, `updated`, `deleted`, or the name of an event that is not a change. */
  readonly event: string;
  /** Time of the event. */
  readonly time: Millis;
  readonly username: string;
  readonly requestId: string | null;
  readonly prechange: Snapshot | null;
  readonly postchange: Snapshot | null;
  /** Additional members of `data`, for an event that is not a change. */
  readonly details: Snapshot | null;
}

/** Fields of `data` by object type (specification, "Events"). */
const DATA: Readonly<Record<string, readonly string[]>> = {
  "certmgr.certificate": ["id", "common_name", "status", "valid_to", "days_remaining"],
  "certmgr.certificateassignment": [
    "id",
    "certificate",
    "assigned_object_type",
    "assigned_object_id",
    "is_primary",
  ],
  "certmgr.certificatesigningrequest": ["id", "common_name", "status", "requested_by", "target_ca"],
};

/** Number of random characters in the id of a message: 154 bits. */
const MESSAGE_ID_CHARS = 26;

/** Generates the id of a message (`webhook-id`), which is the same for every attempt. */
export function newMessageId(): string {
  return `msg_${randomText(MESSAGE_ID_CHARS)}`;
}

/** Builds the JSON of the message about an event; `id` is the id of the message. */
export function messageBody(event: EventRecord, id: string): string {
  const { objectType, prechange, postchange, details } = event;
  const object = postchange ?? prechange ?? {};
  return jsonText({
    id,
    event: event.event,
    timestamp: formatDatetime(event.time),
    model: objectType.slice(objectType.indexOf(".") + 1),
    object_type: objectType,
    username: event.username,
    request_id: event.requestId,
    data: { ...dataOf(object, event), ...details },
    snapshots: { prechange, postchange },
  });
}

function dataOf(object: Snapshot, { objectType, time }: EventRecord): Snapshot {
  const names = DATA[objectType] ?? Object.keys(object);
  return Object.fromEntries(names.map((name) => {
    if (name !== "days_remaining") return [name, object[name] ?? null];
    const end = parseDatetime(String(object.valid_to));
    return [name, end === undefined ? null : daysUntil(end, time)];
  }));
}
