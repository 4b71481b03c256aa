import assert from "node:assert/strict";
import { AppError } from "../../src/base/errors.ts";
import { jsonText } from "../../src/db/mod.ts";

const JSON_TEXTS: [value: unknown, text: string][] = [
  [["a", 1, null, true], `["a",1,null,true]`],
  [["\ud800"], `["\ufffd"]`],
  [{ a: { b: ["x\udc00"] } }, `{"a":{"b":["x\ufffd"]}}`],
  [["🙂"], `["🙂"]`],
  [["\\ud800"], `["\\\\ud800"]`],
  [["\\u0000"], `["\\\\u0000"]`],
];

for (const [value, text] of JSON_TEXTS) {
  Deno.test(`jsonText returns ${text}`, () => assert.equal(jsonText(value), text));
}

Deno.test("jsonText refuses a null character, however deep", () => {
  assert.throws(
    () => jsonText({ a: [{ b: "x\0" }] }),
    (error) => error instanceof AppError && error.code === "invalid",
  );
});
