/** Sets certificates that have run out to `expired`, with change records and events like any other change. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { authorize, type Context, restrictionSql } from "../../../auth/mod.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import type { Cell, Row } from "../../../db/mod.ts";
import { and, type Condition } from "../../../filters/mod.ts";
import { andAll } from "../../../resource/mod.ts";
import { certificates, changeStored, isExpired } from "../mod.ts";

/** What a sweep did. */
export interface Sweep {
  expired_count: number;
  /** Certificates that got back the status which a sweep had taken while the clock was ahead. */
  restored_count: number;
}

/** One direction of a sweep. */
interface Step {
  /** Finds certificates to change. */
  readonly condition: SQL;
  /** Checks one of them again in the transaction, where it may have changed since it was found. */
  readonly due: (row: Row) => boolean;
  readonly columns: (row: Row) => Record<string, Cell>;
}

/**
 * Sweeps what the caller may change: first undoes what a clock ended that was ahead, then ends what has run out.
 * Errors: forbidden. One transaction for each 1,000 certificates.
 */
export async function expirySweep({ ctx }: { ctx: Context }): Promise<Sweep> {
  const { objectType } = certificates;
  const allowed = and(authorize(ctx, "bulk_operations", objectType), authorize(ctx, "change", objectType));
  // One moment for the whole sweep: what runs out meanwhile is left to the next one.
  const now = ctx.clock.now();
  const second = Math.floor(now / 1000) * 1000;
  const restored_count = await sweep(ctx, allowed, {
    condition: sql`certificates.expired_from IS NOT NULL AND certificates.valid_to >= ${second}
      AND certificates.status = 'expired'`,
    due: (row) =>
      row.status === "expired" && row.expired_from !== null && !isExpired(row.valid_to as number, now),
    columns: ({ expired_from }) => ({ status: expired_from as string, expired_from: null }),
  });
  const expired_count = await sweep(ctx, allowed, {
    condition: sql`certificates.status IN ('active', 'pending') AND certificates.valid_to < ${second}`,
    due: ({ status, valid_to }) =>
      (status === "active" || status === "pending") && isExpired(valid_to as number, now),
    columns: ({ status }) => ({ status: "expired", expired_from: status as string }),
  });
  return { expired_count, restored_count };
}

/** Returns how many certificates were changed. */
async function sweep(ctx: Context, allowed: Condition, { condition, due, columns }: Step): Promise<number> {
  let swept = 0;
  for (;;) {
    const ids = await findIds(ctx, allowed, condition);
    if (ids.length === 0) return swept;
    const rows = await changeStored({ ctx, allowed, ids }, (row) => due(row) ? columns(row) : undefined);
    swept += [...rows.values()].filter(due).length;
  }
}

async function findIds(ctx: Context, allowed: Condition, condition: SQL): Promise<number[]> {
  const { objectType, table } = certificates;
  const permitted = andAll(
    condition,
    restrictionSql(ctx, allowed, objectType, getTableName(table)),
  );
  const rows = await ctx.database.all<{ id: number }>(
    sql`SELECT certificates.id AS id FROM certificates WHERE ${permitted} LIMIT ${MAX_BULK_OBJECTS}`,
  );
  return rows.map((row) => row.id);
}
