/** Serial numbers as authorities and spreadsheets write them: by the API, and by the form. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { pacer } from "../../../src/base/pace.ts";
import { readSerialNumbers } from "../../../src/domain/incidents/serial_numbers.ts";
import { testApp } from "../../support/app.ts";

const RULE = { pause: pacer(), most: 100_000 };
const PREVIEW = "/api/plugins/certmgr/incidents/preview/";
const HEX = "0A:1B:2C:3D:4E:5F:60:71";
const DECIMAL = String(0x0a1b2c3d4e5f6071n);
const plain = (text: string): string => text.replaceAll(":", "").toLowerCase().replace(/^0+/, "");

/** Returns the serial numbers without colons and leading zeros. */
async function read(text: string): Promise<string[]> {
  const { serials, findings } = await readSerialNumbers(text, RULE);
  assert.deepEqual(findings, []);
  return serials.map(plain);
}

const ONE = [plain(HEX)];
const CASES: Readonly<Record<string, string>> = {
  "a number": HEX,
  "a byte order mark and blank lines": `\ufeff\r\n${HEX}\r\n\r\n`,
  "a table": `Order,Serial Number,Name\n17,${HEX},a.example\n`,
  "semicolons, quotes and a heading in German": `"Auftrag";"Seriennummer"\r\n"1";"${HEX}"\r\n`,
  "tabs": `serial\tname\n${HEX}\ta.example\n`,
  "a separator in quotes": `Name,Serial\n"Acme, Inc.",${HEX}\n`,
  "titles before the heading":
    `Certificates to be revoked\n2026-11-29;;\n\nId;Certificate Serial Number;CN\n1;${HEX};a\n`,
  "a heading with the radix": `Serial Number (decimal),SHA-256\n${DECIMAL},ab\n`,
  "a decimal column without letters": `Serial\n${DECIMAL}\n`,
  "decimal and hexadecimal columns": `Serial (dec),Serial (hex)\n99,${HEX}\n`,
  "lines of a table without their heading": `17,${HEX},2026-01-01\n`,
  "a text of a spreadsheet": `Serial\n="${HEX}"\n`,
  "a prefix": `Serial\n0x${plain(HEX)}\n`,
};

Deno.test("serial numbers are read from lists and tables", async () => {
  for (const [what, text] of Object.entries(CASES)) assert.deepEqual(await read(text), ONE, what);
});

Deno.test("short numbers, and those of a column with letters, are hexadecimal", async () => {
  assert.deepEqual(await read("10\n11\n"), ["10", "11"]);
  assert.deepEqual(await read("1234567890123456\nabcdef"), ["1234567890123456", "abcdef"]);
});

Deno.test("rounded numbers, other texts and excess are refused, with their row", async () => {
  const rowsOf = async (text: string): Promise<unknown[]> =>
    (await readSerialNumbers(text, RULE)).findings.map(({ code, row }) => [code, row]);
  assert.deepEqual(await rowsOf(`Id;Serial\n1;${HEX}\n2;1,23457E+38\n`), [["rounded_number", 3]]);
  assert.deepEqual(await rowsOf("Serial\nnone\n"), [["invalid_hex", 2]]);
  assert.deepEqual(await rowsOf(`Serial (dec)\n${"9".repeat(60)}\n`), [["invalid_hex", 2]]);
  assert.deepEqual(await rowsOf("f".repeat(65)), [["invalid_hex", 1]]);
  assert.deepEqual((await rowsOf("x\n".repeat(500))).length, 10);
  assert.deepEqual(await rowsOf("12\n".repeat(100_001)), [["too_many_elements", undefined]]);
  assert.deepEqual(await rowsOf("1".repeat(10_000_001)), [["too_long", undefined]]);
  assert.deepEqual((await readSerialNumbers("12\n".repeat(100_000), RULE)).serials.length, 100_000);
});

Deno.test("the API takes a list, the lines of a table, or its text", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const [stored] = await app.database.all<{ serial: string }>(
    sql`SELECT serial_hex AS serial FROM certificates WHERE length(serial_hex) > 4 LIMIT 1`,
  );
  const serial = stored?.serial ?? "";
  const impactOf = async (serial_numbers: unknown): Promise<[number, unknown]> => {
    const response = await client(PREVIEW, { method: "POST", body: { criteria: { serial_numbers } } });
    const body = await response.json();
    return [response.status, body.affected ?? body.criteria];
  };
  const expected = await impactOf([serial]);
  assert.ok(expected[0] === 200 && Number(expected[1]) > 0, JSON.stringify(expected));
  for (const given of [`Id;Serial\n1;${serial}\n`, ["Id;Serial", `1;${serial}`], serial, [` ${serial} `]]) {
    assert.deepEqual(await impactOf(given), expected, JSON.stringify(given));
  }
  const rounded =
    'Expected hexadecimal digits such as 0A:1B:2C, not "1.2E+30". A spreadsheet has rounded this number: ' +
    "format the column as text and export it again.";
  assert.deepEqual(await impactOf("Id;Serial\n1;1.2E+30\n"), [400, [`serial_numbers.row 2: ${rounded}`]]);
  assert.deepEqual(await impactOf(["Serial", "1.2E+30"]), [400, [`serial_numbers.1: ${rounded}`]]);
  assert.deepEqual((await impactOf("Id;Serial\n"))[0], 400);
});
