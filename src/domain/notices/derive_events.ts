/** Derives events from the change log, from open requests, and from failing jobs. */

import { and, asc, eq, gt, gte, lt, not, type SQL, sql, type SQLWrapper } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { DAY_MS, type Millis } from "../../base/clock.ts";
import { pacer } from "../../base/pace.ts";
import { readSnapshots, SNAPSHOTS, type Snapshots } from "../../changes/mod.ts";
import {
  deleteFrom,
  insertInto,
  insertRows,
  type Reader,
  select,
  type Transaction,
  update,
} from "../../db/mod.ts";
import {
  certificate_signing_requests as requests,
  job_failures,
  notice_events,
  notice_progress,
  object_changes,
} from "../../db/schema/mod.ts";
import { CHANGE_BATCH, EVENT_KEPT_DAYS, JOB_FAILURES, OPEN_REQUEST_DAYS } from "./limits.ts";
import { endpointOccurrences } from "./endpoint_events.ts";
import { JOB_TYPE, type NoticeEvent } from "./event_names.ts";

const PROGRESS = "changes";
const CERTIFICATE = "certmgr.certificate";
const WEBHOOK = "extras.webhook";
const REQUEST = "certmgr.certificatesigningrequest";
/** Results of a chain validation that do not disrupt a service. */
const CHAIN_HOLDS = [null, "valid", "self_signed", "no_chain"];

/** Reads the change log from where the last call stopped. Two statements per batch of changes. */
export async function deriveFromChanges(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<number> {
  const pause = pacer();
  let derived = 0;
  while (!signal?.aborted) {
    const { read, events } = await ctx.database.write((tx) => deriveSome(tx));
    derived += events;
    if (read < CHANGE_BATCH) break;
    await pause();
  }
  return derived;
}

async function deriveSome(tx: Transaction): Promise<{ read: number; events: number }> {
  const changes = await nextChanges(tx);
  const last = changes.at(-1);
  if (last === undefined) return { read: 0, events: 0 };
  const occurrences = [...changes.flatMap(occurrencesOf), ...endpointOccurrences(changes)];
  await recordNoticeEvents(tx, occurrences);
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
}

async function nextChanges(reader: Reader): Promise<ChangeRow[]> {
  const { id, time, action, object_type, object_id } = object_changes;
  const from = select({ id: notice_progress.last_id }).from(notice_progress)
    .where(eq(notice_progress.name, PROGRESS));
  const changes = await reader.all(
    select({ id, time, action, object_type, object_id, snapshots: SNAPSHOTS })
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
  const holds = ({ chain_status = null }): boolean => CHAIN_HOLDS.includes(chain_status);
  // The expiry of the certificate itself has its own events.
  const hasExpired = after.chain_status === "expired" && Date.parse(after.valid_to) <= time;
  if (!hasExpired && !holds(after) && (action === "create" || holds(before))) {
    occurrences.push({ ...about, event: "chain_broken", detail: String(after.chain_status) });
  }
  return occurrences;
}

/**
 * Records requests that have been open for too long, and jobs that fail, but not again while such an event
 * exists. Two statements.
 */
export async function deriveOverdue(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  const known = (event: string, objectType: string, id: SQLWrapper): SQL =>
    sql`EXISTS (SELECT 1 FROM ${notice_events} AS known INDEXED BY notice_events_object WHERE known.event = ${event}
      AND known.object_type = ${objectType} AND known.object_id = ${id})`;
  // Literals, because SQLite does not use the partial index for bound values.
  const open = sql`SELECT r.id FROM ${requests} AS r INDEXED BY certificate_signing_requests_open
    WHERE r.status IN ('pending', 'approved') AND r.created <= ${now - OPEN_REQUEST_DAYS * DAY_MS}
      AND NOT ${known("request_open_too_long", REQUEST, sql`r.id`)} LIMIT ${CHANGE_BATCH}`;
  const { id: jobId, name, failures, error } = job_failures;
  const failing = select({ id: jobId, name, error }).from(job_failures).where(and(
    gte(failures, JOB_FAILURES),
    not(known("job_failing", JOB_TYPE, jobId)),
  ));
  await ctx.database.write(async (tx) => {
    const [late, jobs] = [await tx.all<{ id: number }>(open), await tx.all(failing)];
    await recordNoticeEvents(tx, [
      ...late.map(({ id }): NoticeOccurrence => ({
        event: "request_open_too_long",
        objectType: REQUEST,
        objectId: id,
        time: now,
      })),
      ...jobs.map((job): NoticeOccurrence => ({
        event: "job_failing",
        objectType: JOB_TYPE,
        objectId: job.id,
        detail: `${job.name}: ${job.error}`,
        time: now,
      })),
    ]);
  });
}

/** Deletes events that every digest has reported. One statement. */
export async function pruneEvents(ctx: Context): Promise<number> {
  const before = ctx.clock.now() - EVENT_KEPT_DAYS * DAY_MS;
  return await ctx.database.write((tx) =>
    tx.run(deleteFrom(notice_events).where(lt(notice_events.time, before)))
  );
}

/** Counts the consecutive failures of a job; 0 after a success. One statement. */
export async function recordJobResult(
  ctx: Context,
  { name, error }: { name: string; error?: string },
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.database.write(async (tx) => {
    if (error === undefined) await tx.run(deleteFrom(job_failures).where(eq(job_failures.name, name)));
    else {
      await tx.run(
        insertInto(job_failures).values({ name, failures: 1, since: now, error }).onConflictDoUpdate({
          target: job_failures.name,
          set: { failures: sql`${job_failures.failures} + 1`, error },
        }),
      );
    }
  });
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
async function recordNoticeEvents(
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
