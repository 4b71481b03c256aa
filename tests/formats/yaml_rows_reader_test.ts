/** YAML that is made to take long is refused before the library parses it. */

import assert from "node:assert/strict";
import { cpuMillis } from "../support/cpu_time.ts";
import { readingYaml } from "../../src/formats/read_yaml.ts";
import { atOnce } from "../../src/base/pace.ts";
import type { Table } from "../../src/formats/mod.ts";

const OPTIONS = { columns: ["a", "b"], maxRows: 3 };
/** Milliseconds of processor time for a document of 4.8 MB. */
const WORST_MS = 150;

function read(text: string): Table<unknown> {
  return atOnce(readingYaml(text, OPTIONS));
}

for (
  const [title, unit, start, message] of [
    ["empty items", "- \n", "", "too_many_rows"],
    ["items", "- a: 1\n", "", "too_many_rows"],
    ["carriage returns", "\r", "- a: 1\n", "syntax"],
    ["items that end with carriage returns", "- a: 1\r", "", "too_many_rows"],
    ["comments", "#\n", "", "syntax"],
    ["directives", "%YAML 1.2\n", "", "syntax"],
    ["lists in a list", "- ", "- ", "syntax"],
    ["maps in a map", "{", "- ", "syntax"],
    ["one text", "x", '- a: "', "syntax"],
    ["one text of many lines", "x\n  ", "- a: ", "syntax"],
    ["white space", " ", "- a:", "syntax"],
  ] as const
) {
  Deno.test(`YAML rows: 4.8 MB of ${title} are read or refused in little time`, () => {
    const text = start + unit.repeat(Math.floor(4_800_000 / unit.length));
    const before = cpuMillis();
    const { findings } = read(text);
    assert(cpuMillis() - before < WORST_MS, `Takes ${cpuMillis() - before} ms`);
    assert(
      findings.some(({ code }) => code === message),
      JSON.stringify(findings.slice(0, 3)),
    );
  });
}

Deno.test("YAML rows: items may end with any line break, and follow a byte order mark and comments", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = [
      "\ufeff# Rows",
      "---",
      "- a: 1",
      "  b: |",
      "    x",
      "    y",
      "- a: 2",
      "  b: z",
      "",
    ].join(end);
    const { rows, findings } = read(text);
    assert.deepEqual(findings, []);
    assert.deepEqual(rows.map(({ cells }) => cells), [{ a: 1, b: "x\ny\n" }, {
      a: 2,
      b: "z",
    }]);
  }
});
