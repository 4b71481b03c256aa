/** Deletes old observations, and finds agents that stopped reporting. */

import { and, eq, gte, lt, ne, or, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { DAY_MS, formatDatetime } from "../../../base/clock.ts";
import { PRUNE_BATCH } from "../../../base/limits.ts";
import { select } from "../../../db/mod.ts";
import { endpoints } from "../../../db/schema/mod.ts";
import { settleReports } from "./settle.ts";

/**
 * Deletes observations that ended before the retention time, but keeps the newest one of each address. Works
 * in batches, so that other writes can run in between. The signal stops it between two batches.
 */
export async function pruneObservations(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ observations: number }> {
  const { database, clock, settings: { probing: { retentionDays } } } = ctx;
  let observations = 0;
  if (retentionDays === 0) return { observations };
  const before = clock.now() - retentionDays * DAY_MS;
  for (let more = true; more && !signal?.aborted;) {
    const deleted = await database.write((tx) =>
      tx.run(
        sql`DELETE FROM observations WHERE id IN (
              SELECT old.id FROM observations AS old WHERE old.last_seen < ${before} AND EXISTS (
                SELECT 1 FROM observations AS newer WHERE newer.endpoint_id = old.endpoint_id
                  AND newer.address = old.address AND newer.id > old.id
              ) LIMIT ${PRUNE_BATCH})`,
      )
    );
    observations += deleted;
    more = deleted === PRUNE_BATCH;
  }
  return { observations };
}

/**
 * An agent has stopped reporting after this number of intervals without a report, but not before the minimum
 * time.
 */
const SILENT_INTERVALS = 3;
const LEAST_SILENCE_MS = 3_600_000;
const MARKED_AT_ONCE = 100;

/**
 * Sets the endpoints of agents that have not reported for three intervals to `unreachable`, with the reason.
 */
export async function markSilentAgents({ ctx }: { ctx: Context }): Promise<{ silent: number }> {
  const now = ctx.clock.now();
  const { id, source, last_probed, interval_minutes, enabled, state, state_reason } = endpoints;
  const silence = sql`max(${LEAST_SILENCE_MS}, ${interval_minutes} * ${60_000 * SILENT_INTERVALS})`;
  const rows = await ctx.database.all(
    select({ id, source, last_probed }).from(endpoints).where(and(
      gte(source, "agent:"),
      lt(source, "agent;"),
      eq(enabled, 1),
      sql`${last_probed} < ${now} - ${silence}`,
      or(ne(state, "unreachable"), ne(state_reason, "silent_agent")),
    )).limit(MARKED_AT_ONCE),
  );
  if (rows.length === 0) return { silent: 0 };
  await settleReports(
    ctx,
    rows.map(({ id, source, last_probed }) => ({
      endpointId: id,
      source,
      at: now,
      silent: true,
      answers: [{
        address: "",
        latencyMs: null,
        failure: {
          kind: "unreachable",
          message: `The agent has not reported since ${formatDatetime(last_probed ?? 0)}.`,
        },
      }],
    })),
  );
  return { silent: rows.length };
}
