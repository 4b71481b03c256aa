import assert from "node:assert/strict";
import { textOf } from "../../src/base/findings.ts";
import { MAX_CELL_CHARS, MAX_ROW_CELLS, MAX_TABLE_FINDINGS } from "../../src/base/limits.ts";
import { readCsv, type Table } from "../../src/formats/mod.ts";
import { cpuMillis } from "../support/cpu_time.ts";

const OPTIONS = { columns: ["a", "b", "c"], required: ["a"], maxRows: 10 };

function read(text: string, options: Partial<typeof OPTIONS> = {}): Table<string> {
  return readCsv(text, { ...OPTIONS, ...options });
}

/** Returns rows as `["row:a|b", …]`. */
function shown({ rows }: Table<string>): string[] {
  return rows.map(({ row, cells }) => `${row}:${Object.values(cells).join("|")}`);
}

const GOOD: readonly (readonly [title: string, text: string, rows: readonly string[]])[] = [
  ["LF", "a,b\n1,2\n3,4\n", ["1:1|2", "2:3|4"]],
  ["CRLF", "a,b\r\n1,2\r\n3,4\r\n", ["1:1|2", "2:3|4"]],
  ["CR", "a,b\r1,2\r3,4\r", ["1:1|2", "2:3|4"]],
  ["line ends of several kinds", "a,b\r\n1,2\n3,4\r5,6", ["1:1|2", "2:3|4", "3:5|6"]],
  ["no line end at the end", "a,b\n1,2", ["1:1|2"]],
  ["a byte order mark", "\ufeffa,b\n1,2\n", ["1:1|2"]],
  ["a byte order mark before a quote", '\ufeff"a","b"\n1,2\n', ["1:1|2"]],
  ["line ends within quotes", 'a,b\n"x\r\ny\nz",2\n', ["1:x\r\ny\nz|2"]],
  ["quotes within quotes", 'a,b\n"say ""hi""",2\n', ['1:say "hi"|2']],
  ["delimiters within quotes", 'a,b\n"x,y;z",2\n', ["1:x,y;z|2"]],
  ["empty cells", "a,b\n1,\n,2\n", ["1:1|", "2:|2"]],
  ["blanks around names, not around cells", " a , b \n 1 , 2 \n", ["1: 1 | 2 "]],
  ["semicolons between cells", 'a;b\n"1,5";2\n', ["1:1,5|2"]],
  ["tabs between cells", "a\tb\n1;2\t3\n", ["1:1;2|3"]],
  ["semicolons in cells that are separated by commas", "a,b\nx;y,2\n", ["1:x;y|2"]],
  ["a comma in a heading", "a;b (x, y)\n1;2\n", ["1:1"]],
  ["a comma in a heading, without rows that have one", 'a;"b";"c, d";x\n1;2;3;4\n', ["1:1|2"]],
  ["commas in each cell between semicolons", "a;b\n1,5;2,5\n3,5;4,5\n", ["1:1,5|2,5", "2:3,5|4,5"]],
  ["semicolons in most cells between commas", "a,b\nx;y,2\nz;w,3\nv,4\n", ["1:x;y|2", "2:z;w|3", "3:v|4"]],
  ["bars between cells", "a|b\n1,2|3\n", ["1:1,2|3"]],
  ["a first line with the separator", "\ufeffsep=;\r\na;b\r\n1;2\r\n", ["1:1|2"]],
  ["a quoted line with a separator that the headings do not have", '"sep=;"\na;b,c\n1;2\n', ["1:1"]],
  ["a first line with a tab as separator", "sep=\t\na\tb\n1\t2\n", ["1:1|2"]],
  ["a first line with a type", '#TYPE System.Data.DataRow\n"a","b"\n"1","2"\n', ["1:1|2"]],
  ["delimiters missing at the end", "a,b,c\n1,2,\n1,2\n1\n", ["1:1|2|", "2:1|2|", "3:1||"]],
  ["a delimiter at the end of rows", "a,b\n1,2,\n3,4,,\n", ["1:1|2", "2:3|4"]],
  ["a delimiter at the end of all lines", "a,b,\n1,2,\n3,4,\n", ["1:1|2", "2:3|4"]],
  ["columns in any order", "b,a\n2,1\n", ["1:2|1"]],
  ["one column", "a\n1;2\n", ["1:1;2"]],
  ["blank rows, which count", "\n\na,b\n1,2\n\n , \n3,4\n\n", ["1:1|2", "4:3|4"]],
  ["guards removed", "a,b\n'=1,''-2\n'x,=3\n", ["1:=1|'-2", "2:'x|=3"]],
  ["names of built-in properties", "a,b\n__proto__,constructor\n", ["1:__proto__|constructor"]],
  ["a header alone", "a,b\n", []],
];

for (const [title, text, rows] of GOOD) {
  Deno.test(`CSV is read with ${title}`, () => {
    const table = read(text);
    assert.deepEqual(table.findings.filter(({ code }) => code !== "unknown_column"), []);
    assert.deepEqual(shown(table), rows);
  });
}

type Found = readonly [code: string, row: number, column?: string];

const BAD:
  readonly (readonly [title: string, text: string, findings: readonly Found[], rows: readonly string[]])[] = [
    ["an empty text", "", [["no_header", 0]], []],
    ["blank lines only", "\n \r\n", [["no_header", 0]], []],
    ["an unknown column", "a,x,b\n1,2,3\n", [["unknown_column", 0, "x"]], ["1:1|3"]],
    ["a column in upper case", "A,b\n1,2\n", [["unknown_column", 0, "A"], ["missing_column", 0, "a"]], [
      "1:2",
    ]],
    ["a column twice", "a,b,a\n1,2,3\n", [["duplicate_column", 0, "a"]], ["1:1|2"]],
    ["an unknown column twice", "a,x,x\n1,2,3\n", [["unknown_column", 0, "x"]], ["1:1"]],
    ["a column without a name", "a,\n1,2\n", [["unknown_column", 0, ""]], ["1:1"]],
    ["a missing column", "b\n1\n", [["missing_column", 0, "a"]], ["1:1"]],
    ["a row without a required cell", "b,a\n1\n2,3\n", [["cell_count", 1]], ["2:2|3"]],
    ["rows with too many cells", "a,b\n1,2\n1,2,3\n4,5,,6\n", [["cell_count", 2], ["cell_count", 3]], [
      "1:1|2",
    ]],
    ["a quote that does not end", 'a,b\n1,2\n"3,4\n5,6\n', [["syntax", 2]], ["1:1|2"]],
    ["text after a quote", 'a,b\n1,2\n"3"x,4\n5,6\n', [["syntax", 2]], ["1:1|2"]],
    ["a quote within a cell", 'a,b\n1,x"y"\n', [["syntax", 1]], []],
    ["a broken header", '"a,b\n', [["syntax", 0]], []],
    ["more rows than are read", "a\n1\n2\n3\n", [["too_many_rows", 0]], ["1:1", "2:2"]],
  ];

for (const [title, text, findings, rows] of BAD) {
  Deno.test(`CSV: ${title} is a finding with its row`, () => {
    const table = read(text, { maxRows: 2 });
    assert.deepEqual(
      table.findings.map(({ code, row, field }) => field === undefined ? [code, row] : [code, row, field]),
      findings,
    );
    assert.deepEqual(shown(table), rows);
    for (const one of table.findings) assert.match(textOf(one), /^[A-Z].*[.)?]$/s);
  });
}

Deno.test("CSV: a cell that exceeds the limit is a finding on its column, one at the limit is not", () => {
  const table = read(`a,b\n1,${"x".repeat(MAX_CELL_CHARS + 1)}\n2,${"y".repeat(MAX_CELL_CHARS)}\n`);
  assert.deepEqual(table.findings.map(({ code, row, field }) => [code, row, field]), [[
    "cell_size",
    1,
    "b",
  ]]);
  assert.deepEqual(table.rows[0]?.cells, { a: "1" });
  assert.equal(table.rows[1]?.cells.b?.length, MAX_CELL_CHARS);
});

Deno.test("CSV: reading ends at a row with more cells than the limit", () => {
  const wide = read(`a,b\n1,2\n${",".repeat(MAX_ROW_CELLS)}\n3,4\n`);
  assert.deepEqual(wide.findings.map(({ code, row }) => [code, row]), [["row_too_wide", 2]]);
  assert.deepEqual(shown(wide), ["1:1|2"]);
  assert.deepEqual(read(",".repeat(MAX_ROW_CELLS)).findings.map(({ row }) => row), [0]);
});

Deno.test("CSV: messages about columns are short and have no control characters", () => {
  const [finding] = read(`a,"x\u202e\u001b${"y".repeat(10_000)}"\n`).findings;
  assert.equal(finding?.code, "unknown_column");
  assert(textOf(finding).length < 300);
  assert.doesNotMatch(textOf(finding), /[\p{Cc}\u202e]/u);
});

const FLOODS: readonly (readonly [title: string, text: string])[] = [
  ["commas", ",".repeat(10_000_000)],
  ["line ends", "\n".repeat(10_000_000)],
  ["line ends after a header", `a\n${"\n".repeat(10_000_000)}1`],
  ["quotes", '"'.repeat(10_000_001)],
  ["one cell", "x".repeat(10_000_000)],
  ["one quoted cell", `a\n"${"x,\n".repeat(3_000_000)}`],
  ["short rows", `a,b\n${"1\n".repeat(3_000_000)}`],
  ["columns", "x,".repeat(900)],
];

for (const [title, text] of FLOODS) {
  Deno.test(`CSV: a flood of ${title} takes limited time and has few findings`, () => {
    const started = cpuMillis();
    const { rows, findings } = read(text);
    assert(findings.length > 0 && findings.length <= MAX_TABLE_FINDINGS + 1, `${findings.length} findings`);
    assert(rows.length <= OPTIONS.maxRows);
    assert(cpuMillis() - started < 5_000, `${cpuMillis() - started} ms`);
  });
}

Deno.test("blank rows at the end are not read, elsewhere a thousand are skipped", () => {
  const read = (text: string): Table<string> => readCsv(text, { columns: ["a", "b"], maxRows: 10 });
  for (const blank of ["\n", "\r\n", " \n", ",,\n"]) {
    const before = cpuMillis();
    const atEnd = read(`a,b\n1,\n${blank.repeat(99_000)}`);
    assert.deepEqual([atEnd.rows.length, atEnd.findings], [1, []]);
    assert.equal(read(`a,b\n${blank.repeat(1_000)}1,2\n`).rows.length, 1);
    assert.deepEqual(read(`a,b\n${blank.repeat(99_000)}1,2\n`).findings.map(({ code }) => code), [
      "too_many_rows",
    ]);
    assert.ok(cpuMillis() - before < 1_000);
  }
});
