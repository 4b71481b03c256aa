/** Dates as people and programs write them. */

import assert from "node:assert/strict";
import {
  isImpossibleDate,
  readingOf,
  readingsOf,
  slashOrderOf,
} from "../../../../src/domain/certificates/import/date_spellings.ts";
import { normalizeCells } from "../../../../src/domain/certificates/import/spreadsheet_cells.ts";

const DATES: readonly (readonly [text: string, readings: readonly string[]])[] = [
  ["31.12.2027", ["2027-12-31"]],
  ["1.5.2027", ["2027-05-01"]],
  ["31/12/2027", ["2027-12-31"]],
  ["12/31/2027", ["2027-12-31"]],
  ["1/5/2027", ["2027-05-01", "2027-01-05"]],
  ["5/5/2027", ["2027-05-05"]],
  ["2027/1/5", ["2027-01-05"]],
  ["2027-1-5", ["2027-01-05"]],
  ["5 Jan 2027", ["2027-01-05"]],
  ["05-Jan-2027", ["2027-01-05"]],
  ["5. September 2027", ["2027-09-05"]],
  ["Jan 5, 2027", ["2027-01-05"]],
  ["January 5th, 2027", ["2027-01-05"]],
  ["Jan  5 23:59:59 2027 GMT", ["2027-01-05T23:59:59Z"]],
  ["31.12.2027 9:05", ["2027-12-31T09:05:00Z"]],
  ["31.12.2027 23:59:59", ["2027-12-31T23:59:59Z"]],
  ["32.12.2027", []],
  ["13/13/2027", []],
  ["2027-02-30", []],
  ["Foo 5, 2027", []],
  ["31.12.27", []],
  ["soon", []],
  [`${" ".repeat(100)}1.5.2027`, []],
];
for (const [text, readings] of DATES) {
  Deno.test(`The date ${JSON.stringify(text.trim())} (${text.length} characters) has the readings ${readings.join(" and ") || "none"}`, () => {
    assert.deepEqual(readingsOf(text), readings);
  });
}

Deno.test("A date that is spelled correctly but that the calendar does not have is not a date in another format", () => {
  for (
    const text of [
      "31.02.2027",
      "2027-02-30",
      "2027/13/1",
      "30 Feb 2027",
      "Feb 30 23:59:59 2027 GMT",
      "13/13/2027",
    ]
  ) {
    assert.equal(isImpossibleDate(text), true, text);
  }
  for (const text of ["28.02.2027", "5/5/2027", "Foo 5, 2027", "31.12.2027 25:00", "31.02.27", "soon", ""]) {
    assert.equal(isImpossibleDate(text), false, text);
  }
});

Deno.test("A date with two readings is read in the order of the other dates, and not at all if they contradict", () => {
  assert.equal(slashOrderOf(["1/5/2027", "12/31/2027"]), "month first");
  assert.equal(slashOrderOf(["1/5/2027", "31/12/2027"]), "day first");
  assert.equal(slashOrderOf(["31/12/2027", "12/31/2027"]), undefined);
  assert.equal(slashOrderOf(["1/5/2027", "2027-12-31"]), undefined);
  assert.equal(readingOf("1/5/2027", "month first"), "2027-01-05");
  assert.equal(readingOf("1/5/2027", "day first"), "2027-05-01");
  assert.equal(readingOf("1/5/2027", undefined), undefined);
});

Deno.test("Cells of a spreadsheet with one reading become YYYY-MM-DD, others stay for the user to correct", () => {
  const given = { valid_from: " 1.5.2027", valid_to: "1/5/2027" };
  assert.deepEqual(normalizeCells(given), { valid_from: "2027-05-01", valid_to: "1/5/2027" });
  assert.equal(normalizeCells(given, "month first").valid_to, "2027-01-05");
});
