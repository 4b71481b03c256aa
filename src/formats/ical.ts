/** Writes calendars of all-day events (iCalendar, RFC 5545), to which calendar programs can subscribe. */

import { formatDatetime, type Millis } from "../base/clock.ts";

/** Properties of a calendar. */
export interface Calendar {
  readonly name: string;
  readonly description: string;
  /** Suggested refresh interval in hours. */
  readonly refreshHours: number;
}

/** An event on one day (UTC). */
export interface CalendarEvent {
  /** Stable and globally unique identifier (RFC 7986 §5.3). */
  readonly uid: string;
  /** Any time of the day. The format is limited to the years 1 to 9999. */
  readonly day: Millis;
  readonly summary: string;
  readonly description: string;
  /** Absolute URL of a page with details. */
  readonly url: string;
  readonly changed: Millis;
  /** How many days before the event there is a reminder; null for none. */
  readonly alarmDays: number | null;
}

/** Media type of iCalendar. */
export const CALENDAR_TYPE = "text/calendar; charset=utf-8";

const PRODUCT = "-//certmgr//certmgr//EN";
/** Maximum number of bytes in a line without its line break (§3.1). */
const LINE_BYTES = 75;

/** Returns the calendar as text: lines of at most 75 bytes, each followed by CRLF. */
export function writeCalendar(calendar: Calendar, events: readonly CalendarEvent[]): string {
  const refresh = `PT${calendar.refreshHours}H`;
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    `PRODID:${PRODUCT}`,
    "CALSCALE:GREGORIAN",
    // RFC 7986 §5, and older names that more programs support.
    ...["NAME", "X-WR-CALNAME"].map((name) => `${name}:${escapeText(calendar.name)}`),
    ...["DESCRIPTION", "X-WR-CALDESC"].map((name) => `${name}:${escapeText(calendar.description)}`),
    `REFRESH-INTERVAL;VALUE=DURATION:${refresh}`,
    `X-PUBLISHED-TTL:${refresh}`,
    ...events.flatMap(eventLines),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join("");
}

/** Returns the lines of a VEVENT (§3.6.1). Without DTEND it lasts one day. It does not count as busy time. */
function eventLines(event: CalendarEvent): string[] {
  return [
    "BEGIN:VEVENT",
    `UID:${event.uid}`,
    // Without METHOD, DTSTAMP is the time of the last change of the event (§3.8.7.2).
    `DTSTAMP:${dateTime(event.changed)}`,
    `LAST-MODIFIED:${dateTime(event.changed)}`,
    `DTSTART;VALUE=DATE:${date(event.day)}`,
    `SUMMARY:${escapeText(event.summary)}`,
    `DESCRIPTION:${escapeText(event.description)}`,
    `URL:${event.url}`,
    "TRANSP:TRANSPARENT",
    ...(event.alarmDays === null ? [] : [
      "BEGIN:VALARM",
      "ACTION:DISPLAY",
      `DESCRIPTION:${escapeText(event.summary)}`,
      `TRIGGER:${event.alarmDays === 0 ? "PT0S" : `-P${event.alarmDays}D`}`,
      "END:VALARM",
    ]),
    "END:VEVENT",
  ];
}

/** Formats a date as `20261120` (§3.3.4). */
function date(at: Millis): string {
  return formatDatetime(at).slice(0, 10).replaceAll("-", "");
}

/** Formats a time as `20261120T092219Z` (§3.3.5). */
function dateTime(at: Millis): string {
  return `${formatDatetime(at).slice(0, 19).replace(/[-:]/g, "")}Z`;
}

/**
 * Escapes a TEXT value (§3.3.11). Removes control characters (§3.1), and writes line breaks of any kind as
 * `\n`.
 */
function escapeText(text: string): string {
  return text
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\r\n?|\n|\u2028|\u2029/g, "\\n")
    // deno-lint-ignore no-control-regex -- matches control characters on purpose
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "")
    .toWellFormed();
}

/**
 * Folds a line after {@link LINE_BYTES}, but never inside a character. Continuation lines begin with a space.
 */
export function fold(line: string): string {
  if (line.length * 3 <= LINE_BYTES) return line;
  const pieces: string[] = [];
  let [start, end, bytes] = [0, 0, 0];
  for (const char of line) {
    const size = utf8Bytes(char);
    if (bytes + size > LINE_BYTES) {
      pieces.push(line.slice(start, end));
      [start, bytes] = [end, 1];
    }
    bytes += size;
    end += char.length;
  }
  return [...pieces, line.slice(start)].join("\r\n ");
}

function utf8Bytes(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}
