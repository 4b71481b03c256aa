/** The described parameters of rules are those of policies. */

import assert from "node:assert/strict";
import { describeParameters, POLICY_TYPES } from "../../../src/domain/compliance/mod.ts";
import { ruleOf } from "../../../src/domain/compliance/rules/mod.ts";

Deno.test("Every type of policy is described, with the defaults that a policy without parameters takes", () => {
  assert.deepEqual(describeParameters().map(({ type }) => type), [...POLICY_TYPES]);
  for (const { type, defaults } of describeParameters()) {
    const read = ruleOf(type)?.parameters.safeParse({});
    const complete = Object.values(defaults).every((value) => value !== undefined);
    assert.equal(read?.success, complete, type);
    if (complete) assert.deepEqual(read?.data, defaults, type);
  }
  const byType = new Map(describeParameters().map(({ type, defaults }) => [type, defaults]));
  assert.deepEqual(byType.get("min_key_size"), { min_bits: 2048, min_ec_bits: 256 });
  assert.deepEqual(byType.get("chain_required"), {});
  assert.deepEqual(byType.get("issuer_allowed"), { issuers: undefined });
});
