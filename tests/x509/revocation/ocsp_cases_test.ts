/** Chromium's cases for OCSP responses. */

import assert from "node:assert/strict";
import { checkOcspResponse } from "../../../src/x509/ocsp/mod.ts";
import { TEST_NOW } from "../../support/test_ca/mod.ts";
import { build, ca, CASES, leaf } from "./ocsp_cases.ts";

for (const [name, expected, response] of CASES) {
  Deno.test(`${name}: ${expected}`, async () => {
    const der = await build(response);
    const question = { certificate: leaf.certificate, issuer: ca.certificate, at: TEST_NOW };
    const outcome = await checkOcspResponse(der, question);
    assert.equal("fault" in outcome ? outcome.fault.code : outcome.status, expected);
  });
}
