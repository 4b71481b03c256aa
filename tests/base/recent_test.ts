import assert from "node:assert/strict";
import { cacheRecent } from "../../src/base/memoize.ts";

function counting(): { readonly made: string[]; readonly lengthOf: ReturnType<typeof cacheRecent<number>> } {
  const made: string[] = [];
  const lengthOf = cacheRecent((text) => {
    made.push(text);
    return text.length;
  });
  return { made, lengthOf };
}

Deno.test("a recent result is computed once for equal texts", () => {
  const { made, lengthOf } = counting();
  for (const text of ["one", "three", ["o", "ne"].join(""), "three"]) {
    assert.equal(lengthOf(text), text.length);
  }
  assert.deepEqual(made, ["one", "three"]);
});

Deno.test("a result that is already known is stored and not computed", () => {
  const { made, lengthOf } = counting();
  lengthOf.add("one", 3);
  assert.equal(lengthOf("one"), 3);
  assert.deepEqual(made, []);
});

Deno.test("the oldest of too many results is evicted, and computed again when it is needed", () => {
  const { made, lengthOf } = counting();
  const texts = Array.from({ length: 17 }, (_, index) => "x".repeat(index));
  for (const text of texts) lengthOf(text);
  assert.equal(lengthOf(texts.at(-1) as string), 16);
  assert.equal(made.length, 17);
  assert.equal(lengthOf(""), 0);
  assert.equal(made.length, 18);
});
