/** Events of endpoints: changes of their states, and agents that stopped reporting. */

import { endpoints, type FoundState, SILENT_AGENT } from "../endpoints/mod.ts";
import type { DueNotice } from "./collect_due.ts";
import type { ChangeRow, NoticeOccurrence } from "./derive_events.ts";
import type { NoticeEvent } from "./event_names.ts";
import type { NoticeObject } from "./read_details.ts";

/**
 * The states of each event. The event occurs if an endpoint has one of them after a change, and had none of
 * them before.
 */
const EVENTS: readonly (readonly [NoticeEvent, readonly FoundState[]])[] = [
  ["endpoint_unreachable", ["unreachable"]],
  ["endpoint_invalid", [
    "tls_error",
    "expired",
    "not_yet_valid",
    "name_mismatch",
    "untrusted",
    "incomplete_chain",
  ]],
  ["endpoint_wrong", ["wrong_certificate"]],
  ["endpoint_superseded", ["superseded"]],
];
/** States that need no attention. Expiries are events of certificates. */
const HEALTHY = ["ok", "expiring"];
/** Events that follow from certificates of the inventory, with the states that a reader must see. */
const OF_INVENTORY: Partial<Record<NoticeEvent, readonly string[]>> = {
  endpoint_wrong: ["wrong_certificate"],
  endpoint_superseded: ["superseded"],
  endpoint_recovered: HEALTHY,
};

/**
 * Returns a notice as a reader who may not view all certificates may know it: with the present state as it is shown, or
 * not at all if that is another one.
 */
export function withoutHidden(
  due: DueNotice,
  { states, state_message }: NoticeObject,
): DueNotice | undefined {
  const required = OF_INVENTORY[due.event];
  if (required === undefined) return due;
  return Array.isArray(states) && states.some((state) => required.includes(state))
    ? { ...due, detail: String(state_message) }
    : undefined;
}

/** The members of a change record from which events are derived. */
interface EndpointRecord {
  readonly state?: string;
  readonly state_message?: string;
  readonly states?: readonly string[];
  readonly source?: string;
}

/**
 * Returns the events of endpoints among these changes. An agent that stopped reporting is one event, not one
 * for each of its endpoints.
 */
export function endpointOccurrences(changes: readonly ChangeRow[]): NoticeOccurrence[] {
  const silent = new Set<string>();
  return changes.flatMap((change): NoticeOccurrence[] => {
    if (change.object_type !== endpoints.objectType || change.action !== "update") return [];
    const before: EndpointRecord = change.prechange ?? {};
    const after: EndpointRecord = change.postchange ?? {};
    const { object_type: objectType, object_id: objectId, time } = change;
    const about = { objectType, objectId, time, detail: after.state_message ?? "" };
    if (after.state === "unreachable" && about.detail.startsWith(SILENT_AGENT)) {
      const agent = String(after.source);
      if (silent.has(agent)) return [];
      silent.add(agent);
      return [{ ...about, event: "agent_silent" }];
    }
    const isFine = (record: EndpointRecord): boolean => HEALTHY.includes(record.state ?? "");
    if (isFine(after)) {
      const was = before.state !== undefined && before.state !== "pending" && !isFine(before);
      return was ? [{ ...about, event: "endpoint_recovered" }] : [];
    }
    const has = ({ states = [] }: EndpointRecord, some: readonly string[]): boolean =>
      states.some((state) => some.includes(state));
    return EVENTS.flatMap(([event, some]) =>
      has(after, some) && !has(before, some) ? [{ ...about, event }] : []
    );
  });
}
