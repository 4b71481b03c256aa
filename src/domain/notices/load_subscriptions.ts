/** A subscription as it is evaluated. */

import { type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../base/clock.ts";
import type { Reader, Row } from "../../db/mod.ts";
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

/** Reads enabled subscriptions that fulfil a condition on `s`, by id. One statement. */
export async function loadSubscriptions(
  reader: Reader,
  condition: SQL,
  limit: number,
): Promise<LoadedSubscription[]> {
  const rows = await reader.all<Row>(
    sql`SELECT s.id, s.name, s.user_id, u.email, s.channel_id, c.kind, s.recipients, s.events, s.filter, s.thresholds,
        s.mode, s.at, s.time_zone, s.next_run, s.last_event_id, s.created
      FROM ${subscriptions} AS s JOIN ${users} AS u ON u.id = s.user_id
      LEFT JOIN ${notification_channels} AS c ON c.id = s.channel_id
      WHERE s.enabled = 1 AND u.is_active = 1 AND (c.id IS NULL OR c.enabled = 1) AND ${condition}
      ORDER BY s.id LIMIT ${limit}`,
  );
  return rows.map((row) => ({
    id: row.id as number,
    name: String(row.name),
    userId: row.user_id as number,
    email: String(row.email),
    channelId: row.channel_id as number | null,
    kind: (row.kind ?? "email") as ChannelKindName,
    recipients: JSON.parse(String(row.recipients)),
    events: JSON.parse(String(row.events)),
    filter: String(row.filter),
    thresholds: JSON.parse(String(row.thresholds)),
    mode: row.mode as Schedule["mode"],
    at: String(row.at),
    timeZone: String(row.time_zone),
    nextRun: row.next_run as number,
    lastEventId: row.last_event_id as number,
    created: row.created as number,
  }));
}
