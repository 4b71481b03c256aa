/** Statements of the overview. They read one covering index instead of the wide rows. */

import { type SQL, sql } from "drizzle-orm";
import { DAY_MS, type Millis } from "../../../base/clock.ts";
import { where } from "../../../db/mod.ts";
import { columnOf } from "../../../resource/mod.ts";
import {
  EXPIRY_STATUSES,
  type ExpiryContext,
  expiryStatusSql,
  overdueSql,
  unarchived,
} from "../../certificates/mod.ts";

const WEEK_MS = 7 * DAY_MS;
const LISTED = unarchived("certificates");
const LIVE = sql`certificates.status IN ('active', 'pending') AND ${LISTED}`;

/** Returns `status`, `n`. */
export function statusesSql(seen: SQL | undefined): SQL {
  return sql`SELECT status, count(*) AS n FROM certificates${where(LISTED, seen)} GROUP BY status`;
}

/** One row: `overdue`, and how many of these are `assigned`; the whole range of expired certificates is small. */
export function overdueCountsSql(
  seen: SQL | undefined,
  { now, assignmentsSeen }: { now: Millis; assignmentsSeen: SQL | undefined },
): SQL {
  return sql`SELECT count(*) AS overdue, count(*) FILTER (WHERE EXISTS (SELECT 1 FROM certificate_assignments${
    where(sql`certificate_assignments.certificate_id = certificates.id`, assignmentsSeen)
  })) AS assigned FROM certificates${where(overdueSql(true, { alias: "certificates", now }), LISTED, seen)}`;
}

/** Returns one row with a count per expiry status. */
export function expirySql(seen: SQL | undefined, context: ExpiryContext): SQL {
  const counts = EXPIRY_STATUSES.map((status) =>
    sql`count(*) FILTER (WHERE ${expiryStatusSql(status, context)}) AS ${sql.identifier(status)}`
  );
  return sql`SELECT ${sql.join(counts, sql`, `)} FROM certificates${where(LIVE, seen)}`;
}

/** Returns `month` (`2026-11`), `n` of certificates that have not expired. */
export function forecastSql(seen: SQL | undefined, now: Millis): SQL {
  return sql`SELECT strftime('%Y-%m', valid_to / 1000, 'unixepoch') AS month, count(*) AS n
    FROM certificates${where(LIVE, sql`certificates.valid_to >= ${now}`, seen)} GROUP BY month`;
}

/** Returns `week` (0 begins today), `part` (the id in `column`, or null), `n` of certificates that have not expired. */
export function weeksSql(
  seen: SQL | undefined,
  { now, count, column }: { now: Millis; count: number; column: "tenant_id" | "issuing_ca_id" },
): SQL {
  const start = startOfDay(now);
  const part = columnOf("certificates", column);
  return sql`SELECT (valid_to - ${start}) / ${WEEK_MS} AS week, ${part} AS part, count(*) AS n FROM certificates${
    where(
      LIVE,
      sql`certificates.valid_to >= ${now} AND certificates.valid_to < ${start + count * WEEK_MS}`,
      seen,
    )
  } GROUP BY week, part`;
}

/** Returns the first days of weeks (`2026-11-20`), beginning today. */
export function weeksFrom(now: Millis, count: number): string[] {
  return Array.from(
    { length: count },
    (_, week) => new Date(startOfDay(now) + week * WEEK_MS).toISOString().slice(0, 10),
  );
}

function startOfDay(now: Millis): Millis {
  return now - now % DAY_MS;
}

/** Returns names of months (`2026-11`), beginning with that of `now`. */
export function monthsFrom(now: Millis, count: number): string[] {
  const first = new Date(now);
  return Array.from({ length: count }, (_, index) => {
    const month = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index, 1));
    return month.toISOString().slice(0, 7);
  });
}

/** Returns `algorithm`, `key_size`, `n`. */
export function algorithmsSql(seen: SQL | undefined): SQL {
  return sql`SELECT algorithm, key_size, count(*) AS n FROM certificates${where(LIVE, seen)}
    GROUP BY algorithm, key_size`;
}

/** Returns `issuing_ca_id`, `n`. */
export function authoritiesSql(seen: SQL | undefined): SQL {
  return sql`SELECT issuing_ca_id, count(*) AS n FROM certificates${
    where(LIVE, seen)
  } GROUP BY issuing_ca_id`;
}

/** Returns the number of certificates with an assignment. */
export function assignedSql(seen: SQL | undefined, assignmentsSeen: SQL | undefined): SQL {
  return sql`SELECT count(*) AS n FROM certificates${
    where(
      LIVE,
      sql`certificates.id IN (SELECT certificate_id FROM certificate_assignments${where(assignmentsSeen)})`,
      seen,
    )
  }`;
}
