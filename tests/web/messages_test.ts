/** Messages of the API in the words of the pages. */

import assert from "node:assert/strict";
import { AppError, invalid } from "../../src/base/errors.ts";
import { fieldErrorsOf, messagesOf, withLabels } from "../../src/web/messages.ts";

const MESSAGES: readonly (readonly [given: string, shown: string])[] = [
  ["valid_to must not be before valid_from.", '"Valid to" must not be before "Valid from".'],
  [
    "Expected one of device and virtual_machine, not both.",
    "Choose one device or one virtual machine, not both.",
  ],
  ["Expected at least one name.", "Enter at least one name."],
  // Quoted values, filters, addresses, settings and custom fields stay as they are.
  [
    "Cannot order by “not_after”. Did you mean “valid_to”?",
    "Cannot order by “not_after”. Did you mean “valid_to”?",
  ],
  ['Unknown column "valid_to".', 'Unknown column "valid_to".'],
  ['Import each separately ("split_all": true).', 'Import each separately ("split_all": true).'],
  ["Did you mean valid_to__lte?", "Did you mean valid_to__lte?"],
  ["See /a_b/ and ?valid_to=3.", "See /a_b/ and ?valid_to=3."],
  ["Raise CERTMGR_IMPORT_MAX_ROWS.", "Raise CERTMGR_IMPORT_MAX_ROWS."],
  ["Unknown field cf_room.", "Unknown field cf_room."],
  ["min_bits: Expected a whole number.", "min_bits: Expected a whole number."],
  ["Expected one of min_key_size, san_required.", "Expected one of min_key_size, san_required."],
  ["This field is required.", "This field is required."],
];

for (const [given, shown] of MESSAGES) {
  Deno.test(`on pages, the message "${given}" is: ${shown}`, () => {
    assert.equal(withLabels(given), shown);
    assert.deepEqual(fieldErrorsOf(invalid({ name: [given] })), { name: [shown] });
    assert.deepEqual(fieldErrorsOf(new AppError("conflict", given)), { __all__: [shown] });
    assert.deepEqual(messagesOf({ valid_to: [given] }), [`Valid to: ${shown}`]);
  });
}
