/** Errors and their public text. */

import assert from "node:assert/strict";
import { AppError, forbidden, invalid, notFound } from "../../src/base/errors.ts";
import { findingAt } from "../../src/base/findings.ts";

Deno.test("an error shows its public text and keeps its cause for the log", () => {
  const cause = new Error("the inside");
  const error = new AppError("conflict", "In use.", {
    cause,
    headers: { allow: "GET" },
  });
  assert.deepEqual(error.public, { detail: "In use." });
  assert.equal(error.cause, cause);
  assert.deepEqual(error.headers, { allow: "GET" });
  assert(!error.message.includes("the inside"));
  assert(error instanceof Error && error.name === "AppError");
});

Deno.test("missing and hidden objects, and all forbidden actions, have the same error", () => {
  assert.deepEqual(notFound().public, { detail: "Not found." });
  assert.deepEqual(forbidden().public, {
    detail: "You do not have permission to perform this action.",
  });
  assert.deepEqual(
    invalid([[], [findingAt("name", "text", { text: "x" })]]).public,
    [{}, { name: ["x"] }],
  );
});

Deno.test("a field may have any name, also one of an inherited property; its messages keep their order", () => {
  const names = ["__proto__", "constructor", "toString"];
  const findings = ["one", "two"].flatMap((text) => names.map((name) => findingAt(name, "text", { text })));
  assert.deepEqual(
    JSON.parse(JSON.stringify(invalid(findings).public)),
    JSON.parse(
      '{"__proto__":["one","two"],"constructor":["one","two"],"toString":["one","two"]}',
    ),
  );
  assert.equal(Object.getPrototypeOf({}).one, undefined);
});
