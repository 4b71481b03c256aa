/** Tables are split into the same rows, however their text is divided into chunks. */

import assert from "node:assert/strict";
import { splitterOf, type TableFormat } from "../../src/cli/table_splitters.ts";

const CASES: readonly [format: TableFormat, text: string, rows: string[], joined: string][] = [
  [
    "csv",
    '\ufeff\r\na,b\r\n1,"x\r\n""y"""\r\n\r\n2,z',
    ['1,"x\r\n""y"""\r\n', "\r\n", "2,z\n"],
    'a,b\r\n1,"x\r\n""y"""\r\n\r\n2,z\n',
  ],
  ["csv", "a\r1\r2\r", ["1\r", "2\r"], "a\r1\r2\r"],
  ["csv", "sep=;\r\na;b\r\n1;2\r\n", ["1;2\r\n"], "sep=;\r\na;b\r\n1;2\r\n"],
  ["csv", "#TYPE X\na,b\n1,2\n", ["1,2\n"], "#TYPE X\na,b\n1,2\n"],
  [
    "json",
    '{"a": 1, "b": [2, 3]}\n{"a": {"c": 4}}\n',
    ['{"a": 1, "b": [2, 3]}', '{"a": {"c": 4}}'],
    '[{"a": 1, "b": [2, 3]},{"a": {"c": 4}}]',
  ],
  [
    "json",
    '{"count": 2, "next": null, "results": [{"a": [1]}, {"b": 2}]}',
    ['{"a": [1]}', '{"b": 2}'],
    '[{"a": [1]},{"b": 2}]',
  ],
  [
    "json",
    ' [ {"a": "],\\"{", "b": [1, {"c": 2}]} ,\n{"a": 1}, 3 ] ',
    ['{"a": "],\\"{", "b": [1, {"c": 2}]}', '{"a": 1}', "3"],
    '[{"a": "],\\"{", "b": [1, {"c": 2}]},{"a": 1},3]',
  ],
  ["json", "[]", [], "[]"],
  [
    "yaml",
    "---\n# x\n- a: 1\n  b:\n  - 2\n- a: 3",
    ["- a: 1\n  b:\n  - 2\n", "- a: 3\n"],
    "- a: 1\n  b:\n  - 2\n- a: 3\n",
  ],
  [
    "pem",
    "# Certificate: x\n# Serial: 1\n-----BEGIN X\n1\n-----BEGIN X\n2\n# Certificate: y\n-----BEGIN X\n3\n",
    [
      "# Certificate: x\n# Serial: 1\n-----BEGIN X\n1\n-----BEGIN X\n2\n",
      "# Certificate: y\n-----BEGIN X\n3\n",
    ],
    "# Certificate: x\n# Serial: 1\n-----BEGIN X\n1\n-----BEGIN X\n2\n# Certificate: y\n-----BEGIN X\n3\n",
  ],
  [
    "pem",
    "-----BEGIN X\n1\n-----BEGIN X\n2\n",
    ["-----BEGIN X\n1\n", "-----BEGIN X\n2\n"],
    "-----BEGIN X\n1\n-----BEGIN X\n2\n",
  ],
];
for (const [format, text, rows, joined] of CASES) {
  for (const size of [1, 2, 7, 1_000]) {
    Deno.test(`${format} in pieces of ${size} bytes: ${JSON.stringify(text.slice(0, 30))} has ${rows.length} rows`, () => {
      const splitter = splitterOf(format);
      const found: string[] = [];
      for (let at = 0; at < text.length; at += size) found.push(...splitter.push(text.slice(at, at + size)));
      found.push(...splitter.end());
      assert.deepEqual(found, rows);
      assert.equal(splitter.join(found).replace(/^\ufeff/, ""), joined);
    });
  }
}

Deno.test("a JSON list that ends in the middle, and a row without an end, are refused", () => {
  const splitter = splitterOf("json");
  splitter.push('[{"a": 1');
  assert.throws(() => splitter.end(), /not complete/);
  assert.throws(
    () => splitterOf("csv").push(`a\n"${"x".repeat(9 * 1024 * 1024)}`),
    /Is a quote or bracket missing/,
  );
});
