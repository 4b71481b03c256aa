/** A deletion that is refused counts what the caller may view, and only mentions that others exist. */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";

const REFUSED = "Unable to delete object.";

for (
  const [title, seen, expected] of [
    ["everything", null, / 9 dependent objects were found: 5 certificates, (?!.*others)/],
    [
      "one certificate",
      { id: 2 },
      /^Unable to delete object\. 5 dependent objects were found: 1 certificate, .*, and others$/,
    ],
    [
      "no certificate",
      { id: 0 },
      /^Unable to delete object\. 4 dependent objects were found: (?!.*\d certificate[s,]).*, and others$/,
    ],
  ] as const
) {
  Deno.test(`DELETE of a tenant with certificates answers 409 to a caller who may view ${title} of them`, async () => {
    await using app = await testApp();
    const client = await app.as(granted([
      { types: ["certmgr.certificate"], actions: ["view"], constraints: seen },
      { types: OBJECT_TYPES.filter((type) => type !== "certmgr.certificate"), actions: ["view", "delete"] },
    ]));
    const response = await client(`/api/tenancy/tenants/${seed.tenants.acme}/`, { method: "DELETE" });
    assert.equal(response.status, 409);
    assert.match((await response.json()).detail, expected);
  });
}

Deno.test("DELETE is refused without a number if the caller may view none of the dependents", async () => {
  await using app = await testApp();
  const client = await app.as(granted([{ types: ["tenancy.tenant"], actions: ["view", "delete"] }]));
  const response = await client(`/api/tenancy/tenants/${seed.tenants.acme}/`, { method: "DELETE" });
  assert.deepEqual([response.status, await response.json()], [409, {
    detail: `${REFUSED} Dependent objects that you may not view were found.`,
  }]);
});

Deno.test("a filter by the type of a hidden policy finds no check", async () => {
  await using app = await testApp();
  const client = await app.as(granted([
    { types: ["certmgr.certificate", "certmgr.compliancecheck"], actions: ["view"] },
    { types: ["certmgr.compliancepolicy"], actions: ["view"], constraints: { id__n: seed.policies.keySize } },
  ]));
  const found = async (query: string): Promise<number> =>
    (await (await client(`/api/plugins/certmgr/compliance-checks/?${query}`)).json()).count;
  assert.equal(await found(""), 2);
  assert.equal(await found("policy_type=min_key_size"), 0);
});
