/** Messages of the API in the words of the pages. */

import assert from "node:assert/strict";
import { AppError, invalid, invalidField } from "../../src/base/errors.ts";
import { type Finding, finding } from "../../src/base/findings.ts";
import { fieldErrorsOf, messagesOf } from "../../src/web/messages.ts";

const MESSAGES: readonly (readonly [given: Finding, shown: string])[] = [
  [
    finding("ends_before_start", { field: "valid_to", other: "valid_from" }),
    '"Valid to" must not be before "Valid from".',
  ],
  [finding("one_host"), "Choose one device or one virtual machine, not both."],
  [finding("expected_some", { thing: "name" }), "Enter at least one name."],
  // Values, filters and choices stay as they are.
  [
    finding("not_sortable", { value: "“not_after”", suggestion: "valid_to" }),
    "Cannot order by “not_after”. Did you mean “valid_to”?",
  ],
  [
    finding("expected_one_of", { choices: ["min_key_size", "san_required"] }),
    "Expected one of min_key_size, san_required.",
  ],
  [finding("required"), "This field is required."],
];

for (const [given, shown] of MESSAGES) {
  Deno.test(`on pages, a finding is: ${shown}`, () => {
    assert.deepEqual(fieldErrorsOf(invalid([{ ...given, field: "name" }])), {
      name: [shown],
    });
    assert.deepEqual(messagesOf(invalid([{ ...given, field: "valid_to" }])), [
      `Valid to: ${shown}`,
    ]);
  });
}

Deno.test("on pages, the sentence of an error is unchanged", () => {
  assert.deepEqual(fieldErrorsOf(new AppError("conflict", "No.")), {
    __all__: ["No."],
  });
  assert.deepEqual(messagesOf(invalidField("name", "blank")), [
    "Name: This field may not be blank.",
  ]);
});
