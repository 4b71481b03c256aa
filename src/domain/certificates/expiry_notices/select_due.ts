/** Finds the certificates that reached a threshold since the last run, and decides which threshold gets an event. */

import { type SQL, sql } from "drizzle-orm";
import { DAY_MS, type Millis, startOfDay } from "../../../base/clock.ts";
import {
  type ExpiryThreshold,
  parseThreshold,
  passedFrom,
  type Validity,
} from "../../../base/expiry_threshold.ts";
import { idsIn, jsonText, readBatch, type Reader } from "../../../db/mod.ts";
import { unarchived } from "../mod.ts";

/** A certificate's validity, its thresholds, and those that it had reached before. */
interface NoticeState extends Validity {
  readonly thresholds: readonly string[];
  /** Thresholds that are marked as passed for this validity, including removed ones. */
  readonly passed: readonly string[];
}

export interface NoticeDecision {
  /** The nearest threshold that was reached; undefined if it or a nearer one had an event already. */
  readonly announced: string | undefined;
  /** All thresholds that are reached now and were not before, including `announced`. */
  readonly passing: readonly string[];
}

/**
 * Evaluates the thresholds of a certificate. If several are reached at once, only the nearest gets an event.
 */
export function evaluateThresholds(
  { thresholds, passed, ...validity }: NoticeState,
  now: Millis,
): NoticeDecision {
  const at = (text: string): Millis => {
    const threshold: ExpiryThreshold | undefined = parseThreshold(text);
    return threshold === undefined ? Infinity : passedFrom(threshold, validity);
  };
  const reached = thresholds.filter((text) => at(text) <= now);
  const passing = reached.filter((text) => !passed.includes(text));
  const latest = Math.max(...passed.map(at).filter((time) => time <= now));
  const nearest = reached.toSorted((one, other) => at(other) - at(one))[0];
  const announced = nearest !== undefined && !passed.includes(nearest) && at(nearest) > latest
    ? nearest
    : undefined;
  return { announced, passing };
}

/** Number of certificates that one statement checks: a few milliseconds. */
export const NOTICE_BATCH = 1_000;
/**
 * Tolerated difference between the clocks of processes. A recorded notice that is further in the future was
 * made with a wrong clock.
 */
const CLOCK_TOLERANCE_MS = 3_600_000;

/** A certificate that has reached a threshold for which it had no event yet. */
export interface DueCertificate extends NoticeState {
  readonly id: number;
}

/** Parameters of a run. */
export interface Search {
  readonly now: Millis;
  /** Thresholds of the service. */
  readonly thresholds: readonly string[];
}

/** A position in the order of `valid_to`, id. */
interface ExpiryPosition {
  readonly validTo: Millis;
  readonly id: number;
}

/** The last time that a `Date` can hold. */
const END_OF_TIME: Millis = 8_640_000_000_000_000;

/** Certificates that can get an event: the condition of the index in migration 0004, and not archived. */
const AWAITING = sql`FROM certificates INDEXED BY certificates_awaiting_expiry
  WHERE replaced_by_id IS NULL AND status IN ('active', 'pending') AND ${unarchived("certificates")}`;

/**
 * Returns a time after which no expiry can have reached a threshold. There is no such limit for thresholds in
 * percent of the lifetime. One statement.
 */
export async function lastRelevantExpiry(reader: Reader, { now, thresholds }: Search): Promise<Millis> {
  const lists = await reader.all<{ list: string }>(
    sql`SELECT expiry_notices AS list FROM tenants WHERE expiry_notices > ''
      UNION SELECT expiry_notices FROM certificates WHERE expiry_notices > ''`,
  );
  const texts = [...thresholds, ...lists.flatMap(({ list }): string[] => JSON.parse(list))];
  let days = -1;
  for (const text of texts) {
    const threshold = parseThreshold(text);
    if (threshold?.unit === "percent") return END_OF_TIME;
    days = Math.max(days, threshold?.amount ?? -1);
  }
  return startOfDay(now) + (days + 1) * DAY_MS;
}

/** Returns the position before the first certificate that has not expired, in whole seconds as `valid_to`. */
export function startPosition({ now }: Search): ExpiryPosition {
  return { validTo: Math.floor(now / 1000) * 1000, id: 0 };
}

/**
 * Reads a batch of certificates after a position. Returns those that are due, and the last position if there
 * are more.
 */
export async function nextDue(
  reader: Reader,
  search: Search,
  { after, end }: { after: ExpiryPosition; end: Millis },
): Promise<{ due: DueCertificate[]; last: ExpiryPosition | undefined }> {
  const batch = sql`${AWAITING} AND (valid_to, id) > (${after.validTo}, ${after.id}) AND valid_to < ${end}
    ORDER BY valid_to, id`;
  const [last, due] = await readBatch(reader, [
    sql<{ valid_to: number; id: number }>`SELECT valid_to, id ${batch} LIMIT 1 OFFSET ${NOTICE_BATCH - 1}`,
    dueSql(search, sql`${batch} LIMIT ${NOTICE_BATCH}`),
  ]);
  const [position] = last;
  return {
    due: due.map(readDue),
    last: position === undefined ? undefined : { validTo: position.valid_to, id: position.id },
  };
}

/** Returns which of these certificates are due now. One statement. */
export async function recheckDue(
  reader: Reader,
  search: Search,
  ids: readonly number[],
): Promise<DueCertificate[]> {
  const { validTo } = startPosition(search);
  const batch = sql`FROM certificates
    WHERE replaced_by_id IS NULL AND status IN ('active', 'pending') AND valid_to >= ${validTo} AND id IN ${
    idsIn(ids)
  } AND ${unarchived("certificates")}`;
  return (await reader.all<DueRow>(dueSql(search, batch))).map(readDue);
}

/** A due certificate, with its lists as JSON. */
type DueRow = Record<"id" | "valid_from" | "valid_to", number> & Record<"thresholds" | "passed", string>;

function readDue({ id, valid_from, valid_to, thresholds, passed }: DueRow): DueCertificate {
  return {
    id,
    validFrom: valid_from,
    validTo: valid_to,
    thresholds: JSON.parse(thresholds),
    passed: JSON.parse(passed),
  };
}

/**
 * Selects certificates of a batch with a threshold that is reached but not marked as passed. A mark in the
 * future was set with a clock that was ahead. It is ignored, so that the threshold has its event at the right
 * time.
 */
function dueSql({ now, thresholds }: Search, batch: SQL): SQL<DueRow> {
  const marksOf = sql`FROM expiry_notices_passed AS mark
    WHERE mark.certificate_id = one.id AND mark.valid_to = one.valid_to
      AND mark.passed_at <= ${now + CLOCK_TOLERANCE_MS}`;
  return sql<DueRow>`WITH one AS MATERIALIZED (
      SELECT id, valid_from, valid_to, coalesce(expiry_notices,
        (SELECT expiry_notices FROM tenants WHERE tenants.id = tenant_id), ${
    jsonText(thresholds)
  }) AS thresholds
      FROM (SELECT id, valid_from, valid_to, tenant_id, expiry_notices ${batch}))
    SELECT id, valid_from, valid_to, thresholds,
      (SELECT json_group_array(threshold) ${marksOf}) AS passed
    FROM one WHERE EXISTS (
      SELECT 1 FROM json_each(thresholds) AS entry WHERE ${passedSql(sql`entry.value`, now)}
        AND NOT EXISTS (SELECT 1 ${marksOf} AND mark.threshold = entry.value))`;
}

/**
 * Returns `passedFrom(threshold) <= now` of `base/expiry_threshold.ts` for the columns of a certificate, also
 * with integers only. A threshold that is the same for all rows costs one comparison; an expression is
 * evaluated for each row.
 */
export function passedSql(threshold: SQL | ExpiryThreshold, now: Millis): SQL {
  const days = (amount: SQL | number): SQL =>
    sql`valid_to < ${startOfDay(now) + DAY_MS} + ${amount} * ${DAY_MS}`;
  const percent = (amount: SQL | number): SQL =>
    sql`(valid_to - ${now}) * 100 <= ${amount} * (valid_to - valid_from)`;
  if ("unit" in threshold) {
    return threshold.unit === "days" ? days(threshold.amount) : percent(threshold.amount);
  }
  const amount = sql`CAST(${threshold} AS INTEGER)`;
  return sql`CASE WHEN ${threshold} LIKE '%d' THEN ${days(amount)} ELSE ${percent(amount)} END`;
}
