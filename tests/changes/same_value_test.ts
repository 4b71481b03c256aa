/** Comparison of the values of two snapshots. */

import assert from "node:assert/strict";
import { isSameValue } from "../../src/changes/mod.ts";

Deno.test("values are the same if their JSON is, and numbers, texts and null differ from each other", () => {
  const values = [null, 0, 1, "1", "", true, false, [], [1], ["1"], [[1]], {}, { a: 1 }, { a: null }, {
    b: 1,
  }];
  for (const [index, one] of values.entries()) {
    for (const [place, other] of values.entries()) {
      const copy: unknown = JSON.parse(JSON.stringify(other));
      assert.equal(
        isSameValue(one, copy),
        index === place,
        `${JSON.stringify(one)} and ${JSON.stringify(other)}`,
      );
    }
  }
});
