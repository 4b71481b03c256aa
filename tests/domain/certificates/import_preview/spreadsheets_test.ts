/** Spreadsheets as people keep them: other encodings, workbooks, titles above the headings, sums below. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  columnMeant,
  type DataDocument,
  KNOWN_COLUMNS,
  readDocument,
} from "../../../../src/domain/certificates/import/mod.ts";
import { readPreview } from "../../../../src/domain/certificates/import_preview/mod.ts";
import { readTableText } from "../../../../src/formats/mod.ts";
import { testApp } from "../../../support/app.ts";
import { type CellValue, workbook, type WorkbookOptions } from "../../../support/workbook.ts";
import { metadata } from "../import/support.ts";
import { bulkImporter, contextAs, preview } from "./support.ts";

/** Reads a file as a preview does. */
async function readFile(bytes: Uint8Array): Promise<DataDocument> {
  const table = await readTableText(bytes, {
    columns: KNOWN_COLUMNS,
    columnOf: columnMeant,
    maxChars: 1_000_000,
  });
  assert.ok("text" in table, JSON.stringify(table));
  return await readDocument({ source: table.text, format: "csv" }, {
    field: "content",
    maxRows: 1_000,
    maxCertificates: 100,
    spreadsheet: { chosen: new Map(), edits: new Map(), isSheet: table.sheet !== undefined },
  });
}

type Row = readonly CellValue[];

const DAY_MS = 86_400_000;

/** Returns a cell as text: dates are days since 1900, as in a workbook. */
function asText(cell: CellValue): string {
  if (cell === null) return "";
  if (typeof cell === "object" && "date" in cell) {
    return new Date(Date.UTC(1899, 11, 30) + cell.date * DAY_MS).toISOString().slice(0, 10);
  }
  return String(cell);
}

function csv(rows: readonly Row[], separator: string): string {
  return rows.map((row) => row.map((cell) => `"${asText(cell).replaceAll('"', '""')}"`).join(separator)).join(
    "\r\n",
  );
}

function utf16(text: string): Uint8Array {
  return new Uint8Array(
    new Uint16Array([0xfeff, ...text].map((one) => typeof one === "string" ? one.charCodeAt(0) : one)).buffer,
  );
}

const windows1252 = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

const in1904 = (rows: readonly Row[]): Row[] =>
  rows.map((row) =>
    row.map((cell) =>
      cell !== null && typeof cell === "object" && "date" in cell ? { date: cell.date - 1_462 } : cell
    )
  );

const FILES: Readonly<Record<string, (rows: readonly Row[]) => Uint8Array>> = {
  "CSV in Windows-1252 with semicolons": (rows) => windows1252(csv(rows, ";")),
  "CSV in UTF-8 with tabs": (rows) => new TextEncoder().encode(csv(rows, "\t")),
  "CSV in UTF-16 with tabs": (rows) => utf16(csv(rows, "\t")),
  "CSV in UTF-8 with a byte order mark": (rows) => new TextEncoder().encode(`\ufeff${csv(rows, ",")}`),
  ...Object.fromEntries(
    ([["with a list of texts", {}], ["with texts in cells", { inline: true }], ["with a prefix", {
      prefix: "x",
    }]] as [
      string,
      WorkbookOptions,
    ][]).map(([what, options]) => [`a workbook ${what}`, (rows: readonly Row[]) => workbook(rows, options)]),
  ),
  "a workbook that counts days from 1904": (rows) => workbook(in1904(rows), { is1904: true }),
};

/** Words of Windows-1252 with signs that tables use themselves. */
const WORD = fc.string({ unit: fc.constantFrom(..."abzÄöéñß09 ,;\"'&<.-"), maxLength: 12 })
  .map((text) => `x${text}`);
const ROW = fc.tuple(WORD, fc.bigInt(1n, 2n ** 60n), fc.integer({ min: 45_000, max: 47_000 }), WORD)
  .map(([name, serial, day, comment]): Row => [
    `${name}x`,
    `0x${serial.toString(16)}`,
    "CN=Größe",
    { date: day },
    { date: day + 90 },
    serial.toString(16).padStart(64, "0"),
    "RSA 2048",
    comment,
  ]);
const HEADINGS = [
  "Name",
  "Seriennummer",
  "Aussteller",
  "Gültig ab",
  "Gültig bis",
  "SHA-256",
  "Algorithmus",
  "Bemerkung",
];
const TABLE = fc.record({
  titles: fc.array(fc.constantFrom<Row>(["Zertifikate der Außenstelle"], ["Stand", { date: 46_000 }], []), {
    maxLength: 4,
  }),
  rows: fc.array(fc.oneof({ weight: 5, arbitrary: ROW }, fc.constant<Row>([])), {
    minLength: 1,
    maxLength: 8,
  }),
  total: fc.constantFrom<Row[]>([], [["Summe", 8]], [[], ["Total:", null, 12]]),
});

Deno.test("Spreadsheet: a table gives the same rows from CSV in any encoding, and from any workbook", async () => {
  const width = HEADINGS.length;
  await fc.assert(
    fc.asyncProperty(TABLE, async ({ titles, rows, total }) => {
      const padded = [...titles, HEADINGS, ...rows, ...total].map((row) =>
        Array.from({ length: width }, (_, index) => row[index] ?? null)
      );
      const expected = await readFile(new TextEncoder().encode(csv(padded, ",")));
      const filled = rows.filter((row) => row.length > 0).length;
      assert.equal(expected.rows.filter(({ without }) => without === undefined).length, filled);
      const shown = ({ rows, errors, total }: DataDocument): unknown => ({
        rows: rows.map(({ place: _, ...row }) => row),
        errors,
        total,
      });
      for (const [what, file] of Object.entries(FILES)) {
        assert.deepEqual(shown(await readFile(file(padded))), shown(expected), what);
      }
    }),
    { numRuns: 40 },
  );
});

Deno.test("Spreadsheet: rows of a workbook have the numbers of the sheet, and only sums are skipped", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const columns = Object.keys(metadata(1));
  const row = (number: number, rest = {}): Row => Object.values(metadata(number, rest)) as string[];
  const bytes = workbook([
    ["Certificates"],
    [],
    columns,
    row(1),
    [],
    row(2, { valid_to: "soon" }),
    row(1),
    ["Total", null, null, null, null, null, null, 3],
  ], { title: "Web & mail" });
  const found = await readPreview({ ctx, key: await preview(ctx, bytes) });
  assert.deepEqual(found.rows.map(({ place, status }) => `${place} ${status}`), [
    "4 create",
    "6 error",
    "7 error",
    "8 skip",
  ]);
  assert.deepEqual(found.rows[2]?.messages[0]?.params.place, 4, "the row that has the certificate, too");
  assert.deepEqual(found.sheet, { sheet: "Web & mail", others: 0 });
});
