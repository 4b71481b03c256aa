import assert from "node:assert/strict";
import { countCases, timesOfFiles } from "./junit.ts";

function report(...cases: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="deno test">\n<testsuite name="a">\n${
    cases.join("\n")
  }\n</testsuite>\n</testsuites>\n`;
}

const PASSED = `<testcase name="good" classname="a" time="0.1">\n</testcase>`;
const FAILED = `<testcase name="bad"><failure message="no">Error: no</failure></testcase>`;
const ERROR = `<testcase name="broken"><error message="no"/></testcase>`;
const IGNORED = `<testcase name="a &lt;b&gt; &amp;lt;"><skipped/></testcase>`;

const TABLE = [
  { title: "an empty report", cases: [], outcome: { passed: 0, failed: 0, ignored: [] } },
  {
    title: "passed ones, long and short",
    cases: [PASSED, `<testcase name="x"/>`, PASSED],
    outcome: { passed: 3, failed: 0, ignored: [] },
  },
  {
    title: "failures and errors",
    cases: [FAILED, PASSED, ERROR],
    outcome: { passed: 1, failed: 2, ignored: [] },
  },
  {
    title: "ignored ones, by name",
    cases: [IGNORED, FAILED],
    outcome: { passed: 0, failed: 1, ignored: ["a <b> &lt;"] },
  },
  {
    title: "a message that mentions failures",
    cases: [`<testcase name="&lt;failure"><system-out>&lt;failure&gt;</system-out></testcase>`],
    outcome: { passed: 1, failed: 0, ignored: [] },
  },
];

for (const { title, cases, outcome } of TABLE) {
  Deno.test(`a report is counted: ${title}`, () => assert.deepEqual(countCases(report(...cases)), outcome));
}

Deno.test("the time of a file is that of its tests, without their steps", () => {
  const text = report(
    `<testcase name="one" time="0.5"/>`,
    `<testcase name="one &gt; step" time="0.4"/>`,
    `<testcase name="a &gt; b" time="0.25"></testcase>`,
  ).replace('name="a"', 'name="./tests/x_test.ts"');
  assert.deepEqual(timesOfFiles(text), [{ file: "tests/x_test.ts", ms: 750 }]);
});
