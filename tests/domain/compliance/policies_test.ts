/** Policies: what may be stored, and who may store it. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted, within } from "../../support/actors.ts";
import { PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const TYPE = "certmgr.compliancepolicy";
const ITEM = `${PATHS.policies}${seed.policies.keySize}/`;

function body(policy_type: string, parameters?: unknown): Record<string, unknown> {
  return { name: "New", policy_type, ...(parameters === undefined ? {} : { parameters }) };
}

const FILLED: readonly [type: string, given: unknown, stored: unknown][] = [
  ["min_key_size", undefined, {}],
  ["min_key_size", { min_bits: 4096 }, { min_bits: 4096 }],
  ["max_validity_days", {}, {}],
  ["algorithm_allowed", { algorithms: ["RSA", "ecdsa", "P-384"] }, { algorithms: ["RSA", "ecdsa", "P-384"] }],
  ["algorithm_forbidden", { algorithms: ["sha1", "MD5", "dsa"] }, { algorithms: ["sha1", "MD5", "dsa"] }],
  ["algorithm_forbidden", { algorithms: ["unknown"] }, { algorithms: ["unknown"] }],
  ["expiry_warning", { warning_days: 0 }, { warning_days: 0 }],
  ["chain_required", {}, {}],
  ["san_required", undefined, {}],
  ["wildcard_forbidden", {}, {}],
  ["issuer_allowed", { issuers: [" DigiCert "] }, { issuers: [" DigiCert "] }],
];
for (const [type, given, stored] of FILLED) {
  scenario(`POST compliance-policies/ stores ${type} ${JSON.stringify(given)} as it was sent`, {
    as: "superuser",
    post: PATHS.policies,
    body: body(type, given),
    status: 201,
    changes: [`create ${TYPE}`],
    json: ({ parameters, severity, enabled, description, tenant, tags }) =>
      assert.deepEqual([parameters, severity, enabled, description, tenant, tags], [
        stored,
        "warning",
        true,
        "",
        null,
        [],
      ]),
  });
}

const LONG = "x".repeat(1_001);
const REFUSED: readonly [type: string, given: unknown, messages: readonly string[]][] = [
  ["min_key_size", { min_bit: 1 }, ['Unknown parameter "min_bit". Expected min_bits and min_ec_bits.']],
  ["min_key_size", { min_bits: "2048" }, [
    'min_bits: Expected a whole number from 1 to 65536, not "2048".',
  ]],
  ["min_key_size", { min_bits: 0, min_ec_bits: 1.5 }, [
    "min_bits: Expected a whole number from 1 to 65536, not 0.",
    "min_ec_bits: Expected a whole number from 1 to 65536, not 1.5.",
  ]],
  ["min_key_size", { min_bits: null }, ["min_bits: This field may not be null."]],
  ["max_validity_days", { max_days: 1e9 }, [
    "max_days: Expected a whole number from 1 to 100000, not 1000000000.",
  ]],
  ["expiry_warning", { warning_days: -1 }, [
    "warning_days: Expected a whole number from 0 to 100000, not -1.",
  ]],
  ["chain_required", { min_bits: 1 }, [
    'Unknown parameter "min_bits". This type of policy takes no parameters.',
  ]],
  ["wildcard_forbidden", { a: 1, b: 2 }, [
    'Unknown parameter "a", "b". This type of policy takes no parameters.',
  ]],
  ["algorithm_allowed", {}, ["algorithms: This field is required."]],
  ["algorithm_allowed", undefined, ["algorithms: This field is required."]],
  ["algorithm_allowed", { algorithms: [] }, ["algorithms: Expected at least one algorithm."]],
  ["algorithm_allowed", { algorithms: "rsa" }, [
    'algorithms: Expected a list of algorithms, not "rsa".',
  ]],
  ["algorithm_forbidden", { algorithms: ["rsa", "", "x".repeat(101)] }, [
    "algorithms.1: This field may not be blank.",
    "algorithms.2: Ensure this field has no more than 100 characters.",
  ]],
  ["issuer_allowed", { issuers: ["", LONG] }, [
    "issuers.0: This field may not be blank.",
    "issuers.1: Ensure this field has no more than 1000 characters.",
  ]],
  ["issuer_forbidden", { issuers: ["a\0b"] }, ["Null characters are not allowed."]],
  ["issuer_forbidden", { issuers: Array(101).fill("a") }, [
    "issuers: Ensure this field has no more than 100 elements.",
  ]],
  ["chain_required", [], ["Expected an object, not []."]],
  ["chain_required", "none", ['Expected an object, not "none".']],
];
for (const [type, given, messages] of REFUSED) {
  scenario(`POST compliance-policies/ refuses ${type} ${JSON.stringify(given)?.slice(0, 60)}`, {
    as: "superuser",
    post: PATHS.policies,
    body: body(type, given),
    status: 400,
    equals: { parameters: messages },
  });
}

scenario("POST compliance-policies/ names every missing or invalid field", {
  as: "superuser",
  post: PATHS.policies,
  body: { policy_type: "min_keysize", severity: "fatal", enabled: "perhaps", tenant: 999 },
  status: 400,
  json: (errors) =>
    assert.deepEqual(Object.keys(errors).sort(), ["enabled", "name", "policy_type", "severity", "tenant"]),
});
scenario("POST compliance-policies/ refuses an existing name", {
  as: "superuser",
  post: PATHS.policies,
  body: { ...body("chain_required"), name: "Long keys" },
  status: 400,
  equals: { name: ["compliance policy with this name already exists."] },
});
scenario("POST compliance-policies/ checks the kinds that are given", {
  as: "superuser",
  post: PATHS.policies,
  body: { ...body("chain_required"), kinds: ["ca", "server", "ca"] },
  status: 201,
  changes: [`create ${TYPE}`],
  json: ({ kinds }) => assert.deepEqual(kinds, ["server", "ca"]),
});
scenario("POST compliance-policies/ refuses an unknown kind, and an empty list", {
  as: "superuser",
  post: PATHS.policies,
  body: { ...body("chain_required"), kinds: ["root"] },
  status: 400,
  equals: { kinds: ['Entry 1: Expected one of server, client, ca, other, not "root".'] },
});
scenario("POST compliance-policies/ keeps a scope of tenant and tags", {
  as: "superuser",
  post: PATHS.policies,
  body: { ...body("chain_required"), tenant: { slug: "acme" }, tags: [{ slug: "prod" }] },
  status: 201,
  changes: [`create ${TYPE}`],
  json: ({ tenant, tags }) => assert.deepEqual([tenant.slug, tags[0].slug], ["acme", "prod"]),
});
scenario("PUT compliance-policies/{id}/ with another type and no parameters has none", {
  as: "superuser",
  put: ITEM,
  body: { name: "Long keys", policy_type: "expiry_warning" },
  status: 200,
  changes: [`update ${TYPE}`],
  json: ({ parameters }) => assert.deepEqual(parameters, {}),
});
scenario("PUT compliance-policies/{id}/ validates parameters by the type that is given with them", {
  as: "superuser",
  put: ITEM,
  body: { name: "Long keys", policy_type: "expiry_warning", parameters: { min_bits: 2048 } },
  status: 400,
  equals: { parameters: ['Unknown parameter "min_bits". Expected warning_days.'] },
});
scenario("PUT compliance-policies/{id}/ without parameters keeps those of the same type", {
  as: "superuser",
  put: ITEM,
  body: { name: "Longer keys", policy_type: "min_key_size" },
  status: 200,
  changes: [`update ${TYPE}`],
  json: ({ parameters }) => assert.deepEqual(parameters, { min_bits: 2048 }),
});
scenario("PATCH compliance-policies/{id}/ is not allowed", {
  as: "superuser",
  patch: ITEM,
  body: { enabled: false },
  status: 405,
  equals: { detail: 'Method "PATCH" not allowed.' },
  answers: { allow: "GET, PUT, DELETE, HEAD, OPTIONS" },
});

const MANAGER = granted([{ types: [TYPE], actions: ["manage_compliance"] }]);
scenario("manage_compliance alone creates policies", {
  as: MANAGER,
  post: PATHS.policies,
  body: body("chain_required"),
  status: 201,
  changes: [`create ${TYPE}`],
});
scenario("manage_compliance alone replaces policies", {
  as: MANAGER,
  put: ITEM,
  body: body("chain_required"),
  status: 200,
  changes: [`update ${TYPE}`],
});
scenario("manage_compliance alone deletes policies, and their results are deleted without a change record", {
  as: MANAGER,
  delete: ITEM,
  status: 204,
  changes: [`delete ${TYPE}`],
});
scenario("manage_compliance does not allow listing policies", {
  as: MANAGER,
  get: PATHS.policies,
  status: 403,
});
scenario("manage_compliance with constraints writes only policies within them", {
  as: within(TYPE, ["manage_compliance"], { severity: "info" }),
  post: PATHS.policies,
  body: { ...body("chain_required"), severity: "critical" },
  status: 403,
});
scenario("A tenant with policies is not deleted", {
  as: "superuser",
  delete: `${PATHS.tenants}${seed.tenants.idle}/`,
  before: async ({ database }) => {
    await database.write((tx) =>
      tx.run(sql`UPDATE compliance_policies SET tenant_id = ${seed.tenants.idle}`)
    );
  },
  status: 409,
  contains: ["2 compliance policies"],
});

for (
  const [query, names] of [
    ["enabled=true", ["Long keys"]],
    ["enabled=false", ["No wildcards"]],
    ["policy_type=min_key_size", ["Long keys"]],
    ["severity=warning&severity=critical", ["Long keys", "No wildcards"]],
    ["name__ic=WILD", ["No wildcards"]],
    ["tag=prod", []],
    ["tenant=acme", []],
    ["tenant_id=null", ["Long keys", "No wildcards"]],
    ["q=keys", ["Long keys"]],
  ] as const
) {
  scenario(`GET compliance-policies/?${query}`, {
    as: "superuser",
    get: `${PATHS.policies}?${query}`,
    status: 200,
    json: ({ results }) => assert.deepEqual(results.map((row: { name: string }) => row.name), names),
  });
}
