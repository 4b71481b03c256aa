/** Workbooks: cells are read as a person sees them, and hostile ones are refused before they take time or memory. */

import assert from "node:assert/strict";
import { readTableText, type TableText } from "../../src/formats/mod.ts";
import { type CellValue, workbook, type WorkbookOptions, zip } from "../support/workbook.ts";
import { textOf } from "../../src/base/findings.ts";

const OPTIONS = { columns: ["a", "b", "c"], maxChars: 100_000 };

async function read(bytes: Uint8Array): Promise<TableText> {
  const table = await readTableText(bytes, OPTIONS);
  assert.ok("text" in table, JSON.stringify(table));
  return table;
}

const CELLS: readonly [what: string, cell: CellValue, text: string, options?: WorkbookOptions][] = [
  ["a text", ' <a> & "b" ', ' <a> & ""b"" '],
  ["a text in its cell", "ü, é", "ü, é", { inline: true }],
  ["elements with a prefix", "text", "text", { prefix: "x" }],
  ["a number", 2048, "2048"],
  ["a number that was rounded", 1.25e27, "1.25E+27"],
  ["a flag", true, "true"],
  ["a date", { date: 46_387 }, "2026-12-31"],
  ["a date with a time", { date: 46_387.5 }, "2026-12-31T12:00:00Z"],
  ["a date that is counted from 1904", { date: 44_925 }, "2026-12-31", { is1904: true }],
  ["a date before Excel's 29 February 1900", { date: 59 }, "1900-02-28"],
  ["a formula with its value", { xml: '<c t="str"><f>A1</f><v>value</v></c>' }, "value"],
  ["a formula without a value", { xml: "<c><f>A1+1</f></c>" }, "=A1+1"],
  ["an error", { xml: '<c t="e"><v>#N/A</v></c>' }, "#N/A"],
  ["runs of a text", {
    xml: '<c t="inlineStr"><is><r><t>a</t></r><rPh><t>no</t></rPh><r><t>b</t></r></is></c>',
  }, "ab"],
  ["an escaped sign", "a_x000A_b", "a\nb"],
];
for (const [what, cell, text, options] of CELLS) {
  Deno.test(`Workbook: ${what} is read`, async () => {
    assert.equal((await read(workbook([["a"], [null, cell]], options))).text, `"a"\n"","${text}"\n`);
  });
}

Deno.test("Workbook: blank rows count, and the first visible sheet with a table is read", async () => {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const sheet = (name: string, id: string, state = "visible"): string =>
    `<sheet name="${name}" state="${state}" r:id="${id}"/>`;
  const relation = (id: string, part: string): string =>
    `<Relationship Id="${id}" Type="x/worksheet" Target="/xl/worksheets/${part}.xml"/>`;
  const cells = (rows: string): string => `<worksheet ${main}><sheetData>${rows}</sheetData></worksheet>`;
  const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const bytes = workbook([], {
    members: {
      "xl/workbook.xml": `<workbook ${main}><sheets>${sheet("Hidden", "r1", "hidden")}${
        sheet("Cover", "r2")
      }${sheet("Data", "r3")}</sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": `<R>${relation("r1", "one")}${relation("r2", "two")}${
        relation("r3", "three")
      }</R>`,
      "xl/worksheets/one.xml": cells(`<row>${cell("a")}${cell("b")}</row>`),
      "xl/worksheets/two.xml": cells(`<row>${cell("Certificates")}</row>`),
      "xl/worksheets/three.xml": cells(
        `<row r="3">${cell("a")}${cell("b")}</row><row r="5">${cell("1")}</row>`,
      ),
    },
  });
  assert.deepEqual(await read(bytes), {
    text: '\n\n"a","b"\n\n"1"\n',
    sheet: { sheet: "Data", others: 1 },
  });
});

const SHEET = "xl/worksheets/sheet1.xml";
const HOSTILE: readonly [what: string, bytes: () => Uint8Array, message: RegExp][] = [
  [
    "a part that is large when it is unpacked",
    () => workbook([["a"]], { members: { [SHEET]: `<worksheet>${" ".repeat(60_000_000)}` } }),
    /too large when it is unpacked/,
  ],
  [
    "a text that is in thousands of cells",
    () =>
      workbook([["a"]], {
        members: {
          "xl/sharedStrings.xml": `<sst><si><t>${"x".repeat(10_000)}</t></si></sst>`,
          [SHEET]: `<worksheet>${'<row><c t="s"><v>0</v></c></row>'.repeat(1_000)}</worksheet>`,
        },
      }),
    /texts of its cells are too large/,
  ],
  [
    "more cells than an inventory has",
    () =>
      workbook([["a"]], {
        members: {
          [SHEET]: `<worksheet>${`<row>${"<c><v>1</v></c>".repeat(900)}</row>`.repeat(400)}</worksheet>`,
        },
      }),
    /more than 300000 cells|texts of its cells are too large/,
  ],
  [
    "a row far below the others",
    () =>
      workbook([["a"]], {
        members: { [SHEET]: '<worksheet><row r="1048576"><c><v>1</v></c></row></worksheet>' },
      }),
    /more than 1000 blank rows/,
  ],
  [
    "a cell far to the right",
    () =>
      workbook([["a"]], {
        members: { [SHEET]: '<worksheet><row><c r="XFD1"><v>1</v></c></row></worksheet>' },
      }),
    /more than 1000 columns/,
  ],
  [
    "rows in another order",
    () => workbook([["a"]], { members: { [SHEET]: '<worksheet><row r="2"/><row r="1"/></worksheet>' } }),
    /not in order/,
  ],
  [
    "an external entity",
    () =>
      workbook([["a"]], {
        members: {
          [SHEET]: '<!DOCTYPE w [<!ENTITY e SYSTEM "file:///etc/passwd">]><worksheet>&e;</worksheet>',
        },
      }),
    /document type/,
  ],
  [
    "XML that ends in the middle",
    () => workbook([["a"]], { members: { [SHEET]: "<worksheet><row>" } }),
    /not valid XML/,
  ],
  [
    "an unknown entity",
    () => workbook([["a"]], { members: { [SHEET]: "<worksheet>&e;</worksheet>" } }),
    /not valid XML/,
  ],
  [
    "a member that is encrypted",
    () =>
      zip([{ name: "[Content_Types].xml", content: new Uint8Array() }, {
        name: "xl/workbook.xml",
        content: new Uint8Array(9),
        flags: 1,
      }]),
    /protected by a password/,
  ],
  [
    "no workbook",
    () => zip([{ name: "[Content_Types].xml", content: new Uint8Array() }]),
    /"xl\/workbook\.xml" is missing/,
  ],
];
for (const [what, bytes, message] of HOSTILE) {
  Deno.test(`Workbook: ${what} is refused`, async () => {
    const table = await readTableText(bytes(), OPTIONS);
    assert.ok("code" in table && table.code === "workbook_unreadable", JSON.stringify(table).slice(0, 500));
    assert.match(textOf(table), message);
  });
}

Deno.test("Workbook: one that is cut off or changed anywhere is read or refused, and nothing is thrown", async () => {
  const bytes = workbook([["a", "b"], ["text", 1]]);
  for (let at = 30; at < bytes.length; at += 7) {
    const changed = bytes.slice();
    changed[at] = (changed[at] ?? 0) ^ 0xff;
    for (const hostile of [bytes.slice(0, at), changed]) {
      const table = await readTableText(hostile, OPTIONS);
      assert.ok("text" in table || typeof table.code === "string");
    }
  }
});
