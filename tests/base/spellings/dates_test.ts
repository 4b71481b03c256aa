/** Dates as people and programs write them. */

import { textOf } from "../../../src/base/findings.ts";
import assert from "node:assert/strict";
import { dateError, decideDates, readDate, readingsOf } from "../../../src/base/spellings/dates.ts";

const END = "2027-12-31T23:59:59Z";

const DATES: readonly (readonly [text: string, ...readings: string[]])[] = [
  // Every separator, in every order.
  ["31.12.2027", "2027-12-31"],
  ["31/12/2027", "2027-12-31"],
  ["12-31-2027", "2027-12-31"],
  ["12/31/2027", "2027-12-31"],
  ["1.5.2027", "2027-05-01", "2027-01-05"],
  ["1/5/2027", "2027-05-01", "2027-01-05"],
  ["01-05-2027", "2027-05-01", "2027-01-05"],
  ["5/5/2027", "2027-05-05"],
  ["31. 12. 2027", "2027-12-31"],
  ["2027/1/5", "2027-01-05"],
  ["2027-1-5", "2027-01-05"],
  ["2027. 12. 31.", "2027-12-31"],
  ["2027年12月31日", "2027-12-31"],
  ["2027년 12월 31일", "2027-12-31"],
  ["\u200e31.\u200e12.\u200e2027", "2027-12-31"],
  ["３１.１２.２０２７", "2027-12-31"],
  // Two-digit years.
  ["12/31/27", "2027-12-31"],
  ["31.12.27", "2027-12-31", "2031-12-27"],
  ["1/5/27", "2027-05-01", "2027-01-05"],
  ["31-Dec-27", "2027-12-31"],
  ["31-Dec-75", "1975-12-31", "2075-12-31"],
  // Names of months and days.
  ["5 Jan 2027", "2027-01-05"],
  ["05-Jan-2027", "2027-01-05"],
  ["2027-Dec-31", "2027-12-31"],
  ["5. September 2027", "2027-09-05"],
  ["31. Dezember 2027", "2027-12-31"],
  ["3. März 2027", "2027-03-03"],
  ["31 déc. 2027", "2027-12-31"],
  ["5 juin 2027", "2027-06-05"],
  ["5 juillet 2027", "2027-07-05"],
  ["31 de diciembre de 2027", "2027-12-31"],
  ["Jan 5, 2027", "2027-01-05"],
  ["January 5th, 2027", "2027-01-05"],
  ["Friday, December 31, 2027", "2027-12-31"],
  ["Monday, December 31, 2027"],
  // Times and zones.
  ["31.12.2027 9:05", "2027-12-31T09:05:00Z"],
  ["31.12.2027, 23:59:59", END],
  ["2027-12-31 23:59:59 UTC", END],
  ["2027-12-31 23:59:59 +0000", END],
  ["2027-12-31 18:59:59 -0500", "2027-12-31T23:59:59Z"],
  ["2027-12-31 23:59:59.5 GMT+2", "2027-12-31T21:59:59.500000Z"],
  ["2027-12-31 23:59:59 CEST", "2027-12-31T21:59:59Z"],
  ["12/31/2027 23:59:59 EST", "2028-01-01T04:59:59Z", "2027-12-31T13:59:59Z"],
  ["2027-12-31 23:59:59 XYZ"],
  ["12/31/2027 11:59:59 PM", END],
  ["12/31/2025 12:00:00 AM", "2025-12-31T00:00:00Z"],
  ["Dec 31, 2027, 11:59:59 p.m.", END],
  ["12/31/2027 13:00 PM"],
  ["31.12.2027 25:00"],
  // Formats of programs.
  ["Jan  5 23:59:59 2027 GMT", "2027-01-05T23:59:59Z"],
  ["Fri Dec 31 23:59:59 UTC 2027", END],
  ["Fri, 31 Dec 2027 23:59:59 GMT", END],
  ["Sat, 31 Dec 2027 23:59:59 GMT"],
  ["Fri Dec 31 2027 23:59:59 GMT+0000 (Coordinated Universal Time)", END],
  ["20271231235959Z", END],
  ["20271231235959.0Z", END],
  ["20271231T235959Z", END],
  ["20271231235959+0100", "2027-12-31T22:59:59Z"],
  ["20271231", "2027-12-31"],
  ["271231235959Z", END],
  ["991231235959Z", "1999-12-31T23:59:59Z"],
  ["2712312359Z", "2027-12-31T23:59:00Z"],
  ["271231235959"],
  ["1830297599", END],
  ["1830297599000", END],
  ["46752", "2027-12-31", "2032-01-01"],
  ["46752.999988", END, "2032-01-01T23:59:59Z"],
  // No dates.
  ["32.12.2027"],
  ["13/13/2027"],
  ["2027-02-30"],
  ["31.2.27", "2031-02-27"],
  ["Foo 5, 2027"],
  ["soon"],
  [""],
  [`${" ".repeat(100)}1.5.2027`],
];
for (const [text, ...readings] of DATES) {
  Deno.test(`The date ${JSON.stringify(text.trim())} (${text.length} characters) has the readings ${readings.join(" and ") || "none"}`, () => {
    assert.deepEqual(readingsOf(text), readings);
    assert.equal(readDate(text), readings.length === 1 ? readings[0] : undefined);
  });
}

Deno.test("A rejected date says what is expected, what can be meant, and whether the calendar has it", () => {
  const message = (text: string): string => textOf(dateError(text, `"${text}"`));
  assert.equal(message("soon"), 'Invalid date format: "soon". Expected YYYY-MM-DD.');
  assert.equal(
    message("01-05-2027"),
    'Invalid date format: "01-05-2027". Expected YYYY-MM-DD. Did you mean 2027-05-01 or 2027-01-05?',
  );
  const missing = [
    "31.02.2027",
    "2027-02-30",
    "2027/13/1",
    "30 Feb 2027",
    "Feb 30 23:59:59 2027 GMT",
    "13/13/2027",
  ];
  for (const text of missing) {
    const expected = `Invalid date format: "${text}" is not a date of the calendar. Expected YYYY-MM-DD.`;
    assert.equal(message(text), expected);
  }
  for (const text of ["Foo 5, 2027", "31.12.2027 25:00", "", "12345678901234567890"]) {
    assert.equal(message(text), `Invalid date format: "${text}". Expected YYYY-MM-DD.`);
  }
});

Deno.test("A date with one reading decides for its column and separator; without one, a chosen reading decides", () => {
  const read = (text: string, others: string[], chosen: [string, string][] = []): string | undefined =>
    readDate(text, decideDates([text, ...others], chosen));
  assert.equal(read("01-05-2027", ["12-31-2025"]), "2027-01-05");
  assert.equal(read("1.5.2027", ["31.12.2027"]), "2027-05-01");
  assert.equal(read("01-05-2027", ["02-03-2027", "2027-12-31"]), undefined);
  // Dates with another separator are from another source.
  assert.equal(read("1/5/2027", ["31.12.2027"]), undefined);
  assert.equal(read("01/02/27", ["12/31/2027"]), "2027-01-02");
  assert.equal(read("27-05-06", ["27-12-31", "28-13-01"]), undefined);
  assert.equal(read("26-05-06", ["27-12-31", "99-12-30"]), "2026-05-06");
  assert.equal(read("1/5/2027", ["2/3/2027"], [["2/3/2027", "2027-02-03"]]), "2027-01-05");
  assert.equal(read("46752", ["46000"], [["46000", "2025-12-09"]]), "2027-12-31");
  assert.equal(read("1/5/2027", ["31/12/2027"], [["2/3/2027", "2027-02-03"]]), "2027-05-01");
});

Deno.test("Dates of a column that contradict each other are not read, and are named", () => {
  const texts = ["1/5/2027", "31/12/2027", "12/31/2027", "5/5/2027"];
  const decisions = decideDates(texts);
  assert.deepEqual(decisions.get("/"), { style: "/", orders: [], examples: ["31/12/2027", "12/31/2027"] });
  for (const text of texts) assert.equal(readDate(text, decisions), undefined, text);
});
