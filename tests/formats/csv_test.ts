import assert from "node:assert/strict";
import { type ExportRow, FORMATS, readCsv } from "../../src/formats/mod.ts";
import { documentOf, HOSTILE_TEXTS } from "./support.ts";

const GOOD = [
  [
    "the first row is the header, and lines end with CRLF",
    [{ id: 1, common_name: "a" }, { id: 2, common_name: "b" }],
    "id,common_name\r\n1,a\r\n2,b\r\n",
  ],
  ["null is an empty cell", [{ a: null, b: "x" }], "a,b\r\n,x\r\n"],
  [
    "booleans and numbers are plain, negative ones too",
    [{ a: true, b: false, n: -14 }],
    "a,b,n\r\ntrue,false,-14\r\n",
  ],
  ["a list is one cell, joined by semicolons", [{ sans: ["a", "b"], tags: [] }], "sans,tags\r\na;b,\r\n"],
  [
    "a list whose first text is a formula begins with a quote",
    [{ a: 1, sans: ["@a", "@b"] }],
    "a,sans\r\n1,'@a;@b\r\n",
  ],
  [
    "cells with commas, quotes or line ends are quoted",
    [{ a: 'x,"y"', b: "1\n2", c: "1\r2" }],
    'a,b,c\r\n"x,""y""","1\n2","1\r2"\r\n',
  ],
  ["cells with leading or trailing blanks are quoted", [{ a: " x", b: "x " }], 'a,b\r\n" x","x "\r\n'],
  ["a single empty cell is quoted, so that its row is not lost", [{ a: null }], 'a\r\n""\r\n'],
  ["formulas are text", [{ a: "=1", b: "+1", c: "-1", d: "@x" }], "a,b,c,d\r\n'=1,'+1,'-1,'@x\r\n"],
  [
    "a formula after a tab or CR begins with a quote",
    [{ a: "\t=1", b: "\r=1" }],
    "a,b\r\n'\t=1,\"'\r=1\"\r\n",
  ],
  ["a text that begins with a quote gets a second one", [{ a: "'=1", b: "'x" }], "a,b\r\n''=1,'x\r\n"],
  ["a minus within a text is unchanged", [{ a: "a-b", b: "x=1" }], "a,b\r\na-b,x=1\r\n"],
] as const;

for (const [title, rows, document] of GOOD) {
  Deno.test(`CSV: ${title}`, async () => {
    assert.equal(await documentOf(FORMATS.csv, rows), document);
  });
}

Deno.test("CSV: an export without rows is the header row", async () => {
  assert.equal(await documentOf(FORMATS.csv, [], ["id", "common_name"]), "id,common_name\r\n");
});

Deno.test("CSV: fields that a row does not have are empty, fields that were not requested are left out", async () => {
  assert.equal(await documentOf(FORMATS.csv, [{ b: "x", c: "y" }], ["a", "b"]), "a,b\r\n,x\r\n");
});

Deno.test("CSV: no text cell begins like a formula", async () => {
  const rows = HOSTILE_TEXTS.map((text) => ({ first: text, second: text }));
  for (const line of rowsOf(await documentOf(FORMATS.csv, rows))) {
    for (const cell of line) assert.doesNotMatch(cell, /^[=+\-@\t\r]/, cell);
  }
});

Deno.test("CSV: every text is read back unchanged", async () => {
  const rows = HOSTILE_TEXTS.map((text): ExportRow => ({ id: "x", text, after: "end" }));
  const columns = ["id", "text", "after"];
  const table = readCsv(await documentOf(FORMATS.csv, rows), { columns, required: columns, maxRows: 1_000 });
  assert.deepEqual(table.findings, []);
  assert.deepEqual(table.rows.map(({ cells }) => cells), rows);
  assert.deepEqual(table.rows.map(({ row }) => row), rows.map((_, index) => index + 1));
});

Deno.test("CSV: rows keep their order across batches", async () => {
  const rows = Array.from({ length: 501 }, (_, id) => ({ id }));
  assert.deepEqual(
    rowsOf(await documentOf(FORMATS.csv, rows)).slice(1).map(([id]) => Number(id)),
    rows.map(({ id }) => id),
  );
});

/** Returns cells as a reader of RFC 4180 sees them; a parser of a dozen lines. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
