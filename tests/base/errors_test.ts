/** Errors and their public text. */

import assert from "node:assert/strict";
import { addError, AppError, type FieldErrors, forbidden, invalid, notFound } from "../../src/base/errors.ts";

Deno.test("an error shows its public text and keeps its cause for the log", () => {
  const cause = new Error("the inside");
  const error = new AppError("conflict", "In use.", { cause, headers: { allow: "GET" } });
  assert.deepEqual(error.public, { detail: "In use." });
  assert.equal(error.cause, cause);
  assert.deepEqual(error.headers, { allow: "GET" });
  assert(!error.message.includes("the inside"));
  assert(error instanceof Error && error.name === "AppError");
});

Deno.test("missing and hidden objects, and all forbidden actions, have the same error", () => {
  assert.deepEqual(notFound().public, { detail: "Not found." });
  assert.deepEqual(forbidden().public, { detail: "You do not have permission to perform this action." });
  assert.deepEqual(invalid([{}, { name: ["x"] }]).public, [{}, { name: ["x"] }]);
});

Deno.test("messages of a field are kept in order", () => {
  const errors: FieldErrors = {};
  addError(errors, "name", "one");
  addError(errors, "slug", "two");
  addError(errors, "name", "three");
  assert.deepEqual(errors, { name: ["one", "three"], slug: ["two"] });
});

Deno.test("a field may have any name, also one of an inherited property", () => {
  const errors: FieldErrors = {};
  for (const name of ["__proto__", "constructor", "toString"]) addError(errors, name, "no");
  assert.deepEqual(
    JSON.parse(JSON.stringify(errors)),
    JSON.parse('{"__proto__":["no"],"constructor":["no"],"toString":["no"]}'),
  );
  assert.equal(Object.getPrototypeOf({}).no, undefined);
});
