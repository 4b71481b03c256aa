/** Reads subscriptions for evaluation. */

import { and, eq, getTableColumns, isNull, or, type SQL, sql } from "drizzle-orm";
import { DAY_MS, type Millis } from "../../base/clock.ts";
import { localTime } from "../../base/time_zones.ts";
import { type Reader, select } from "../../db/mod.ts";
import { notification_channels, subscriptions, users } from "../../db/schema/mod.ts";
import type { ChannelKindName } from "./channel_kinds.ts";
import type { NoticeEvent } from "./event_names.ts";

/** How often a subscription sends. */
export const MODES = ["immediate", "daily", "weekly"] as const;
export type Mode = typeof MODES[number];

/** A time of day in a time zone. */
export interface Schedule {
  readonly mode: Mode;
  /** `08:00`. */
  readonly at: string;
  /** A name of the IANA database, or `UTC`. */
  readonly timeZone: string;
}

const MONDAY = 1;
/** Returns the time at which clocks in a time zone show `local`, or one hour later if they skip it. */
function fromLocal(local: Millis, timeZone: string): Millis {
  const guess = local - (localTime(local, timeZone) - local);
  return local - (localTime(guess, timeZone) - guess);
}

/** Returns the next time after `after` at which a digest is sent. Weekly digests are sent on Mondays. */
export function nextDigest({ mode, at, timeZone }: Schedule, after: Millis): Millis {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const today = Math.floor(localTime(after, timeZone) / DAY_MS) * DAY_MS;
  for (let days = 0; days <= 8; days++) {
    const day = today + days * DAY_MS;
    if (mode === "weekly" && new Date(day).getUTCDay() !== MONDAY) continue;
    const candidate = fromLocal(day + (hours * 60 + minutes) * 60_000, timeZone);
    if (candidate > after) return candidate;
  }
  throw new Error(`No digest within eight days after ${after} in ${timeZone}`);
}

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
    kind: row.kind ?? "email",
    recipients: JSON.parse(row.recipients),
    events: JSON.parse(row.events),
    filter: row.filter,
    thresholds: JSON.parse(row.thresholds),
    mode: row.mode,
    at: row.at,
    timeZone: row.time_zone,
    nextRun: row.next_run,
    lastEventId: row.last_event_id,
    created: row.created,
  }));
}
