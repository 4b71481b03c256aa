/** Headings of spreadsheets, and cells as people write them. */

import assert from "node:assert/strict";
import { columnMeant } from "../../../../src/domain/certificates/import/mod.ts";
import { KNOWN_COLUMNS } from "../../../../src/domain/certificates/import/columns.ts";
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
  ["SANs (DNS, IP)", "sans"],
  ["Valid to (UTC)", "valid_to"],
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
