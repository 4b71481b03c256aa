/** Every example in the guides, in order, against a service that starts with an empty database. */

import assert from "node:assert/strict";
import { assertShown, type Example, readExamples } from "./examples.ts";
import { withService } from "./support.ts";

/** Pages with examples; each continues with the inventory of those before it. */
const PAGES = ["api.md", "graphql.md", "webhooks.md", "notices.md", "endpoints.md"];

async function examplesOf(page: string): Promise<Example[]> {
  return readExamples(await Deno.readTextFile(new URL(`../../docs/${page}`, import.meta.url)));
}

Deno.test("the service answers every example in the guides as they show", async (t) => {
  await withService(async (send) => {
    for (const page of PAGES) {
      const examples = await examplesOf(page);
      assert.ok(examples.length > 1, `${page} has ${examples.length} examples`);
      for (const example of examples) {
        await t.step(
          `${page} ${example.title.replace(/^#+ /, "")}: ${example.method} ${example.path}`,
          async () => {
            const { status, text } = await send(example);
            assert.equal(status, example.status, text);
            const { answer } = example;
            if (answer?.language === "json") assertShown(JSON.parse(text), JSON.parse(answer.text));
            else if (answer !== undefined) {
              assert.equal(text.replaceAll("\r\n", "\n").trimEnd(), answer.text.trimEnd());
            }
          },
        );
      }
    }
  });
});

const DIFFERENT: readonly [title: string, actual: unknown, shown: unknown][] = [
  ["another value", { a: 1 }, { a: 2 }],
  ["a missing field", { a: 1 }, { a: 1, b: 2 }],
  ["a field that is not shown", { a: 1, b: 2 }, { a: 1 }],
  ["a longer list", [1, 2], [1]],
  ["a list that ends here", [1], [1, "…"]],
  ["another beginning", { a: "xyz" }, { a: "ab…" }],
];

for (const [title, actual, shown] of DIFFERENT) {
  Deno.test(`an example does not match ${title}`, () => {
    assert.throws(() => assertShown(actual, shown), assert.AssertionError);
  });
}

Deno.test("an example may leave out what it marks with an ellipsis", () => {
  assertShown({ a: 1, b: [1, 2], c: "abc", d: 3 }, { a: "…", b: [1, "…"], c: "ab…", "…": "…" });
});
