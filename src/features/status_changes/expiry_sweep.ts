/** Sets certificates that have run out to `expired`, with change records and events like any other change. */

import { getTableName, sql } from "drizzle-orm";
import { authorize, type Context, restrictionSql } from "../../access/mod.ts";
import type { Millis } from "../../base/clock.ts";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import type { Row } from "../../db/mod.ts";
import { and, type Lookup } from "../../lookup/mod.ts";
import { both } from "../../resource/mod.ts";
import { certificates, changeStored, isExpired } from "../certificates/mod.ts";

/** What a sweep did. */
export interface Sweep {
  expired_count: number;
}

/** Sweeps what the caller may change. Errors: forbidden. One transaction for each 1,000 certificates. */
export async function expirySweep({ ctx }: { ctx: Context }): Promise<Sweep> {
  const { objectType } = certificates;
  const allowed = and(authorize(ctx, "bulk_operations", objectType), authorize(ctx, "change", objectType));
  // One moment for the whole sweep: what runs out meanwhile is left to the next one.
  const now = ctx.clock.now();
  // Judged again in the transaction: somebody may have changed it since it was found.
  const due = (row: Row): boolean =>
    (row.status === "active" || row.status === "pending") && isExpired(row.valid_to as number, now);
  let swept = 0;
  for (;;) {
    const ids = await runOut(ctx, allowed, now);
    if (ids.length === 0) return { expired_count: swept };
    const rows = await changeStored(
      { ctx, allowed, ids },
      (row) => due(row) ? { status: "expired" } : undefined,
    );
    swept += [...rows.values()].filter(due).length;
  }
}

/** Ids of the next certificates that are still `active` or `pending` past their end. */
async function runOut(ctx: Context, allowed: Lookup, now: Millis): Promise<number[]> {
  const { objectType, table } = certificates;
  const second = Math.floor(now / 1000) * 1000;
  const condition = both(
    sql`certificates.status IN ('active', 'pending') AND certificates.valid_to < ${second}`,
    restrictionSql(ctx, allowed, objectType, getTableName(table)),
  );
  const rows = await ctx.database.all<{ id: number }>(
    sql`SELECT certificates.id AS id FROM certificates WHERE ${condition} LIMIT ${MAX_BULK_OBJECTS}`,
  );
  return rows.map((row) => row.id);
}
