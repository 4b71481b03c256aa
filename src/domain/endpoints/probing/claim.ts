/** Selects the endpoints to probe next, and leases them to a process. */

import { inArray, lte } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import { type Database, select, update } from "../../../db/mod.ts";
import { endpoints } from "../../../db/schema/mod.ts";
import type { ProbeProtocol } from "../../../probe/mod.ts";

/** Duration of a lease: longer than a probe with its retry, shorter than a minute. */
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
 * Leases due endpoints: first those whose probe was requested, then those that have waited longest. Another
 * process can lease an endpoint when its lease has expired. One statement.
 */
export async function claimEndpoints(
  database: Database,
  { owner, now, limit }: { owner: string; now: Millis; limit: number },
): Promise<ClaimedEndpoint[]> {
  const { id, host, port, server_name, protocol, next_probe } = endpoints;
  const due = select({ id }).from(endpoints).where(lte(next_probe, now)).orderBy(next_probe).limit(limit);
  // Most of the time nothing is due, and reading does not lock the database.
  if ((await database.all(due)).length === 0) return [];
  return await database.write((tx) =>
    tx.all<ClaimedEndpoint>(
      update(endpoints).set({ lease_owner: owner, next_probe: now + LEASE_MS }).where(inArray(id, due))
        .returning({ id, host, port, server_name, protocol }),
    )
  );
}
