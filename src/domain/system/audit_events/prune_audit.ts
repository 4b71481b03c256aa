/** Deletes old audit events. */

import { inArray, lt } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { DAY_MS } from "../../../base/clock.ts";
import { PRUNE_BATCH } from "../../../base/limits.ts";
import { deleteFrom, select } from "../../../db/mod.ts";
import { audit_events } from "../../../db/schema/mod.ts";

/** Days for which audit events are kept: a year, and a month to review it. */
const AUDIT_KEPT_DAYS = 400;

/** Deletes audit events that are older than 400 days, in batches. The signal stops it between two batches. */
export async function pruneAudit(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ removed: number }> {
  const before = ctx.clock.now() - AUDIT_KEPT_DAYS * DAY_MS;
  const old = select({ id: audit_events.id }).from(audit_events).where(lt(audit_events.time, before))
    .limit(PRUNE_BATCH);
  let removed = 0;
  for (let more = true; more && !signal?.aborted;) {
    const count = await ctx.database.write((tx) =>
      tx.run(deleteFrom(audit_events).where(inArray(audit_events.id, old)))
    );
    removed += count;
    more = count === PRUNE_BATCH;
  }
  return { removed };
}
