import assert from "node:assert/strict";
import ICAL from "ical.js";
import { type CalendarEvent, writeCalendar } from "../../src/formats/ical.ts";

const CALENDAR = { name: "Expiries", description: "What ends next", refreshHours: 6 };
const EVENT: CalendarEvent = {
  uid: "0a3f9c1e-7d52-8b64-9e21-5c8f0d7a6b43",
  day: Date.UTC(2027, 1, 10, 23, 59, 59),
  summary: "www.acme.example expires",
  description: "Serial number 0A:1B",
  url: "https://certmgr.example/api/plugins/certmgr/certificates/1/",
  changed: Date.UTC(2026, 10, 20, 9, 22, 19, 250),
  alarmDays: null,
};

/** Parses a calendar and returns its events. */
function read(text: string): ICAL.Component[] {
  return new ICAL.Component(ICAL.parse(text)).getAllSubcomponents("vevent");
}

function eventOf(part: Partial<CalendarEvent>): ICAL.Event {
  const [event] = read(writeCalendar(CALENDAR, [{ ...EVENT, ...part }]));
  assert(event !== undefined);
  return new ICAL.Event(event);
}

Deno.test("a calendar has exactly the expected text", () => {
  assert.deepEqual(writeCalendar(CALENDAR, [{ ...EVENT, alarmDays: 7 }]).split("\r\n"), [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//certmgr//certmgr//EN",
    "CALSCALE:GREGORIAN",
    "NAME:Expiries",
    "X-WR-CALNAME:Expiries",
    "DESCRIPTION:What ends next",
    "X-WR-CALDESC:What ends next",
    "REFRESH-INTERVAL;VALUE=DURATION:PT6H",
    "X-PUBLISHED-TTL:PT6H",
    "BEGIN:VEVENT",
    "UID:0a3f9c1e-7d52-8b64-9e21-5c8f0d7a6b43",
    "DTSTAMP:20261120T092219Z",
    "LAST-MODIFIED:20261120T092219Z",
    "DTSTART;VALUE=DATE:20270210",
    "SUMMARY:www.acme.example expires",
    "DESCRIPTION:Serial number 0A:1B",
    "URL:https://certmgr.example/api/plugins/certmgr/certificates/1/",
    "TRANSP:TRANSPARENT",
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    "DESCRIPTION:www.acme.example expires",
    "TRIGGER:-P7D",
    "END:VALARM",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ]);
});

Deno.test("an event takes the one day on which it happens, in any time zone", () => {
  const { startDate, endDate, duration } = eventOf({});
  assert(startDate.isDate);
  assert.deepEqual([String(startDate), String(endDate), String(duration)], [
    "2027-02-10",
    "2027-02-11",
    "P1D",
  ]);
});

for (
  const [day, text] of [
    [Date.UTC(9999, 11, 31, 23, 59, 59), "9999-12-31"],
    [Date.UTC(2028, 1, 29), "2028-02-29"],
    [Date.UTC(1000, 0, 1), "1000-01-01"],
  ] as const
) {
  Deno.test(`the day ${text} is formatted`, () => assert.equal(String(eventOf({ day }).startDate), text));
}

for (const [days, trigger] of [[0, "PT0S"], [1, "-P1D"], [365, "-P365D"]] as const) {
  Deno.test(`a reminder ${days} days before is a valid alarm`, () => {
    const alarm = eventOf({ alarmDays: days }).component.getFirstSubcomponent("valarm");
    const given = alarm?.getFirstPropertyValue("trigger");
    assert(given instanceof ICAL.Duration);
    assert.deepEqual([String(given), given.toSeconds()], [trigger, -days * 86_400 + 0]);
    assert.equal(alarm?.getFirstPropertyValue("action"), "DISPLAY");
  });
}

Deno.test("a calendar without reminders has no alarm", () => {
  assert.equal(eventOf({}).component.getFirstSubcomponent("valarm"), null);
});

Deno.test("a calendar without events is valid", () => {
  const component = new ICAL.Component(ICAL.parse(writeCalendar(CALENDAR, [])));
  assert.deepEqual(component.getAllSubcomponents(), []);
  assert.equal(component.getFirstPropertyValue("version"), "2.0");
});

/** Names of certificates, and the text that a calendar program should show. */
const TEXTS: readonly (readonly [text: string, shown: string])[] = [
  ["plain", "plain"],
  ["a\\b; c, d: e \"f\" 'g'", "a\\b; c, d: e \"f\" 'g'"],
  ["\\n is not a line end", "\\n is not a line end"],
  ["\\\\\\;\\,", "\\\\\\;\\,"],
  ["two\nlines\r\nthree\rfour\u2028five", "two\nlines\nthree\nfour\nfive"],
  ["x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:y", "x\nEND:VEVENT\nBEGIN:VEVENT\nUID:y"],
  ["bell\u0007 nul\0 delete\u007f next\u0085line", "bell nul delete nextline"],
  ["a\tb", "a\tb"],
  ["half \ud83d pair", "half \ufffd pair"],
  ["ümläut ✓ 🔒 é\u0301", "ümläut ✓ 🔒 é\u0301"],
  ["👩‍👩‍👧‍👦".repeat(30), "👩‍👩‍👧‍👦".repeat(30)],
  ["ü".repeat(500), "ü".repeat(500)],
  [" ".repeat(200), " ".repeat(200)],
  ["x".repeat(65_536), "x".repeat(65_536)],
];

for (const [text, shown] of TEXTS) {
  Deno.test(`${JSON.stringify(text).slice(0, 50)} (${text.length}) is read back unchanged by a calendar library`, () => {
    const event = eventOf({ summary: text, description: text });
    assert.equal(event.summary, shown);
    assert.equal(event.description, shown);
    assert.equal(event.uid, EVENT.uid);
    const received = new ICAL.Component(ICAL.parse(writeCalendar({ ...CALENDAR, description: text }, [])));
    assert.equal(received.getFirstPropertyValue("description"), shown);
  });

  Deno.test(`${JSON.stringify(text).slice(0, 50)} (${text.length}) is written in lines of at most 75 bytes`, () => {
    const written = writeCalendar({ ...CALENDAR, name: text }, [{ ...EVENT, summary: text }]);
    const bytes = new TextEncoder();
    const lines = written.split("\r\n");
    for (const line of lines) assert(bytes.encode(line).length <= 75, line);
    for (const line of lines) assert(line.isWellFormed(), "A character is broken in two");
    assert.doesNotMatch(written.replaceAll("\r\n", ""), /[\r\n]/, "Each line ends by CR LF");
  });
}

Deno.test("lines are folded at the maximum length", () => {
  const lines = writeCalendar(CALENDAR, [{ ...EVENT, summary: "x".repeat(200) }]).split("\r\n");
  const at = lines.findIndex((line) => line.startsWith("SUMMARY:"));
  assert.deepEqual(lines.slice(at, at + 3).map((line) => line.length), [75, 75, 60]);
});
