/** Selects the endpoints to probe next and leases them to one process. */

import { sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import type { Database } from "../../../db/mod.ts";
import type { ProbeProtocol } from "../../../probe/mod.ts";

/** Time for which an endpoint is leased: longer than a probe with its retry, shorter than a minute. */
export const LEASE_MS = 45_000;

/** An endpoint that this process has leased. */
export interface ClaimedEndpoint {
  readonly id: number;
  readonly host: string;
  readonly port: number;
  readonly server_name: string | null;
  readonly protocol: ProbeProtocol;
}

/**
 * Leases endpoints that are due: first those that were requested, then those that have waited longest. Another process
 * takes one over when its lease has ended. One statement.
 */
export async function claimEndpoints(
  database: Database,
  { owner, now, limit }: { owner: string; now: Millis; limit: number },
): Promise<ClaimedEndpoint[]> {
  const [due] = await database.all<{ id: number }>(
    sql`SELECT id FROM endpoints WHERE next_probe <= ${now} LIMIT 1`,
  );
  // Most of the time nothing is due, and reading does not lock the database.
  if (due === undefined) return [];
  return await database.write((tx) =>
    tx.all<ClaimedEndpoint>(
      sql`UPDATE endpoints SET lease_owner = ${owner}, next_probe = ${now + LEASE_MS} WHERE id IN (
            SELECT id FROM endpoints WHERE next_probe <= ${now} ORDER BY next_probe LIMIT ${limit}
          ) RETURNING id, host, port, server_name, protocol`,
    )
  );
}
