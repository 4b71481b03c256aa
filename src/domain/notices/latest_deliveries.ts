/** The latest delivery of each of several channels. */

import { sql } from "drizzle-orm";
import { type Context, visibleSql } from "../../auth/mod.ts";
import { formatDatetime } from "../../base/clock.ts";
import { notificationDeliveries } from "./deliveries.ts";

/** A message, its state and its time. */
export interface LatestDelivery {
  readonly id: number;
  readonly state: string;
  readonly created: string;
}

/**
 * Returns the latest delivery that the caller may view of each channel that has one, by its id. One statement: for each
 * channel, the end of the index of its deliveries.
 */
export async function latestDeliveries(
  ctx: Context,
  channels: readonly number[],
): Promise<ReadonlyMap<number, LatestDelivery>> {
  if (channels.length === 0) return new Map();
  const { map, table } = notificationDeliveries;
  const seen = visibleSql(ctx, map, "latest");
  const rows = await ctx.database.all<{ channel: number; id: number; state: string; created: number }>(
    sql`SELECT delivery.channel_id AS channel, delivery.id, delivery.state, delivery.created
      FROM json_each(${JSON.stringify(channels)}) AS channel
      JOIN ${table} AS delivery ON delivery.id = (
        SELECT latest.id FROM ${table} AS latest WHERE latest.channel_id = channel.value${
      seen === undefined ? sql`` : sql` AND ${seen}`
    } ORDER BY latest.id DESC LIMIT 1)`,
  );
  return new Map(rows.map(({ channel, created, ...row }) => [
    channel,
    { ...row, created: formatDatetime(created) },
  ]));
}
