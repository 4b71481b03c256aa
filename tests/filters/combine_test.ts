import assert from "node:assert/strict";
import {
  and,
  type Condition,
  EVERYTHING,
  isEverything,
  matchesNothing,
  mergeAlternatives,
  not,
  NOTHING,
  or,
} from "../../src/filters/mod.ts";

const A: Condition = { kind: "search", text: "a" };
const B: Condition = { kind: "search", text: "b" };
const C: Condition = { kind: "search", text: "c" };

const FOLDED: readonly [string, Condition, Condition][] = [
  ["and() of nothing is everything", and(), EVERYTHING],
  ["or() of nothing is nothing", or(), NOTHING],
  ["and() of one is that one", and(A), A],
  ["or() of one is that one", or(A), A],
  ["and() omits what is always true", and(A, EVERYTHING), A],
  ["and() with nothing is nothing", and(A, NOTHING, B), NOTHING],
  ["or() omits what is never true", or(NOTHING, A), A],
  ["or() with everything is everything", or(A, EVERYTHING), EVERYTHING],
  ["and() is flattened", and(and(A, B), C), { kind: "and", terms: [A, B, C] }],
  ["or() is flattened", or(A, or(B, C)), { kind: "or", terms: [A, B, C] }],
  ["and() does not flatten an or()", and(or(A, B), C), {
    kind: "and",
    terms: [{ kind: "or", terms: [A, B] }, C],
  }],
  ["or() does not flatten an and()", or(and(A, B), C), {
    kind: "or",
    terms: [{ kind: "and", terms: [A, B] }, C],
  }],
  ["not() of everything is nothing", not(EVERYTHING), NOTHING],
  ["not() of nothing is everything", not(NOTHING), EVERYTHING],
  ["not() of not() is the condition itself", not(not(A)), A],
  ["not() keeps a condition that it cannot simplify", not(A), { kind: "not", term: A }],
];

for (const [title, actual, expected] of FOLDED) {
  Deno.test(title, () => assert.deepEqual(actual, expected));
}

Deno.test("isEverything and matchesNothing recognize the two constants and nothing else", () => {
  assert.deepEqual([EVERYTHING, NOTHING, A].map(isEverything), [true, false, false]);
  assert.deepEqual([EVERYTHING, NOTHING, A].map(matchesNothing), [false, true, false]);
});

const equal = (path: string, ...values: string[]): Condition => ({
  kind: "compare",
  path: [path],
  operator: "exact",
  values,
  negated: false,
});

Deno.test("merged alternatives: equal ones once, equalities of one field as one, all others as they are", () => {
  const unequal: Condition = {
    kind: "compare",
    path: ["a"],
    operator: "exact",
    values: ["1"],
    negated: true,
  };
  const merged = mergeAlternatives(
    [equal("a", "1"), and(A, equal("a", "9")), or(equal("a", "2", "1"), B), equal("b", "1"), A, A, unequal],
    { max: 7 },
  );
  const expected = or(equal("a", "1", "2"), equal("b", "1"), and(A, equal("a", "9")), B, A, unequal);
  assert.deepEqual(merged, expected);
  assert.deepEqual(mergeAlternatives([], { max: 0 }), NOTHING);
  assert.deepEqual(mergeAlternatives([A, EVERYTHING, B], { max: 1 }), EVERYTHING);
});

Deno.test("alternatives beyond the limit are not merged, and the rest of them is not read", () => {
  let read = 0;
  function* many(): Generator<Condition> {
    for (; read < 1_000; read++) yield { kind: "search", text: String(read) };
  }
  assert.equal(mergeAlternatives(many(), { max: 10 }), undefined);
  assert.equal(read, 10);
  const texts = ["a", "b", "c"];
  const search: Condition = {
    kind: "compare",
    path: ["a"],
    operator: "icontains",
    values: texts,
    negated: false,
  };
  assert.equal(mergeAlternatives([search], { max: 2 }), undefined, "each text is compared with every row");
  assert.deepEqual(mergeAlternatives([search], { max: 3 }), search);
});
