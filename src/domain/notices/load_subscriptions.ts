/** Reads subscriptions for evaluation. */

import { and, eq, getTableColumns, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../base/clock.ts";
import { type Reader, select } from "../../db/mod.ts";
import { notification_channels, subscriptions, users } from "../../db/schema/mod.ts";
import type { ChannelKindName } from "./channel_kinds.ts";
import type { NoticeEvent } from "./event_names.ts";
import type { Schedule } from "./schedule.ts";

/** An enabled subscription with its channel and its user. */
export interface LoadedSubscription extends Schedule {
  readonly id: number;
  readonly name: string;
  readonly userId: number;
  readonly email: string;
  readonly channelId: number | null;
  readonly kind: ChannelKindName;
  readonly recipients: readonly string[];
  readonly events: readonly NoticeEvent[];
  readonly filter: string;
  readonly thresholds: readonly string[];
  readonly nextRun: Millis;
  readonly lastEventId: number;
  readonly created: Millis;
}

/** Reads enabled subscriptions that match a condition, by id. One statement. */
export async function loadSubscriptions(
  reader: Reader,
  condition: SQL | undefined,
  limit: number,
): Promise<LoadedSubscription[]> {
  const columns = { ...getTableColumns(subscriptions), email: users.email, kind: notification_channels.kind };
  const rows = await reader.all(
    select(columns).from(subscriptions)
      .innerJoin(users, eq(users.id, subscriptions.user_id))
      .leftJoin(notification_channels, eq(notification_channels.id, subscriptions.channel_id))
      .where(and(
        // A literal, because SQLite does not use the partial index for a bound value.
        sql`${subscriptions.enabled} = 1`,
        eq(users.is_active, 1),
        or(isNull(notification_channels.id), eq(notification_channels.enabled, 1)),
        condition,
      ))
      .orderBy(subscriptions.id).limit(limit),
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    userId: row.user_id,
    email: row.email,
    channelId: row.channel_id,
    kind: (row.kind ?? "email") as ChannelKindName,
    recipients: JSON.parse(row.recipients),
    events: JSON.parse(row.events),
    filter: row.filter,
    thresholds: JSON.parse(row.thresholds),
    mode: row.mode as Schedule["mode"],
    at: row.at,
    timeZone: row.time_zone,
    nextRun: row.next_run,
    lastEventId: row.last_event_id,
    created: row.created,
  }));
}
