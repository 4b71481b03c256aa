/** Statements of the overview. They read one covering index instead of the wide rows. */

import { type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import { where } from "../../../db/mod.ts";
import {
  EXPIRY_STATUSES,
  type ExpiryContext,
  expiryStatusSql,
  overdueSql,
  unarchived,
} from "../../certificates/mod.ts";

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
