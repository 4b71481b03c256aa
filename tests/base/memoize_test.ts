/** Results that exist as long as the object for which they were computed. */

import assert from "node:assert/strict";
import { memoize } from "../../src/base/memoize.ts";

Deno.test("a memoized function runs once per object, also when it returns undefined", () => {
  const calls: object[] = [];
  const made = memoize((key: object) => {
    calls.push(key);
    return undefined;
  });
  const [one, other] = [{}, {}];
  for (const key of [one, other, one, other]) assert.equal(made(key), undefined);
  assert.deepEqual(calls, [one, other]);
});

Deno.test("equal objects do not share a result", () => {
  const stateOf = memoize((_: object) => new Map<string, number>());
  const [one, other] = [{ name: "a" }, { name: "a" }];
  stateOf(one).set("count", 1);
  assert.equal(stateOf(one).get("count"), 1);
  assert.equal(stateOf(other).size, 0);
});

Deno.test("a failure is not cached", () => {
  let attempts = 0;
  const made = memoize((_: object) => {
    if (++attempts === 1) throw new Error("first");
    return attempts;
  });
  const key = {};
  assert.throws(() => made(key), /first/);
  assert.equal(made(key), 2);
});
