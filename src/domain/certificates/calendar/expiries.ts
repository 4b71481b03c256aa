/** Reads the certificates of a calendar: those that expire next, and those that expired recently. */

import { type Context, visible } from "../../../auth/mod.ts";
import { DAY_MS, type Millis, startOfDay } from "../../../base/clock.ts";
import { CALENDAR_PAST_DAYS, MAX_CALENDAR_EVENTS } from "../../../base/limits.ts";
import { and, type Condition, matchesNothing } from "../../../filters/mod.ts";
import { listObjects, type Selection } from "../../../resource/mod.ts";
import { certificates as resource } from "../mod.ts";

/** The fields of a certificate that its event shows, with the API's values. */
export interface ExpiringCertificate {
  readonly id: number;
  readonly common_name: string;
  readonly serial_number: string;
  readonly issuer: string;
  readonly status: string;
  readonly valid_to: string;
  readonly tenant: { readonly display: string } | null;
  readonly created: string;
  readonly last_updated: string;
}

/** Content of a calendar. */
export interface Expiries {
  /** Sorted by `valid_to`; at most {@link MAX_CALENDAR_EVENTS}. */
  readonly certificates: readonly ExpiringCertificate[];
  /** Number of matching certificates, which may exceed {@link MAX_CALENDAR_EVENTS}. */
  readonly count: number;
  readonly since: Millis;
}

const FIELDS = ["id", "common_name", "serial_number", "issuer", "status", "valid_to", "tenant"]
  .concat("created", "last_updated");
const SELECTION: Selection = { brief: false, omit: [], long: false, fields: FIELDS };
/** RFC 5545 §3.3.4 has only years of four digits. */
const END_OF_CALENDARS = Date.UTC(10_000, 0);

/**
 * Reads certificates that the actor may view and the filter selects. Without permission to view, the calendar is
 * empty.
 */
export async function readExpiries(
  { ctx, filter }: { ctx: Context; filter: Condition },
): Promise<Expiries> {
  const since = startOfDay(ctx.clock.now()) - CALENDAR_PAST_DAYS * DAY_MS;
  if (matchesNothing(visible(ctx, resource.map))) return { certificates: [], count: 0, since };
  const { results, count } = await listObjects({
    ctx,
    resource,
    query: {
      filter: and(filter, ends("gte", since), ends("lt", END_OF_CALENDARS)),
      order: [{ field: "valid_to", descending: false }, { field: "id", descending: false }],
      limit: MAX_CALENDAR_EVENTS,
      offset: 0,
      selection: SELECTION,
    },
  });
  return {
    certificates: results,
    count: count ?? results.length,
    since,
  };
}

function ends(operator: "gte" | "lt", at: Millis): Condition {
  return { kind: "compare", path: ["valid_to"], operator, values: [at], negated: false };
}
