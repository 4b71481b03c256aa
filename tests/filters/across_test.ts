import assert from "node:assert/strict";
import {
  across,
  EVERYTHING,
  isEverything,
  matchesNothing,
  not,
  NOTHING,
  parseConstraint,
} from "../../src/filters/mod.ts";
import { CERTIFICATES } from "./support.ts";

Deno.test("a condition across a relation compares the same fields of the related row", () => {
  const { condition } = parseConstraint(
    [{ tenant__slug: "acme", status__n: "active" }, { id: 7 }],
    CERTIFICATES,
  );
  const paths: string[] = [];
  JSON.stringify(across("certificate", not(condition)), (key, value) => {
    if (key === "path") paths.push(value.join("__"));
    return value;
  });
  assert.deepEqual(paths, ["certificate__tenant__slug", "certificate__status", "certificate__id"]);
});

Deno.test("a condition that is always or never true is so across a relation, too", () => {
  assert(isEverything(across("certificate", EVERYTHING)));
  assert(matchesNothing(across("certificate", NOTHING)));
});

Deno.test("a search across a relation is refused", () => {
  assert.throws(() => across("certificate", { kind: "search", text: "x" }), /Use comparisons/);
});
