/** Finds the certificates that have passed a threshold since they were last looked at. */

import { type SQL, sql } from "drizzle-orm";
import { DAY_MS, type Millis, startOfDay } from "../../../base/clock.ts";
import { parseThreshold } from "../../../base/expiry_threshold.ts";
import { CLOCK_TOLERANCE_MS, NOTICE_BATCH } from "../../../base/limits.ts";
import { idsIn, jsonText, type Reader, type Row } from "../../../db/mod.ts";
import type { Notified } from "./judge.ts";

/** A certificate that has passed a threshold. */
export interface Due extends Notified {
  readonly id: number;
}

/** What a run looks for. */
export interface Search {
  readonly now: Millis;
  /** Thresholds of the service. */
  readonly thresholds: readonly string[];
}

/** Place in the order of `valid_to` and id. */
export interface Place {
  readonly validTo: Millis;
  readonly id: number;
}

/** The last moment that a database can hold: with parts of lifetimes there is no nearer end. */
const END_OF_TIME: Millis = 8_640_000_000_000_000;

/** Certificates of which an expiry may be announced: what migration 0004 has in its index, nothing else. */
const AWAITING = sql`FROM certificates INDEXED BY certificates_awaiting_expiry
  WHERE replaced_by_id IS NULL AND status IN ('active', 'pending')`;

/** The end of what must be looked at: no certificate that is valid beyond it can have passed a threshold. One statement. */
export async function horizon(reader: Reader, { now, thresholds }: Search): Promise<Millis> {
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

/** The place before everything that has not expired. Certificates end at whole seconds. */
export function beginning({ now }: Search): Place {
  return { validTo: Math.floor(now / 1000) * 1000, id: 0 };
}

/** Looks at the next certificates after a place; gives those that are due, and where they end if there are more. */
export async function nextDue(
  reader: Reader,
  search: Search,
  { after, end }: { after: Place; end: Millis },
): Promise<{ due: Due[]; last: Place | undefined }> {
  const batch = sql`${AWAITING} AND (valid_to, id) > (${after.validTo}, ${after.id}) AND valid_to < ${end}
    ORDER BY valid_to, id`;
  const [last = [], due = []] = await reader.batch([
    sql`SELECT valid_to, id ${batch} LIMIT 1 OFFSET ${NOTICE_BATCH - 1}`,
    dueSql(search, sql`${batch} LIMIT ${NOTICE_BATCH}`),
  ]);
  const [place] = last;
  return {
    due: due.map(readDue),
    last: place === undefined ? undefined : { validTo: place.valid_to as number, id: place.id as number },
  };
}

/** Those of some certificates that are due now. One statement. */
export async function stillDue(reader: Reader, search: Search, ids: readonly number[]): Promise<Due[]> {
  const { validTo } = beginning(search);
  const batch = sql`FROM certificates
    WHERE replaced_by_id IS NULL AND status IN ('active', 'pending') AND valid_to >= ${validTo} AND id IN ${
    idsIn(ids)
  }`;
  return (await reader.all<Row>(dueSql(search, batch))).map(readDue);
}

function readDue(row: Row): Due {
  return {
    id: row.id as number,
    validFrom: row.valid_from as number,
    validTo: row.valid_to as number,
    thresholds: JSON.parse(row.thresholds as string),
    passed: JSON.parse(row.passed as string),
  };
}

/**
 * Of a batch of certificates those with a threshold that is passed and not dealt with. What was dealt with in the
 * future was announced by a clock that was ahead, and is announced again when its time comes.
 */
function dueSql({ now, thresholds }: Search, batch: SQL): SQL {
  const dealtWith = sql`FROM expiry_notices_passed AS dealt
    WHERE dealt.certificate_id = one.id AND dealt.valid_to = one.valid_to
      AND dealt.passed_at <= ${now + CLOCK_TOLERANCE_MS}`;
  return sql`WITH one AS MATERIALIZED (
      SELECT id, valid_from, valid_to, coalesce(expiry_notices,
        (SELECT expiry_notices FROM tenants WHERE tenants.id = tenant_id), ${
    jsonText(thresholds)
  }) AS thresholds
      FROM (SELECT id, valid_from, valid_to, tenant_id, expiry_notices ${batch}))
    SELECT id, valid_from, valid_to, thresholds,
      (SELECT json_group_array(threshold) ${dealtWith}) AS passed
    FROM one WHERE EXISTS (
      SELECT 1 FROM json_each(thresholds) AS entry WHERE ${passedSql(sql`entry.value`, now)}
        AND NOT EXISTS (SELECT 1 ${dealtWith} AND dealt.threshold = entry.value))`;
}

/** `passedFrom(threshold) <= now` of `base/expiry_threshold.ts`, in integers too. */
function passedSql(threshold: SQL, now: Millis): SQL {
  const amount = sql`CAST(${threshold} AS INTEGER)`;
  return sql`CASE WHEN ${threshold} LIKE '%d' THEN valid_to < ${
    startOfDay(now) + DAY_MS
  } + ${amount} * ${DAY_MS}
    ELSE (valid_to - ${now}) * 100 <= ${amount} * (valid_to - valid_from) END`;
}
