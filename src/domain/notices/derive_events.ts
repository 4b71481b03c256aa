/** Derives events from the change log. */

import { asc, eq, gt, lt, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { DAY_MS, type Millis } from "../../base/clock.ts";
import { pacer } from "../../base/pace.ts";
import {
  type EventNotice,
  readSnapshots,
  recordNotices,
  SNAPSHOTS,
  type Snapshots,
} from "../../changes/mod.ts";
import { deleteFrom, insertRows, type Reader, select, type Transaction, update } from "../../db/mod.ts";
import { notice_events, notice_progress, object_changes } from "../../db/schema/mod.ts";
import { endpoints, type FoundState } from "../endpoints/mod.ts";
import type { WebhookEvent } from "../webhooks/mod.ts";
import type { DueNotice } from "./collect_due.ts";
import type { NoticeEvent } from "./event_names.ts";
import type { NoticeObject } from "./read_details.ts";

/** Days for which events are kept: longer than the longest pause between two digests. */
const EVENT_KEPT_DAYS = 30;

/** Number of changes that are read at once to derive events: a few milliseconds. */
const CHANGE_BATCH = 100;

/**
 * The states of each event. The event occurs if an endpoint has one of them after a change that it had not
 * before.
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
  ["endpoint_wrong", ["wrong_certificate", "revoked"]],
  ["endpoint_superseded", ["superseded"]],
];
/** States that need no attention. Expiries are events of certificates. */
const HEALTHY = ["ok", "expiring"];
/** Events that follow from certificates of the inventory, with the states that a reader must see. */
const OF_INVENTORY: Partial<Record<NoticeEvent, readonly string[]>> = {
  endpoint_wrong: ["wrong_certificate", "revoked"],
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
  readonly state_reason?: string;
  readonly states?: readonly string[];
  readonly source?: string;
}

/**
 * Returns the events of endpoints among these changes. An agent that stopped reporting is one event, not one
 * for each of its endpoints.
 */
function endpointOccurrences(changes: readonly ChangeRow[]): NoticeOccurrence[] {
  const silent = new Set<string>();
  return changes.flatMap((change): NoticeOccurrence[] => {
    if (change.object_type !== endpoints.objectType || change.action !== "update") return [];
    const before: EndpointRecord = change.prechange ?? {};
    const after: EndpointRecord = change.postchange ?? {};
    const { object_type: objectType, object_id: objectId, time } = change;
    const about = { objectType, objectId, time, detail: after.state_message ?? "" };
    if (after.state === "unreachable" && after.state_reason === "silent_agent") {
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
    const added = new Set(after.states).difference(new Set(before.states));
    return EVENTS.flatMap(([event, some]) =>
      some.some((state) => added.has(state)) ? [{ ...about, event }] : []
    );
  });
}

/** Events of webhooks that occur together with those of subscriptions. */
const OF_WEBHOOKS: Partial<Record<NoticeEvent, WebhookEvent>> = {
  certificate_revoked: "certificate.revoked",
  certificate_revocation_unavailable: "certificate.revocation_unavailable",
  certificate_renewal_window_moved: "certificate.renewal_window_moved",
};

/** Returns the event of webhooks about an occurrence, if there is one. */
export function eventNotice(
  { event: name, objectType, objectId, detail }: NoticeOccurrence,
  snapshot: EventNotice["snapshot"] | null,
): EventNotice[] {
  const event = OF_WEBHOOKS[name];
  return event === undefined || snapshot === null
    ? []
    : [{ event, objectType, objectId, snapshot, details: detail === undefined ? {} : { detail } }];
}

const PROGRESS = "changes";
const CERTIFICATE = "certmgr.certificate";
const WEBHOOK = "extras.webhook";
/** Results of a chain validation that do not disrupt a service. */
const CHAIN_HOLDS = [null, "valid", "self_signed", "no_chain"];

/** Reads the change log from where the last call stopped. Two statements per batch of changes. */
export async function deriveFromChanges(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<number> {
  const pause = pacer();
  let derived = 0;
  while (!signal?.aborted) {
    const { read, events } = await ctx.database.write((tx) => deriveSome(ctx, tx));
    derived += events;
    if (read < CHANGE_BATCH) break;
    await pause();
  }
  return derived;
}

async function deriveSome(ctx: Context, tx: Transaction): Promise<{ read: number; events: number }> {
  const changes = await nextChanges(tx);
  const last = changes.at(-1);
  if (last === undefined) return { read: 0, events: 0 };
  const ofCertificates = changes.map((change) => ({ change, found: occurrencesOf(change) }));
  const occurrences = [...ofCertificates.flatMap(({ found }) => found), ...endpointOccurrences(changes)];
  await recordNoticeEvents(tx, occurrences);
  await recordNotices(
    tx,
    ctx,
    ofCertificates.flatMap(({ change, found }) =>
      found.flatMap((one) => eventNotice(one, change.postchange))
    ),
  );
  await tx.run(update(notice_progress).set({ last_id: last.id }).where(eq(notice_progress.name, PROGRESS)));
  return { read: changes.length, events: occurrences.length };
}

/** A change of an object as it is stored. */
export interface ChangeRow extends Snapshots {
  readonly id: number;
  readonly time: Millis;
  readonly action: string;
  readonly object_type: string;
  readonly object_id: number;
  readonly message: string;
}

async function nextChanges(reader: Reader): Promise<ChangeRow[]> {
  const { id, time, action, object_type, object_id, message } = object_changes;
  const from = select({ id: notice_progress.last_id }).from(notice_progress)
    .where(eq(notice_progress.name, PROGRESS));
  const changes = await reader.all(
    select({ id, time, action, object_type, object_id, message, snapshots: SNAPSHOTS })
      .from(object_changes).where(gt(id, sql`(${from})`)).orderBy(asc(id)).limit(CHANGE_BATCH),
  );
  return changes.map(({ snapshots, ...change }) => ({ ...change, ...readSnapshots(snapshots) }));
}

function occurrencesOf(change: ChangeRow): NoticeOccurrence[] {
  const { action, object_type: objectType, object_id: objectId, time } = change;
  if (action === "delete" || objectType !== CERTIFICATE && objectType !== WEBHOOK) return [];
  // deno-lint-ignore no-explicit-any
  const [before, after]: any[] = [change.prechange ?? {}, change.postchange ?? {}];
  const about = { objectType, objectId, time };
  if (objectType === WEBHOOK) {
    const disabled = before.enabled === true && after.enabled === false && after.disabled_reason !== "";
    return disabled ? [{ ...about, event: "webhook_disabled" }] : [];
  }
  const occurrences: NoticeOccurrence[] = [];
  if (action === "create") occurrences.push({ ...about, event: "new_certificate" });
  const via = String(after.discovered_via ?? "");
  if (action === "create" && via.includes("endpoint ")) {
    occurrences.push({ ...about, event: "unknown_served", detail: via });
  }
  if (action === "update" && before.replaced_by === null && after.replaced_by !== null) {
    occurrences.push({ ...about, event: "renewed" });
  }
  // The authority said so, or somebody has set the status.
  const isRevoked = (one: { status?: string; revocation_status?: string }): boolean =>
    one.status === "revoked" || one.revocation_status === "revoked";
  if (action === "update" && !isRevoked(before) && isRevoked(after)) {
    occurrences.push({ ...about, event: "certificate_revoked", detail: change.message });
  }
  const [from, to] = [Date.parse(before.renewal_window_start), Date.parse(after.renewal_window_start)];
  if (to <= from - DAY_MS) {
    const detail = after.renewal_window_start;
    occurrences.push({ ...about, event: "certificate_renewal_window_moved", detail });
  }
  const holds = ({ chain_status = null }): boolean => CHAIN_HOLDS.includes(chain_status);
  // The expiry of the certificate itself has its own events.
  const hasExpired = after.chain_status === "expired" && Date.parse(after.valid_to) <= time;
  if (!hasExpired && !holds(after) && (action === "create" || holds(before))) {
    occurrences.push({ ...about, event: "chain_broken", detail: String(after.chain_status) });
  }
  return occurrences;
}

/** Deletes events that every digest has reported. One statement. */
export async function pruneEvents(ctx: Context): Promise<number> {
  const before = ctx.clock.now() - EVENT_KEPT_DAYS * DAY_MS;
  return await ctx.database.write((tx) =>
    tx.run(deleteFrom(notice_events).where(lt(notice_events.time, before)))
  );
}

/** Something that happened to an object. */
export interface NoticeOccurrence {
  readonly event: NoticeEvent;
  readonly objectType: string;
  readonly objectId: number;
  /** Added to the message. It must not contain anything that a user who may view the object may not know. */
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
