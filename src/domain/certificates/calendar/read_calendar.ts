/** Returns the calendar for the URL of a feed: the certificates that expire next, and those that expired recently. */

import { eq } from "drizzle-orm";
import { actorOf, type Context, hashKey, isKey, visible } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";
import { DAY_MS, formatDate, type Millis, startOfDay } from "../../../base/clock.ts";
import { invalid, notFound } from "../../../base/errors.ts";
import { CALENDAR_PAST_DAYS, MAX_CALENDAR_EVENTS } from "../../../base/limits.ts";
import { select, update } from "../../../db/mod.ts";
import { calendar_feeds } from "../../../db/schema/mod.ts";
import { and, compare, type Condition, matchesNothing } from "../../../filters/mod.ts";
import { type CalendarEvent, writeCalendar } from "../../../formats/mod.ts";
import { listObjects, type Selection } from "../../../resource/mod.ts";
import { certificates as resource } from "../mod.ts";
import { parseFeedFilter } from "./resource.ts";

/** The fields of a certificate that its event shows, with the API's values. */
interface ExpiringCertificate {
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
interface Expiries {
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
async function readExpiries(
  { ctx, filter }: { ctx: Context; filter: Condition },
): Promise<Expiries> {
  const since = startOfDay(ctx.clock.now()) - CALENDAR_PAST_DAYS * DAY_MS;
  if (matchesNothing(visible(ctx, resource.map))) return { certificates: [], count: 0, since };
  const { results, count } = await listObjects({
    ctx,
    resource,
    query: {
      filter: and(filter, compare("valid_to", "gte", [since]), compare("valid_to", "lt", [END_OF_CALENDARS])),
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

/** Maximum length of each text in an event. */
const MAX_CALENDAR_TEXT_CHARS = 200;

/**
 * Returns the event of a certificate. It depends on the certificate alone, so it changes only when the
 * certificate does. It links to the certificate's page, because people follow links in calendars.
 */
function eventOf(
  certificate: ExpiringCertificate,
  { alarmDays, baseUrl }: { alarmDays: number | null; baseUrl: string },
): CalendarEvent {
  const { id, common_name, serial_number, issuer, status, valid_to, tenant } = certificate;
  const lines = [
    `Valid to: ${valid_to}`,
    `Status: ${status}`,
    `Issuer: ${shortened(issuer)}`,
    `Serial number: ${serial_number}`,
    ...(tenant === null ? [] : [`Tenant: ${shortened(tenant.display)}`]),
  ];
  return {
    uid: nameUuid(`certmgr.certificate ${id} ${certificate.created}`),
    day: timeOf(valid_to),
    summary: `${shortened(common_name)} expires`,
    description: lines.join("\n"),
    url: `${baseUrl}/certificates/${id}/`,
    changed: timeOf(certificate.last_updated),
    alarmDays,
  };
}

/** Returns a UUID that depends on the name alone, not on the address of the service (RFC 9562 §5.8). */
function nameUuid(name: string): string {
  const hex = sha256Hex(name);
  const variant = (parseInt(hex.charAt(16), 16) & 3 | 8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20)]
    .concat(hex.slice(20, 32)).join("-");
}

function timeOf(text: string): number {
  return Date.parse(text);
}

/** Shortens a text without splitting a character. */
function shortened(text: string): string {
  const chars = [...text.slice(0, 2 * MAX_CALENDAR_TEXT_CHARS)];
  return chars.length <= MAX_CALENDAR_TEXT_CHARS && text.length <= 2 * MAX_CALENDAR_TEXT_CHARS
    ? text
    : `${chars.slice(0, MAX_CALENDAR_TEXT_CHARS).join("")}…`;
}

/** The refresh interval that a calendar suggests, in hours. */
const CALENDAR_REFRESH_HOURS = 6;
/** Minimum interval between two updates of `last_used`. */
const FEED_NOTE_INTERVAL_MS = 3_600_000;

/** A calendar in iCalendar format. */
interface CalendarDocument {
  readonly text: string;
  /** A weak entity tag, which changes with the text. */
  readonly etag: string;
}

interface Feed {
  id: number;
  user_id: number;
  name: string;
  filter: string;
  alarm_days: number | null;
  last_used: number | null;
}

/**
 * Returns the calendar for a token, with what the feed's user may view now. Unknown and revoked tokens, and
 * tokens of inactive users, get the same error. Errors: not_found, invalid (the stored filter is no longer
 * valid after an upgrade).
 */
export async function readCalendar(
  { deps, token }: { deps: Omit<Context, "actor">; token: string },
): Promise<CalendarDocument> {
  const feed = isKey(token) ? await findFeed(deps, token) : undefined;
  if (feed === undefined) throw notFound();
  const actor = await actorOf(deps, feed.user_id);
  if (actor === undefined) throw notFound();
  const { condition, errors } = parseFeedFilter(deps, feed.filter);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const expiries = await readExpiries({ ctx: { ...deps, actor }, filter: condition });
  await recordTokenUse(deps, feed);
  const text = writeCalendar(
    { name: feed.name, description: describe(expiries), refreshHours: CALENDAR_REFRESH_HOURS },
    expiries.certificates.map((certificate) =>
      eventOf(certificate, { alarmDays: feed.alarm_days, baseUrl: deps.baseUrl })
    ),
  );
  return { text, etag: `W/"${sha256Hex(text)}"` };
}

async function findFeed({ database }: Omit<Context, "actor">, token: string): Promise<Feed | undefined> {
  const [feed] = await database.all(
    select({
      id: calendar_feeds.id,
      user_id: calendar_feeds.user_id,
      name: calendar_feeds.name,
      filter: calendar_feeds.filter,
      alarm_days: calendar_feeds.alarm_days,
      last_used: calendar_feeds.last_used,
    }).from(calendar_feeds).where(eq(calendar_feeds.token_hash, hashKey(token))),
  );
  return feed;
}

/** Describes the calendar, and says so if it is truncated. */
function describe({ certificates, count, since }: Expiries): string {
  return certificates.length === count
    ? `All expiries since ${formatDate(since)}: ${count}.`
    : `The first ${certificates.length} of ${count} expiries since ${formatDate(since)}. ` +
      "Narrow the filter of this feed to see the others.";
}

/** Updates `last_used` without a change record. Errors are ignored. */
async function recordTokenUse({ database, clock }: Omit<Context, "actor">, feed: Feed): Promise<void> {
  const now = clock.now();
  if (feed.last_used !== null && now - feed.last_used < FEED_NOTE_INTERVAL_MS) return;
  try {
    await database.write((tx) =>
      tx.run(update(calendar_feeds).set({ last_used: now }).where(eq(calendar_feeds.id, feed.id)))
    );
  } catch {
    // The next request tries again. A calendar must not fail because of this.
  }
}
