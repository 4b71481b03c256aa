/** The statements behind the overview. All read the one index that has every short column, not the wide rows. */

import { type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import { where } from "../../../resource/mod.ts";
import { EXPIRY_STATUSES, type ExpiryContext, expiryStatusSql } from "../../certificates/mod.ts";

const LIVE = sql`certificates.status IN ('active', 'pending')`;

/** `status`, `n`. */
export function statusesSql(seen: SQL | undefined): SQL {
  return sql`SELECT status, count(*) AS n FROM certificates${where(seen)} GROUP BY status`;
}

/** One row with the number of each expiry status. */
export function expirySql(seen: SQL | undefined, context: ExpiryContext): SQL {
  const counts = EXPIRY_STATUSES.map((status) =>
    sql`count(*) FILTER (WHERE ${expiryStatusSql(status, context)}) AS ${sql.identifier(status)}`
  );
  return sql`SELECT ${sql.join(counts, sql`, `)} FROM certificates${where(LIVE, seen)}`;
}

/** `month` (`2026-11`), `n`: what has not run out yet. */
export function forecastSql(seen: SQL | undefined, now: Millis): SQL {
  return sql`SELECT strftime('%Y-%m', valid_to / 1000, 'unixepoch') AS month, count(*) AS n
    FROM certificates${where(LIVE, sql`certificates.valid_to >= ${now}`, seen)} GROUP BY month`;
}

/** The months from that of `now` on, `2026-11`. */
export function monthsFrom(now: Millis, count: number): string[] {
  const first = new Date(now);
  return Array.from({ length: count }, (_, index) => {
    const month = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index, 1));
    return month.toISOString().slice(0, 7);
  });
}

/** `algorithm`, `key_size`, `n`. */
export function algorithmsSql(seen: SQL | undefined): SQL {
  return sql`SELECT algorithm, key_size, count(*) AS n FROM certificates${where(LIVE, seen)}
    GROUP BY algorithm, key_size`;
}

/** `issuing_ca_id`, `n`. */
export function authoritiesSql(seen: SQL | undefined): SQL {
  return sql`SELECT issuing_ca_id, count(*) AS n FROM certificates${
    where(LIVE, seen)
  } GROUP BY issuing_ca_id`;
}

/** How many have an assignment. */
export function assignedSql(seen: SQL | undefined, assignmentsSeen: SQL | undefined): SQL {
  return sql`SELECT count(*) AS n FROM certificates${
    where(
      LIVE,
      sql`certificates.id IN (SELECT certificate_id FROM certificate_assignments${where(assignmentsSeen)})`,
      seen,
    )
  }`;
}
