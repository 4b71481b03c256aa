/** Derives events from what has been open for too long. */

import { sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { DAY_MS } from "../../base/clock.ts";
import { recordNotices } from "../../changes/mod.ts";
import { certificate_signing_requests as requests, notice_events } from "../../db/schema/mod.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import { loadForChange, snapshot } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { signingRequests } from "../signing_requests/mod.ts";
import { eventNotice, type NoticeOccurrence, recordNoticeEvents } from "./derive_events.ts";

/** Days without an answer about the revocation of a certificate after which this is reported. */
const UNANSWERED_DAYS = 3;
const UNANSWERED = "certificate_revocation_unavailable";

/** Days after which an open signing request is reported. */
const OPEN_REQUEST_DAYS = 7;

/** Number of events of a kind that are derived at once. */
const BATCH = 100;

/**
 * Records requests that have been open for too long, and certificates without an answer about their revocation, but not
 * again while such an event exists. Three statements.
 */
export async function deriveOverdue(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  // Literals, because SQLite does not use the partial index for bound values.
  const open = sql`SELECT r.id FROM ${requests} AS r INDEXED BY certificate_signing_requests_open
    WHERE r.status IN ('pending', 'approved') AND r.created <= ${now - OPEN_REQUEST_DAYS * DAY_MS}
      AND NOT EXISTS (SELECT 1 FROM ${notice_events} AS known INDEXED BY notice_events_object
        WHERE known.event = 'request_open_too_long' AND known.object_type = ${signingRequests.objectType} AND known.object_id = r.id) LIMIT ${BATCH}`;
  const unanswered = sql`SELECT c.id, c.revocation_unanswered AS since FROM certificates AS c
    WHERE c.revocation_unanswered <= ${now - UNANSWERED_DAYS * DAY_MS} AND c.status IN ('active', 'pending')
      AND NOT EXISTS (SELECT 1 FROM ${notice_events} AS known INDEXED BY notice_events_object
        WHERE known.event = ${UNANSWERED} AND known.object_type = ${certificates.objectType} AND known.object_id = c.id
          AND known.time >= c.revocation_unanswered) LIMIT ${BATCH}`;
  await ctx.database.write(async (tx) => {
    const late = await tx.all<{ id: number }>(open);
    const silent = await tx.all<{ id: number }>(unanswered);
    const unheard = silent.map(({ id }): NoticeOccurrence => ({
      event: UNANSWERED,
      objectType: certificates.objectType,
      objectId: id,
      time: now,
    }));
    await recordNoticeEvents(tx, [
      ...unheard,
      ...late.map(({ id }): NoticeOccurrence => ({
        event: "request_open_too_long",
        objectType: signingRequests.objectType,
        objectId: id,
        time: now,
      })),
    ]);
    if (unheard.length === 0) return;
    const rows = await loadForChange(
      { ctx, tx, resource: certificates, allowed: EVERYTHING },
      silent.map(({ id }) => id),
    );
    await recordNotices(
      tx,
      ctx,
      unheard.flatMap((one) => {
        const row = rows.get(one.objectId);
        return row === undefined ? [] : eventNotice(one, snapshot(certificates, row));
      }),
    );
  });
}
