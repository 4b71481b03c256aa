/** Every example of the API guide, in its order, against a service that begins with nothing. */

import assert from "node:assert/strict";
import { assertShown, readExamples } from "./examples.ts";
import { withService } from "./support.ts";

const guide = await Deno.readTextFile(new URL("../../docs/api.md", import.meta.url));

Deno.test("what the API guide shows is what the service answers", async (t) => {
  const examples = readExamples(guide);
  assert.ok(examples.length >= 20, `There are ${examples.length} examples`);
  await withService(async (send) => {
    for (const example of examples) {
      await t.step(`${example.title.replace(/^#+ /, "")}: ${example.method} ${example.path}`, async () => {
        const { status, text } = await send(example);
        assert.equal(status, example.status, text);
        const { answer } = example;
        if (answer?.language === "json") assertShown(JSON.parse(text), JSON.parse(answer.text));
        else if (answer !== undefined) {
          assert.equal(text.replaceAll("\r\n", "\n").trimEnd(), answer.text.trimEnd());
        }
      });
    }
  });
});

const DIFFERENT: readonly [title: string, actual: unknown, shown: unknown][] = [
  ["another value", { a: 1 }, { a: 2 }],
  ["a field that is not there", { a: 1 }, { a: 1, b: 2 }],
  ["a field that is not shown", { a: 1, b: 2 }, { a: 1 }],
  ["a longer list", [1, 2], [1]],
  ["a list that has no more", [1], [1, "…"]],
  ["another beginning", { a: "xyz" }, { a: "ab…" }],
];

for (const [title, actual, shown] of DIFFERENT) {
  Deno.test(`an example is not true of ${title}`, () => {
    assert.throws(() => assertShown(actual, shown), assert.AssertionError);
  });
}

Deno.test("an example may leave out what it marks", () => {
  assertShown({ a: 1, b: [1, 2], c: "abc", d: 3 }, { a: "…", b: [1, "…"], c: "ab…", "…": "…" });
});
