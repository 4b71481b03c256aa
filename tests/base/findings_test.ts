/** The number of findings in an error response. */

import assert from "node:assert/strict";
import { z } from "zod";
import { boundedList } from "../../src/base/bounded_list.ts";
import { AppError, invalid } from "../../src/base/errors.ts";
import { type Finding, findingAt, MAX_FINDINGS, ofIssue, textOf } from "../../src/base/findings.ts";

function texts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `message ${index}`);
}

/** Returns findings with these messages. */
function findings(
  messages: Readonly<Record<string, readonly string[]>>,
): Finding[] {
  return Object.entries(messages).flatMap(([field, all]) =>
    all.map((text) => findingAt(field, "text", { text }))
  );
}

Deno.test("findings up to the limit are reported, the number of further ones is added", () => {
  const full = { a: texts(MAX_FINDINGS - 1), b: ["last"] };
  assert.deepEqual(invalid(findings(full)).public, full);
  assert.deepEqual(
    invalid(
      findings({ a: texts(MAX_FINDINGS - 1), b: ["last", "x"], c: ["y"] }),
    ).public,
    {
      ...full,
      b: ["last", "x"],
      __all__: ["And 1 more."],
    },
  );
  assert.deepEqual(
    invalid(findings({ __all__: texts(MAX_FINDINGS + 5) })).public,
    {
      __all__: [
        ...texts(MAX_FINDINGS),
        `message ${MAX_FINDINGS + 4}`,
        "And 4 more.",
      ],
    },
  );
});

Deno.test("a list of findings stays aligned with its objects", () => {
  const body = invalid(
    [{ a: texts(MAX_FINDINGS) }, {}, { b: ["x", "y"] }, {}].map(findings),
  ).public;
  assert.deepEqual(body, [{ a: texts(MAX_FINDINGS) }, {}, {
    __all__: ["And 2 more."],
  }, {}]);
});

Deno.test("a sentence and its values stay unchanged", () => {
  assert.deepEqual(new AppError("conflict", "No.").public, { detail: "No." });
  const received = { detail: "No.", rows: texts(500) };
  assert.deepEqual(new AppError("conflict", received).public, received);
});

Deno.test("a list that is too long is refused before its elements are validated", () => {
  let looks = 0;
  const element = z.string().refine(() => ++looks > 0);
  const list = boundedList(element, {
    max: 3,
    error: "No list.",
    empty: "Nothing.",
  });
  const messages = (given: unknown): string[] =>
    list.safeParse(given).error?.issues.map((one) => textOf(ofIssue(one))) ??
      [];
  assert.deepEqual(messages(["a", "b", "c"]), []);
  assert.equal(looks, 3);
  assert.deepEqual(messages(["a", "b", "c", 4]), [
    "Ensure this field has no more than 3 elements.",
  ]);
  assert.equal(looks, 3);
  assert.deepEqual([messages("a"), messages([])], [["No list."], ["Nothing."]]);
});
