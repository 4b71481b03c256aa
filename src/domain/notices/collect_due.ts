/** Finds the notices that are due for a subscription: thresholds, expiries, events, escalations. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { DAY_MS, type Millis, startOfDay } from "../../base/clock.ts";
import { pacer } from "../../base/pace.ts";
import { parseThreshold } from "../../base/expiry_threshold.ts";
import type { Database } from "../../db/mod.ts";
import { notice_responses, notices, subscriptions } from "../../db/schema/mod.ts";
import { type CertificateRow, certificates } from "../certificates/mod.ts";
import { evaluateThresholds, passedSql } from "../certificates/expiry_notices/select_due.ts";
import type { NoticeEvent } from "./event_names.ts";
import type { LoadedSubscription } from "./load_subscriptions.ts";
import { type ExpiryWindows, expiryWindows, MAX_DUE_NOTICES, readEvents } from "./shared_reads.ts";
import { coveredSql, coveredSubjects, type SubjectKey } from "./subjects.ts";

/** Days for which an expired certificate may still be reported. */
const EXPIRED_REPORT_DAYS = 30;

/** A notice that is due for a subscription. */
export interface DueNotice extends SubjectKey {
  readonly event: NoticeEvent;
  readonly detail: string;
  /** Whether it escalates an earlier notice of another subscription that nobody acknowledged. */
  readonly escalated?: true;
}

/** Identifies a notice that a subscription gets only once. */
export interface NotifiedOccasion {
  readonly objectId: number;
  readonly event: NoticeEvent;
  /**
   * The threshold or origin, and the expiry to which it belongs, because a changed expiry is a new occasion.
   */
  readonly occasion: string;
}

/** Due notices, and the records that prevent them from becoming due again. */
interface DueNotices {
  readonly notices: readonly DueNotice[];
  readonly notified: readonly NotifiedOccasion[];
  readonly lastEventId: number;
}

const TYPE = certificates.objectType;
/** Certificates that still need attention. */
const OPEN = sql`certificates.replaced_by_id IS NULL`;

/** Certificates of which subscribers are notified before they expire. */
const AWAITING = sql`FROM certificates INDEXED BY certificates_awaiting_expiry
  WHERE certificates.replaced_by_id IS NULL AND certificates.status IN ('active', 'pending')`;
/**
 * Replaced certificates that an endpoint still serves. Subscribers are notified of these, too, because the
 * successor is not deployed everywhere.
 */
const STILL_SERVED =
  sql`FROM (SELECT DISTINCT certificate_id FROM endpoints INDEXED BY endpoints_behind WHERE watch_step IS NOT NULL) AS behind
  CROSS JOIN certificates ON certificates.id = behind.certificate_id
  WHERE certificates.replaced_by_id IS NOT NULL AND certificates.status IN ('active', 'pending', 'replaced')`;

/** Certificates of which subscribers are notified after they have expired. */
const EXPIRED = sql`FROM certificates INDEXED BY certificates_status_valid_to
  WHERE ${OPEN} AND certificates.status IN ('active', 'pending', 'expired')`;

/** Reads that all subscriptions of a run share. */
export interface SharedReads {
  readonly awaiting: ExpiryWindows;
  readonly expired: ExpiryWindows;
}

/** Returns the shared reads of a new run. */
export function sharedReads(database: Database): SharedReads {
  return {
    awaiting: expiryWindows(database, AWAITING),
    expired: expiryWindows(database, EXPIRED),
  };
}

/**
 * Finds what is due and covered by the subscription. A few statements, and one for each window of
 * certificates that may be due. `thresholds` says whether to search for expiries, or only for events.
 */
export async function collectDue(
  ctx: Context,
  subscription: LoadedSubscription,
  { thresholds, shared }: { thresholds: boolean; shared: SharedReads },
): Promise<DueNotices> {
  const { events, filter } = subscription;
  const pause = pacer();
  const logged = await readEvents(ctx.database, subscription);
  const within = { subscription, shared };
  const notices = await coveredSubjects(ctx, { keys: logged.notices, filter });
  await pause();
  const parts: Pick<DueNotices, "notices" | "notified">[] = [{ notices, notified: [] }];
  const covered = thresholds ? coveredSql(ctx, filter) : undefined;
  if (covered !== undefined) {
    if (events.includes("expiring")) parts.unshift(await expiring(ctx, within, covered));
    await pause();
    if (events.includes("expired")) parts.unshift(await expired(ctx, within, covered));
    await pause();
  }
  if (thresholds) parts.unshift(await escalated(ctx, subscription));
  return {
    notices: parts.flatMap((part) => part.notices),
    notified: parts.flatMap((part) => part.notified),
    lastEventId: logged.lastEventId,
  };
}

function notifiedSql({ id }: LoadedSubscription, event: NoticeEvent): SQL {
  return sql`SELECT n.occasion FROM ${notices} AS n WHERE n.subscription_id = ${id}
    AND n.certificate_id = certificates.id AND n.event = ${event}`;
}

/** Returns the condition that someone has snoozed the certificate, or, if `acknowledged`, acknowledged it. */
function respondedSql(now: Millis, { acknowledged }: { acknowledged: boolean }): SQL {
  return sql`EXISTS (SELECT 1 FROM ${notice_responses} AS r WHERE r.certificate_id = certificates.id
    AND r.valid_to = certificates.valid_to AND (r.snoozed_until > ${now}${
    acknowledged ? sql` OR r.snoozed_until IS NULL` : sql``
  }))`;
}

/** A subscription, and the reads that it shares with others. */
interface SharedSubscription {
  readonly subscription: LoadedSubscription;
  readonly shared: SharedReads;
}

/** A certificate, and the occasions for which the subscription got notices, as a JSON list. */
type ExpiringRow = Pick<CertificateRow, "id" | "valid_from" | "valid_to"> & { readonly notified: string };

/** Reads windows until they end or have enough rows, with pauses. */
async function readWindows(
  { database }: Context,
  { windows, from, end }: { windows: ExpiryWindows; from: Millis; end: Millis },
  statement: (inside: SQL, limit: number) => SQL,
): Promise<ExpiringRow[]> {
  const pause = pacer();
  const rows: ExpiringRow[] = [];
  for (let next = from; next < end && rows.length < MAX_DUE_NOTICES;) {
    const window = await windows(next, end);
    const inside = sql`certificates.valid_to >= ${window.from} AND certificates.valid_to < ${window.to}`;
    rows.push(...await database.all<ExpiringRow>(statement(inside, MAX_DUE_NOTICES - rows.length)));
    next = window.to;
    await pause();
  }
  return rows;
}

async function expiring(
  ctx: Context,
  { subscription, shared }: SharedSubscription,
  covered: SQL,
): Promise<Pick<DueNotices, "notices" | "notified">> {
  const now = ctx.clock.now();
  const notified = notifiedSql(subscription, "expiring");
  const passedAnew = subscription.thresholds.flatMap((text) => {
    const threshold = parseThreshold(text);
    return threshold === undefined ? [] : [
      sql`(${passedSql(threshold, now)}
        AND NOT EXISTS (${notified} AND n.occasion = ${`${text}@`} || certificates.valid_to))`,
    ];
  });
  if (passedAnew.length === 0) return { notices: [], notified: [] };
  const from = Math.floor(now / 1000) * 1000;
  const end = horizon(subscription.thresholds, now);
  const rowsOf = (candidates: SQL, inside: SQL, limit: number): SQL =>
    sql`SELECT certificates.id, certificates.valid_from, certificates.valid_to,
        (SELECT json_group_array(occasion) FROM (${notified})) AS notified
      ${candidates} AND ${inside} AND ${covered}
        AND NOT ${respondedSql(now, { acknowledged: true })}
        AND (${sql.join(passedAnew, sql` OR `)})
      ORDER BY certificates.valid_to, certificates.id LIMIT ${limit}`;
  const search = { windows: shared.awaiting, from, end };
  const rows = await readWindows(ctx, search, (inside, limit) => rowsOf(AWAITING, inside, limit));
  const all = sql`certificates.valid_to >= ${from} AND certificates.valid_to < ${end}`;
  rows.push(...await ctx.database.all<ExpiringRow>(rowsOf(STILL_SERVED, all, MAX_DUE_NOTICES)));
  const found = rows.map(({ id, valid_from: validFrom, valid_to: validTo, notified }) => {
    const suffix = `@${validTo}`;
    const occasions: string[] = JSON.parse(notified);
    const passed = occasions.filter((one) => one.endsWith(suffix)).map((one) => one.slice(0, -suffix.length));
    const { announced, passing } = evaluateThresholds(
      { thresholds: subscription.thresholds, passed, validFrom, validTo },
      now,
    );
    return { id, announced, occasions: passing.map((threshold) => threshold + suffix) };
  });
  return {
    notices: found.flatMap(({ id, announced }) => announced === undefined ? [] : [about("expiring", id)]),
    notified: found.flatMap(({ id: objectId, occasions }) =>
      occasions.map((occasion): NotifiedOccasion => ({ objectId, event: "expiring", occasion }))
    ),
  };
}

/** Returns the time after which no expiry can have reached a threshold. */
function horizon(thresholds: readonly string[], now: Millis): Millis {
  const parsed = thresholds.flatMap((text) => parseThreshold(text) ?? []);
  if (parsed.some(({ unit }) => unit === "percent")) return Number.MAX_SAFE_INTEGER;
  return startOfDay(now) + (Math.max(-1, ...parsed.map(({ amount }) => amount)) + 1) * DAY_MS;
}

async function expired(
  ctx: Context,
  { subscription, shared }: SharedSubscription,
  covered: SQL,
): Promise<Pick<DueNotices, "notices" | "notified">> {
  const now = ctx.clock.now();
  const since = Math.max(subscription.created, startOfDay(now) - EXPIRED_REPORT_DAYS * DAY_MS);
  const search = { windows: shared.expired, from: since, end: Math.floor(now / 1000) * 1000 };
  const rows = await readWindows(
    ctx,
    search,
    (inside, limit) =>
      sql`SELECT certificates.id, certificates.valid_to ${EXPIRED} AND ${inside}
      AND ${covered} AND NOT ${respondedSql(now, { acknowledged: false })}
      AND NOT EXISTS (${notifiedSql(subscription, "expired")} AND n.occasion = '@' || certificates.valid_to)
      ORDER BY certificates.valid_to, certificates.id LIMIT ${limit}`,
  );
  return onceEach("expired", "", rows);
}

/** Returns notices of subscriptions that escalate to this one, if nobody has responded to them in time. */
async function escalated(
  ctx: Context,
  subscription: LoadedSubscription,
): Promise<Pick<DueNotices, "notices" | "notified">> {
  const now = ctx.clock.now();
  const seen = coveredSql(ctx, null);
  if (seen === undefined) return { notices: [], notified: [] };
  const { notices: found, notified } = onceEach(
    "expiring",
    "escalated",
    await ctx.database.all<ExpiringRow>(
      sql`SELECT DISTINCT certificates.id, certificates.valid_to
        FROM ${subscriptions} AS source CROSS JOIN ${notices} AS first ON first.subscription_id = source.id
          AND first.event = 'expiring'
        CROSS JOIN certificates ON certificates.id = first.certificate_id
        WHERE source.escalate_to_id = ${subscription.id} AND source.enabled = 1
          AND first.time <= ${now} - source.escalate_after_days * ${DAY_MS}
          AND first.occasion LIKE '%@' || certificates.valid_to
          AND ${OPEN} AND certificates.status IN ('active', 'pending', 'expired') AND ${seen}
          AND NOT ${respondedSql(now, { acknowledged: true })}
          AND NOT EXISTS (${notifiedSql(subscription, "expiring")}
            AND n.occasion = 'escalated@' || certificates.valid_to)
        ORDER BY certificates.valid_to, certificates.id LIMIT ${MAX_DUE_NOTICES}`,
    ),
  );
  return { notices: found.map((one) => ({ ...one, escalated: true })), notified };
}

function onceEach(
  event: NoticeEvent,
  origin: string,
  rows: readonly ExpiringRow[],
): { notices: DueNotice[]; notified: NotifiedOccasion[] } {
  return {
    notices: rows.map((row) => about(event, row.id)),
    notified: rows.map((row) => ({
      objectId: row.id,
      event,
      occasion: `${origin}@${row.valid_to}`,
    })),
  };
}

function about(event: NoticeEvent, objectId: number): DueNotice {
  return { event, objectType: TYPE, objectId, detail: "" };
}
