/** Parsing and formatting times, and counting days. */

import assert from "node:assert/strict";
import { whenText } from "../../src/base/amounts.ts";
import {
  addDays,
  dateAfter,
  DAY_MS,
  daysBetween,
  daysUntil,
  formatDate,
  formatDatetime,
  hasPassed,
  parseDatetime,
  startOfDay,
} from "../../src/base/clock.ts";

const at = Date.UTC(2026, 10, 20, 9, 22, 19);

Deno.test("ISO 8601 is parsed with an offset, without one as UTC, and as a date", () => {
  for (
    const [text, expected] of [
      ["2026-11-20T09:22:19Z", at],
      ["2026-11-20t09:22:19Z".replace("t", "T"), at],
      ["2026-11-20 09:22:19", at],
      ["2026-11-20T09:22:19", at],
      ["2026-11-20T09:22:19z", at],
      ["2026-11-20T11:22:19+02:00", at],
      ["2026-11-20T11:22:19+0200", at],
      ["2026-11-20T11:22:19+02", at],
      ["2026-11-19T23:52:19-09:30", at],
      ["2026-11-20T09:22:19.5Z", at + 500],
      ["2026-11-20T09:22:19,123456789Z", at + 123],
      ["2026-11-20T09:22", at - 19_000],
      ["2026-11-20", startOfDay(at)],
      ["2024-02-29", Date.UTC(2024, 1, 29)],
      ["0001-01-01", new Date("0001-01-01T00:00:00Z").getTime()],
      ["9999-12-31T23:59:59Z", Date.UTC(9999, 11, 31, 23, 59, 59)],
    ] as const
  ) {
    assert.equal(parseDatetime(text), expected, text);
  }
});

Deno.test("an impossible date or time is not parsed as a different one", () => {
  for (
    const text of [
      "",
      "now",
      "2026",
      "2026-11",
      "20261120",
      "2026-13-01",
      "2026-00-10",
      "2026-02-29",
      "2026-04-31",
      "2026-11-20T24:00:00Z",
      "2026-11-20T23:60:00Z",
      "2026-11-20T23:59:60Z",
      "2026-11-20T09:22:19+24:00",
      "2026-11-20T09:22:19+02:60",
      "2026-11-20T09Z",
      "2026-11-20Z",
      "2026-11-20T09:22:19 Europe/Vienna",
      " 2026-11-20",
      "2026-11-20\n",
      "+002026-11-20",
      "-2026-11-20",
      "2026-11-20T09:22:19.1234567890Z",
      "２０２６-11-20",
      "1795166539",
    ]
  ) {
    assert.equal(parseDatetime(text), undefined, JSON.stringify(text));
  }
});

Deno.test("a time is formatted with microseconds only if it has any, and parsing the text returns the same time", () => {
  for (
    const [moment, text] of [
      [at, "2026-11-20T09:22:19Z"],
      [at + 7, "2026-11-20T09:22:19.007000Z"],
      [0, "1970-01-01T00:00:00Z"],
      [-1, "1969-12-31T23:59:59.999000Z"],
    ] as const
  ) {
    assert.equal(formatDatetime(moment), text);
    assert.equal(parseDatetime(text), moment);
  }
  assert.equal(formatDate(at), "2026-11-20");
});

Deno.test("days are those of the calendar in UTC, whatever the time of day", () => {
  const noon = Date.UTC(2026, 5, 15, 12);
  for (
    const [moment, days] of [
      [noon, 0],
      [Date.UTC(2026, 5, 15), 0],
      [Date.UTC(2026, 5, 15, 23, 59, 59, 999), 0],
      [Date.UTC(2026, 5, 16), 1],
      [Date.UTC(2026, 5, 14, 23, 59, 59, 999), -1],
      [Date.UTC(2027, 5, 15, 12), 365],
    ] as const
  ) {
    assert.equal(daysUntil(moment, noon), days, formatDatetime(moment));
  }
  assert.equal(startOfDay(-1), -DAY_MS);
});

Deno.test("days are counted and added in UTC, and a time has passed when it is now", () => {
  const now = Date.UTC(2026, 10, 28, 23, 59);
  assert.deepEqual(["2026-10-25", "2026-11-28", "2026-12-01"].map((day) => daysBetween("2026-11-28", day)), [
    -34,
    0,
    3,
  ]);
  assert.deepEqual(
    ([["2026-12-25", 7], ["2026-02-01", 31], ["2026-03-01", -1]] as const).map(([day, count]) =>
      dateAfter(day, count)
    ),
    ["2027-01-01", "2026-03-04", "2026-02-28"],
  );
  assert.equal(formatDatetime(addDays(now, 2)), "2026-11-30T23:59:00Z");
  const at = formatDatetime(now);
  assert.deepEqual([now - 1, now, now + 1].map((time) => hasPassed(at, time)), [false, true, true]);
  assert.deepEqual(
    ["2026-11-27T23:59:59Z", at, "2026-11-29T00:00:00Z"].map((time) => whenText(time, now)),
    ["1 day ago", "today", "in 1 day"],
  );
});
