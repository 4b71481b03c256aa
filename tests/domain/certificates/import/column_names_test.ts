/** Headings of spreadsheets, and cells as people write them. */

import assert from "node:assert/strict";
import { columnMeant } from "../../../../src/domain/certificates/import/mod.ts";
import { KNOWN_COLUMNS } from "../../../../src/domain/certificates/import/data_columns.ts";
import { normalizeCells } from "../../../../src/domain/certificates/import/spreadsheet_cells.ts";

const HEADINGS: readonly (readonly [heading: string, column: string | null])[] = [
  ["common_name", "common_name"],
  ["Common Name", "common_name"],
  ["COMMON-NAME", "common_name"],
  ["CN", "common_name"],
  ["Serial No.", "serial_number"],
  ["Issued by", "issuer"],
  ["Not Before", "valid_from"],
  ["From", "valid_from"],
  ["Expiry date", "valid_to"],
  ["Expires", "valid_to"],
  ["Expiry", "valid_to"],
  ["Not After", "valid_to"],
  ["Until", "valid_to"],
  ["Alg", "algorithm"],
  ["Valid until", "valid_to"],
  ["SHA-256 Fingerprint", "fingerprint_sha256"],
  ["Key Size", "key_size"],
  ["Subject Alternative Names", "sans"],
  ["Days remaining", "days_remaining"],
  ["cf_Rack Unit", "cf_Rack Unit"],
  ["", null],
  ["Errors", null],
  ["Colour", "Colour"],
  ["__proto__", "__proto__"],
  ["constructor", "constructor"],
];

for (const [heading, column] of HEADINGS) {
  Deno.test(`The heading ${JSON.stringify(heading)} means ${column ?? "nothing"}`, () => {
    assert.equal(columnMeant(heading), column);
  });
}

Deno.test("Every column means itself, so that an export is read unchanged", () => {
  for (const column of KNOWN_COLUMNS) assert.equal(columnMeant(column), column);
});

const NAMES: readonly (readonly [given: string, expected: string])[] = [
  ["a.example, b.example", "a.example;b.example"],
  ["a.example b.example\n*.c.example", "a.example;b.example;*.c.example"],
  ["DNS:a.example, DNS: b.example, IP Address:192.0.2.1", "DNS:a.example;DNS:b.example;IP:192.0.2.1"],
  ["a.example;b.example, c.example", "a.example;b.example, c.example"],
  ["dirName:CN=a, O=b", "dirName:CN=a, O=b"],
  ["URI:https://a.example/x,y", "URI:https://a.example/x,y"],
  ["a.example", "a.example"],
  ["", ""],
];
for (const [given, expected] of NAMES) {
  Deno.test(`Names in one cell: ${JSON.stringify(given)} is read as ${JSON.stringify(expected)}`, () => {
    assert.equal(normalizeCells({ sans: given }).sans, expected);
  });
}

Deno.test("Choices are read in any case, and other cells stay as they are", () => {
  const given = {
    algorithm: " ECC ",
    status: "Active",
    common_name: " A.example, b",
    key_size: 2048,
    sans: ["A"],
  };
  assert.deepEqual(normalizeCells(given), { ...given, algorithm: "ecdsa", status: "active" });
});
