import assert from "node:assert/strict";
import { RE2JS } from "re2js";
import { MAX_REGEX_PROGRAM } from "../../src/filters/limits.ts";
import { compilePattern, maxProgramSteps, patternFault, takePattern } from "../../src/filters/regex.ts";
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

Deno.test("a pattern is case-sensitive by default", () => {
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

/** Parts of patterns. Random combinations are mostly valid, with nested repetitions and unusual brackets. */
const PIECES = ["a", "é", "ſ", "\\pL", "\\p{Greek}", "\\x{41}", "\\w", "\\b", "\\Qab{5}\\E", ".", "^", "$"]
  .concat("[ab]", "[]a{3}]", "[^\\]x]", "[[:alpha:]]", "[[:x]", "(", "(?:", "(?i)", "(?P<n>", ")", "|")
  .concat("*", "+", "?", "{2}", "{3,}", "{0,4}", "{0}", "{1,3}?", "{", "}", "]");

Deno.test("no pattern compiles to a program of more than twice the estimated size", () => {
  let state = 1;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  let compiled = 0;
  for (let round = 0; round < 20_000; round++) {
    const source = Array.from({ length: 1 + next(10) }, () => PIECES[next(PIECES.length)]).join("");
    const bound = maxProgramSteps(source);
    if (bound > MAX_REGEX_PROGRAM) continue;
    try {
      const size = RE2JS.compile(source, next(2)).programSize();
      assert.ok(size <= 2 * bound + 4, `${source}: ${size} steps, ${bound} expected`);
      compiled++;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
  }
  assert.ok(compiled > 5_000);
});

Deno.test("a pattern with the maximum number of steps is compiled, and one with more is refused", () => {
  const full = `[ab]{${MAX_REGEX_PROGRAM - 1}}`;
  assert.equal(patternFault(`${full}c`, { ignoreCase: false }), undefined);
  assert.match(patternFault(`${full}cd`, { ignoreCase: false }) ?? "", /longer than 1000 steps/);
  assert.equal(patternFault("a".repeat(200), { ignoreCase: false }), undefined);
});

Deno.test("patterns with too many repetitions are refused before they are compiled", () => {
  const long = ["(a?){1000}", "\\pL{1000}", "(((a{10}){10}){10})", "a{0,1000}", "\\w{1000}"]
    .map((piece) => piece.repeat(Math.floor(200 / piece.length)));
  const before = cpuMillis();
  for (let round = 0; round < 1_000; round++) {
    for (const source of long) assert.ok(patternFault(source, { ignoreCase: true }) !== undefined);
  }
  assert.ok(cpuMillis() - before < 2_000);
});

Deno.test("a checked pattern is compiled once per request", () => {
  const options = { ignoreCase: false };
  assert.equal(patternFault("a+b", options), undefined);
  const [first, second] = [takePattern("a+b", options), takePattern("a+b", options)];
  assert.notEqual(first, second);
  assert.deepEqual([first.test("aab"), second.test("aab"), second.test("ac")], [true, true, false]);
  assert.throws(() => takePattern("(", options), /was not checked/);
});

Deno.test("patterns with catastrophic backtracking are matched in linear time", () => {
  const text = "a".repeat(2_000) + "!";
  const before = cpuMillis();
  for (const source of ["^(a+)+$", "^(a|aa)+$", "^(.*a){12}$", "(a*)*b"]) {
    assert.equal(pattern(source)(text), false);
  }
  assert.ok(cpuMillis() - before < 2_000);
});

Deno.test("a pattern has its size, the unit of its work", () => {
  const size = (source: string): number => {
    const result = compilePattern(source, { ignoreCase: false });
    return "pattern" in result ? result.pattern.size : NaN;
  };
  assert.ok(size("[ab]{100}") > 100);
  assert.ok(size("abc") < 20);
});
