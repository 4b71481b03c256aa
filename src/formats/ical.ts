/** Calendars of whole days (iCalendar, RFC 5545), for calendar programs that subscribe to them. */

import { formatDatetime, type Millis } from "../base/clock.ts";

/** What a calendar says of itself. */
export interface Calendar {
  readonly name: string;
  readonly description: string;
  /** How often a program should ask for news, in hours. */
  readonly refreshHours: number;
}

/** Something that happens on one day (UTC). */
export interface CalendarEvent {
  /** The same for as long as it is the same thing; unlike those of all other calendars (RFC 7986 §5.3). */
  readonly uid: string;
  /** Any moment of the day; from the year 1 to 9999, the only ones that have a form. */
  readonly day: Millis;
  readonly summary: string;
  readonly description: string;
  /** Where there is more to read: an absolute URL. */
  readonly url: string;
  readonly changed: Millis;
  /** How many days before it to remind of it; null: not at all. */
  readonly alarmDays: number | null;
}

/** Media type of such a calendar. */
export const CALENDAR_TYPE = "text/calendar; charset=utf-8";

const PRODUCT = "-//certmgr//certmgr//EN";
/** Bytes of a line, without its end (§3.1). */
const LINE_BYTES = 75;

/** The calendar as text: lines of 75 bytes at the most, each ended by CR LF. */
export function writeCalendar(calendar: Calendar, events: readonly CalendarEvent[]): string {
  const refresh = `PT${calendar.refreshHours}H`;
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    `PRODID:${PRODUCT}`,
    "CALSCALE:GREGORIAN",
    // RFC 7986 §5, and the older names that more programs know.
    ...["NAME", "X-WR-CALNAME"].map((name) => `${name}:${escapeText(calendar.name)}`),
    ...["DESCRIPTION", "X-WR-CALDESC"].map((name) => `${name}:${escapeText(calendar.description)}`),
    `REFRESH-INTERVAL;VALUE=DURATION:${refresh}`,
    `X-PUBLISHED-TTL:${refresh}`,
    ...events.flatMap(eventLines),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join("");
}

/** §3.6.1. Without an end it takes the one day; it keeps nobody's time busy. */
function eventLines(event: CalendarEvent): string[] {
  return [
    "BEGIN:VEVENT",
    `UID:${event.uid}`,
    // Without METHOD, DTSTAMP is when the event was last revised (§3.8.7.2): the same until it changes.
    `DTSTAMP:${moment(event.changed)}`,
    `LAST-MODIFIED:${moment(event.changed)}`,
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

/** `20261120` (§3.3.4). */
function date(at: Millis): string {
  return formatDatetime(at).slice(0, 10).replaceAll("-", "");
}

/** `20261120T092219Z` (§3.3.5). */
function moment(at: Millis): string {
  return `${formatDatetime(at).slice(0, 19).replace(/[-:]/g, "")}Z`;
}

/** A TEXT value (§3.3.11). Control characters have no place in one (§3.1); line ends of any kind become `\n`. */
export function escapeText(text: string): string {
  return text
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\r\n?|\n|\u2028|\u2029/g, "\\n")
    // deno-lint-ignore no-control-regex -- they are just what is looked for
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "")
    .toWellFormed();
}

/** Breaks a line into pieces of {@link LINE_BYTES}, never within a character; all but the first begin with a space. */
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
  const code = char.codePointAt(0) as number;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}
