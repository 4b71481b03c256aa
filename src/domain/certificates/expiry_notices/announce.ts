/** Creates events for certificates that expire soon. */

import { and, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { idsIn, insertRows, type Row, select, type Transaction } from "../../../db/mod.ts";
import { certificate_authorities, expiry_notices_passed } from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { type EventNotice, recordNotices } from "../../../changes/mod.ts";
import { loadForChange, snapshot } from "../../../resource/mod.ts";
import { type CertificateRow, certificates } from "../mod.ts";
import type { WebhookEvent } from "../../webhooks/mod.ts";
import {
  type DueCertificate,
  evaluateThresholds,
  lastRelevantExpiry,
  nextDue,
  type NoticeDecision,
  recheckDue,
  type Search,
  startPosition,
} from "./select_due.ts";

/** Number of expiry notices recorded in one transaction: each event contains the complete object. */
export const NOTICE_WRITE_BATCH = 100;

const EVENT: WebhookEvent = "certificate_expiring";

/** Counts of one run. */
interface ExpiryNoticesRun {
  /** Events that were created. */
  readonly announced: number;
  /** Thresholds without an event, because a nearer one was reached in the same run. */
  readonly skipped: number;
}

/**
 * Emits `certificate_expiring` once for each certificate and threshold that it reached. The transaction that
 * creates the event checks again and marks the threshold as passed, so several nodes can run this at the same
 * time. A batch of certificates takes two statements, and six more for each part for which events are
 * created.
 * @param signal Stops between two batches; the next run continues.
 */
export async function announceExpiries(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<ExpiryNoticesRun> {
  const { database, clock, settings } = ctx;
  const search: Search = { now: clock.now(), thresholds: settings.expiryNotices };
  const end = await lastRelevantExpiry(database, search);
  const total = { announced: 0, skipped: 0 };
  let after = startPosition(search);
  while (!signal?.aborted) {
    const { due, last } = await nextDue(database, search, { after, end });
    for (let from = 0; from < due.length && !signal?.aborted; from += NOTICE_WRITE_BATCH) {
      const ids = due.slice(from, from + NOTICE_WRITE_BATCH).map((one) => one.id);
      const done = await database.write((tx) => announceSome({ ctx, tx, search, ids }));
      total.announced += done.announced;
      total.skipped += done.skipped;
      await yieldToRequests();
    }
    if (last === undefined) break;
    after = last;
    await yieldToRequests();
  }
  return total;
}

/** Lets requests run between two parts of the work. */
function yieldToRequests(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

async function announceSome(
  { ctx, tx, search, ids }: { ctx: Context; tx: Transaction; search: Search; ids: readonly number[] },
): Promise<ExpiryNoticesRun> {
  const decided = (await recheckDue(tx, search, ids)).map((due) => ({
    due,
    decision: evaluateThresholds(due, search.now),
  }));
  const passing = decided.flatMap(({ due, decision }) => passedRows(due, decision, search));
  if (passing.length === 0) return { announced: 0, skipped: 0 };
  await tx.runAll([markPassed(passing)]);
  const announced = decided.flatMap(({ due, decision }) =>
    decision.announced === undefined ? [] : [{ id: due.id, threshold: decision.announced }]
  );
  const rows = await loadForChange(
    { ctx, tx, resource: certificates, allowed: EVERYTHING },
    announced.map(({ id }) => id),
  );
  const notes = await renewalNotes(tx, [...rows.values()]);
  const notices = announced.flatMap(({ id, threshold }) => {
    const row = rows.get(id);
    return row === undefined ? [] : [noticeOf(row, { threshold, ...notes.get(id) })];
  });
  await recordNotices(tx, ctx, notices);
  return { announced: notices.length, skipped: passing.length - notices.length };
}

function passedRows(
  { id, validTo }: DueCertificate,
  { announced, passing }: NoticeDecision,
  { now }: Search,
): Row[] {
  return passing.map((threshold) => ({
    certificate_id: id,
    threshold,
    valid_to: validTo,
    announced: Number(threshold === announced),
    passed_at: now,
  }));
}

/** Marks thresholds as passed, and replaces marks for an earlier validity period. */
function markPassed(rows: readonly Row[]): SQL {
  return sql`${insertRows(expiry_notices_passed, rows)} ON CONFLICT (certificate_id, threshold)
    DO UPDATE SET valid_to = excluded.valid_to, announced = excluded.announced, passed_at = excluded.passed_at`;
}

/** The renewal note in an event: the certificate's own, or that of its authority. */
interface RenewalNote {
  readonly renewal_note: string;
}

/**
 * Returns the renewal notes of certificates, by id. One statement, none if no note of an authority is needed.
 */
async function renewalNotes(
  tx: Transaction,
  rows: readonly CertificateRow[],
): Promise<Map<number, RenewalNote>> {
  const asked = rows.filter((row) => row.renewal_note === "" && row.issuing_ca_id !== null);
  const found = asked.length === 0 ? [] : await tx.all(
    select({ id: certificate_authorities.id, note: certificate_authorities.renewal_note })
      .from(certificate_authorities)
      .where(and(
        inArray(certificate_authorities.id, idsIn(asked.flatMap((row) => row.issuing_ca_id ?? []))),
        ne(certificate_authorities.renewal_note, ""),
      )),
  );
  const ofAuthorities = new Map(found.map(({ id, note }) => [id, note]));
  return new Map(rows.flatMap((row): [number, RenewalNote][] => {
    const note = row.renewal_note || ofAuthorities.get(row.issuing_ca_id ?? 0);
    return note ? [[row.id, { renewal_note: note }]] : [];
  }));
}

function noticeOf(row: CertificateRow, details: { threshold: string }): EventNotice {
  return {
    event: EVENT,
    objectType: certificates.objectType,
    objectId: row.id,
    snapshot: snapshot(certificates, row),
    details,
  };
}
