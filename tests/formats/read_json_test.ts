import assert from "node:assert/strict";
import { textOf } from "../../src/base/findings.ts";
import { MAX_CELL_CHARS, MAX_TABLE_FINDINGS } from "../../src/base/limits.ts";
import type { Table } from "../../src/formats/mod.ts";
import { readJsonRows } from "../../src/formats/read_json.ts";

const OPTIONS = { columns: ["a", "b"], maxRows: 3 };

function codes({ findings }: Table<unknown>): unknown[] {
  return findings.map(({ code, row, field }) => field === undefined ? [code, row] : [code, row, field]);
}

Deno.test("JSON rows: objects are read with their values unchanged", () => {
  const table = readJsonRows('\ufeff[{"a": 1, "b": ["x", null]}, {}, {"b": "\'=1"}]', OPTIONS);
  assert.deepEqual(table, {
    named: [{ name: "a", column: "a", samples: ["1"] }, { name: "b", column: "b", samples: ["'=1"] }],
    rows: [{ row: 1, cells: { a: 1, b: ["x", null] } }, { row: 2, cells: {} }, {
      row: 3,
      cells: { b: "'=1" },
    }],
    findings: [],
  });
});

const LISTS: readonly (readonly [title: string, text: string])[] = [
  ["a list", '[{"a": 1}, {"a": 2}]'],
  ["the results of a list in an API", '{"count": 2, "next": null, "results": [{"a": 1}, {"a": 2}]}'],
  ["an object on each line", '{"a": 1}\n{"a": 2}\n'],
  ["objects on lines with blank ones and CRLF", '\ufeff{"a": 1}\r\n\r\n {"a": 2} \r\n'],
];
for (const [title, text] of LISTS) {
  Deno.test(`JSON rows are read from ${title}`, () => {
    const { rows, findings } = readJsonRows(text, OPTIONS);
    assert.deepEqual([rows.map(({ cells }) => cells.a), findings], [[1, 2], []]);
  });
}

const BAD:
  readonly (readonly [title: string, text: string, findings: readonly unknown[], rows: readonly number[]])[] =
    [
      ["an empty text", "", [["syntax", 0]], []],
      ["no JSON", "[{]", [["syntax", 0]], []],
      ["no list", '{"x": 1}', [["syntax", 0]], []],
      ["lines of which one is no object", '{"a": 1}\n2\n', [["syntax", 0]], []],
      ["more lines than are read", '{"a": 1}\n'.repeat(5), [["too_many_rows", 0]], [1, 2, 3]],
      ["null", "null", [["syntax", 0]], []],
      ["a list of other values than objects", '[1, {"a": 1}, [2]]', [["not_an_object", 1], [
        "not_an_object",
        3,
      ]], [
        2,
      ]],
      ["null among the elements", "[null]", [["not_an_object", 1]], []],
      [
        "unknown names, each once",
        '[{"a": 1, "x": 2}, {"x": 3, "y": 4}]',
        [["unknown_column", 1, "x"], ["unknown_column", 2, "y"]],
        [1, 2],
      ],
      [
        "names of built-in properties",
        '[{"__proto__": {"a": 1}}]',
        [["unknown_column", 1, "__proto__"]],
        [1],
      ],
      ["more rows than are read", "[{}, {}, {}, {}]", [["too_many_rows", 0]], [1, 2, 3]],
    ];

for (const [title, text, findings, rows] of BAD) {
  Deno.test(`JSON rows: ${title} is a finding`, () => {
    const table = readJsonRows(text, OPTIONS);
    assert.deepEqual(codes(table), findings);
    assert.deepEqual(table.rows.map(({ row }) => row), rows);
  });
}

Deno.test("JSON rows: a text beyond the limit is a finding on its column", () => {
  const table = readJsonRows(JSON.stringify([{ a: "x".repeat(MAX_CELL_CHARS + 1), b: 1 }]), OPTIONS);
  assert.deepEqual(codes(table), [["cell_size", 1, "a"]]);
  assert.deepEqual(table.rows[0]?.cells, { b: 1 });
});

Deno.test("JSON rows: the message about malformed JSON does not quote it", () => {
  assert.doesNotMatch(textOf(readJsonRows('[{"a": hunter2', OPTIONS).findings[0]!), /hunter/);
});

Deno.test("JSON rows: the number of findings is limited", () => {
  const names = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`x${index}`, 1]));
  assert.equal(readJsonRows(JSON.stringify([names]), OPTIONS).findings.length, MAX_TABLE_FINDINGS);
  const numbers = JSON.stringify(Array(50_000).fill(1));
  const { findings } = readJsonRows(numbers, { ...OPTIONS, maxRows: 100_000 });
  assert.equal(findings.length, MAX_TABLE_FINDINGS);
});

for (
  const [unit, start, end] of [
    ["{},", "[", "{}]"],
    ["[],", "[", "[]]"],
    ["0,", "[", "0]"],
    ['"",', "[", '""]'],
    ["[],", '[{"a":[', "[]]}]"],
    ["[", "", ""],
    ['{"a":', "[", ""],
    ['"a":0,', "[{", '"a":0}]'],
  ] as const
) {
  Deno.test(`JSON rows: 4.8 MB of ${start}${unit} are counted before they are parsed`, () => {
    const text = start + unit.repeat(Math.floor(4_800_000 / unit.length)) + end;
    const parse = JSON.parse;
    JSON.parse = () => assert.fail("The text is parsed");
    try {
      const { rows, findings: [finding, ...others] } = readJsonRows(text, OPTIONS);
      assert.deepEqual([rows, others, finding?.code], [[], [], "syntax"]);
      assert.match(textOf(finding!), /^The text is too large: /);
    } finally {
      JSON.parse = parse;
    }
  });
}

Deno.test("JSON rows: a table may have fifty values for each row", () => {
  const list = Array.from({ length: 20_000 }, () => ({ a: Array(40).fill(0) }));
  const maxRows = list.length;
  assert.equal(readJsonRows(JSON.stringify(list), { ...OPTIONS, maxRows }).rows.length, maxRows);
});
