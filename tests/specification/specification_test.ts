/** Every line of the specification about the REST service is proven by an existing test. */

import assert from "node:assert/strict";
import type { Line } from "./line.ts";
import { ELSEWHERE, LINES } from "./table.ts";
import { registeredTitles } from "./titles.ts";
import { duplicateIds, unproven } from "./unproven.ts";

const titles = await registeredTitles();
const texts = new Map([...new Set(titles.values())].map((file) => [file, Deno.readTextFileSync(file)]));
const sources = new Map([...titles].map(([title, file]) => [title, texts.get(file) as string]));

Deno.test("every line of the specification has tests, and all of them exist", () => {
  assert(sources.size > 1_000, `Only ${sources.size} titles were found`);
  assert.deepEqual(unproven(LINES, sources), []);
});

Deno.test("lines have unique ids and a text", () => {
  assert.deepEqual(duplicateIds(LINES), []);
  assert.deepEqual(LINES.filter(({ says, chapter }) => says === "" || chapter === ""), []);
});

Deno.test("chapters that are proven elsewhere are not in the table, and have a reason", () => {
  const chapters = new Set(LINES.map(({ chapter }) => chapter));
  for (const { chapter, reason } of ELSEWHERE) {
    assert(!chapters.has(chapter) && reason !== "", chapter);
  }
});

const TITLES = new Map([["one of many", "const CASES = ['first case'];"], ["two", ""]]);

const CHECKED: readonly (readonly [what: string, provenBy: readonly string[], found: readonly string[]])[] = [
  ["a whole title", ["two"], []],
  ["a title's beginning", ["one of…"], []],
  ["a case of a table", ["one of many › first case"], []],
  ["no title", [], ["x: no test is named"]],
  ["an unknown title", ["two", "three"], ['x: no test is titled "three"']],
  ["a part of a title", ["one of"], ['x: no test is titled "one of"']],
  ["a beginning that no title has", ["three…"], ['x: no test is titled "three…"']],
  ["a missing case", ["two › first case"], ['x: no test is titled "two › first case"']],
];
for (const [what, provenBy, found] of CHECKED) {
  Deno.test(`a line is ${found.length === 0 ? "proven" : "not proven"} by ${what}`, () => {
    const line: Line = { id: "x", chapter: "Any", says: "Anything", provenBy };
    assert.deepEqual(unproven([line], TITLES), found);
  });
}

Deno.test("two lines with one id are found", () => {
  const line: Line = { id: "x", chapter: "Any", says: "Anything", provenBy: [] };
  assert.deepEqual(duplicateIds([line, { ...line, id: "y" }, line]), ["x"]);
});
