/** The published cases for revocation lists. */

import assert from "node:assert/strict";
import { buildCrl } from "../../support/test_ca/mod.ts";
import { ca, CASES, leaf, pool } from "./published_cases.ts";
import { answerFor } from "./support.ts";

for (
  const [name, expected, list, { of = leaf, signer = ca, at } = {}] of CASES
) {
  Deno.test(`${name}: ${expected}`, async () => {
    const question = {
      certificate: of.certificate,
      pool,
      ...(at === undefined ? {} : { at }),
    };
    assert.equal(
      await answerFor(await buildCrl(signer, list), question),
      expected,
    );
  });
}
