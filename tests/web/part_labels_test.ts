/** Members of an object that a form shows one by one have labels and choices of their own. */

import assert from "node:assert/strict";
import { testApp } from "../support/app.ts";
import { browserOf } from "./imports/browser.ts";

for (
  const [path, expected] of [
    ["/incidents/new/?kind=other", ["Issuers", "Serial numbers", "Filter"]],
    ["/policies/new/?policy_type=min_key_size", ["Minimum bits (RSA)", "Minimum bits (elliptic curves)"]],
    ["/policies/new/?policy_type=usage_forbidden", ["Usages"]],
  ] as const
) {
  Deno.test(`${path}: labels are those of the members`, async () => {
    await using app = await testApp();
    const { html } = await (await browserOf(app)).get(path);
    const labels = [...html.matchAll(/<(?:label|legend|span class="label")[^>]*>\s*([^<]+?)\s*</g)]
      .map(([, text = ""]) => text);
    assert.deepEqual(expected.filter((one) => !labels.includes(one)), [], labels.join("; "));
    assert.deepEqual(labels.filter((one) => /^\w+\./.test(one)), []);
  });
}

Deno.test("a member with choices shows all of them", async () => {
  await using app = await testApp();
  const { html } = await (await browserOf(app)).get("/policies/new/?policy_type=usage_forbidden");
  for (const usage of ["server_auth", "client_auth", "code_signing"]) {
    assert.match(
      html,
      new RegExp(
        `name="parameters\\.usages"[^>]*value="${usage}"|value="${usage}"[^>]*name="parameters\\.usages"`,
      ),
    );
  }
});
