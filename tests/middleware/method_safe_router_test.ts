/** Clients may invent methods, and some of their names are those of JavaScript's own properties. */

import assert from "node:assert/strict";
import { MethodSafeRouter } from "../../src/middleware/mod.ts";

Deno.test("all unknown methods match in the same way", () => {
  const router = new MethodSafeRouter<string>();
  router.add("ALL", "/a/", "a");
  for (const method of ["constructor", "__proto__", "BREW"]) {
    assert.equal(router.match(method, "/a/")[0].length, 1, method);
  }
});
