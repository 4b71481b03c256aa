import assert from "node:assert/strict";
import { compilePattern } from "../../src/lookup/regex.ts";
import { cpuMillis } from "../support/cpu_time.ts";

function pattern(source: string, ignoreCase = false): (text: string) => boolean {
  const result = compilePattern(source, { ignoreCase });
  if ("error" in result) throw new Error(result.error);
  return result.pattern.test;
}

Deno.test("a pattern matches anywhere unless it is anchored", () => {
  assert.equal(pattern("b.d")("abcde"), true);
  assert.equal(pattern("^b.d")("abcde"), false);
  assert.equal(pattern("^[a-z]+$")("abcde"), true);
});

Deno.test("a pattern heeds case unless told otherwise", () => {
  assert.equal(pattern("ABC")("abc"), false);
  assert.equal(pattern("ABC", true)("abc"), true);
  assert.equal(pattern("É", true)("é"), true);
});

for (
  const source of ["(", "[a", "a**", "(?=a)", "(?<!a)b", "(a)\\1", "(a{1000}){1000}", "((a{100}){100}){100}"]
) {
  Deno.test(`${source} is refused with a reason`, () => {
    const result = compilePattern(source, { ignoreCase: false });
    assert.ok("error" in result && result.error.length > 0);
  });
}

Deno.test("patterns that make backtracking engines run for ages are matched in linear time", () => {
  const text = "a".repeat(2_000) + "!";
  const before = cpuMillis();
  for (const source of ["^(a+)+$", "^(a|aa)+$", "^(.*a){12}$", "(a*)*b"]) {
    assert.equal(pattern(source)(text), false);
  }
  assert.ok(cpuMillis() - before < 2_000);
});

Deno.test("a pattern knows its size, the unit of the work it makes", () => {
  const size = (source: string): number => {
    const result = compilePattern(source, { ignoreCase: false });
    return "pattern" in result ? result.pattern.size : NaN;
  };
  assert.ok(size("[ab]{100}") > 100);
  assert.ok(size("abc") < 20);
});
