/** Counts endpoints by state, and those that are due. */

import { count, max, sql, type SQLWrapper } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import { type Row, select } from "../../../db/mod.ts";
import { endpoints } from "../../../db/schema/mod.ts";
import { ENDPOINT_STATES } from "../../endpoints/mod.ts";
import type { Counts } from "./certificate_numbers.ts";

export interface EndpointNumbers {
  readonly endpoints: Counts;
  /** Number of endpoints that are due or being probed. */
  readonly probesDue: number;
  readonly probesRunning: number;
  /**
   * How long the longest waiting endpoint has been due, in milliseconds. Endpoints with requested probes are
   * left out.
   */
  readonly probesLate: Millis;
  /** Time of the last probe or report, in milliseconds since the epoch; 0 if there was none. */
  readonly lastProbe: Millis;
}

const NONE: Counts = Object.fromEntries(ENDPOINT_STATES.map((state) => [state, 0]));

/** Returns three statements, each of which uses an index. */
export function endpointCountsSql(now: Millis): SQLWrapper[] {
  return [
    select({ state: endpoints.state, n: count() }).from(endpoints).groupBy(endpoints.state),
    sql`SELECT count(*) FILTER (WHERE next_probe <= ${now}) AS due,
          count(*) FILTER (WHERE next_probe > ${now} AND lease_owner IS NOT NULL) AS running,
          min(next_probe) FILTER (WHERE next_probe > 0) AS oldest
        FROM endpoints INDEXED BY endpoints_due WHERE next_probe IS NOT NULL AND next_probe <= ${
      now + 60_000
    }`,
    select({ last: max(endpoints.last_probed) }).from(endpoints),
  ];
}

/** Converts the rows of {@link endpointCountsSql}, in their order. */
export function endpointNumbers(answers: readonly (readonly Row[])[], now: Millis): EndpointNumbers {
  const [states = [], [work] = [], [latest] = []] = answers;
  return {
    endpoints: { ...NONE, ...Object.fromEntries(states.map((row) => [row.state, row.n as number])) },
    probesDue: (work?.due as number | null) ?? 0,
    probesRunning: (work?.running as number | null) ?? 0,
    probesLate: Math.max(0, now - ((work?.oldest as number | null) ?? now)),
    lastProbe: (latest?.last as number | null) ?? 0,
  };
}
