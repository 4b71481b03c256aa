import assert from "node:assert/strict";
import { readCases } from "./limbo.ts";
import { shuffled } from "./shuffle.ts";
import { type Grade, grade, Summary } from "./summary.ts";

const CASES = JSON.stringify({
  testcases: ["core::a", "core::b"].map((id) => ({ id, expected_result: "FAILURE", validation_time: null })),
});
const ANNOTATIONS = JSON.stringify({
  "core::a": { tier: "core", expect: "reject", status: ["expired"], why: "time" },
});

Deno.test("A result is graded by the expected result of its case", () => {
  const [rejected, own] = readCases(CASES, ANNOTATIONS);
  const answers: readonly [status: string, isValid: boolean, expected: Grade][] = [
    ["expired", false, "right"],
    ["incomplete", false, "wrong status"],
    ["valid", true, "false accept"],
  ];
  for (const [status, isValid, expected] of answers) {
    assert.equal(grade(rejected!, { status, isValid, errors: [] }), expected);
  }
  const accepted = { ...rejected!, expect: "accept" as const };
  assert.equal(grade(accepted, { status: "expired", isValid: false, errors: [] }), "false reject");
  assert.deepEqual([own!.tier, own!.expect], ["core", "reject"]);
});

Deno.test("The table counts by tier and names the slowest case", () => {
  const [first, second] = readCases(CASES, ANNOTATIONS);
  const summary = new Summary();
  summary.add(first!, { grade: "false accept", ms: 2 });
  summary.add(second!, { grade: "right", ms: 7.25 });
  const row = summary.table().split("\n")[1]!;
  assert.deepEqual(row.split(/\s+/), ["core", "2", "1", "0", "0", "7.3", "core::b"]);
});

Deno.test("A shuffle keeps all items and depends on its seed only", () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  assert.deepEqual(shuffled(items, 1), shuffled(items, 1));
  assert.notDeepEqual(shuffled(items, 1), shuffled(items, 2));
  assert.deepEqual(shuffled(items, 3).sort((a, b) => a - b), items);
});
