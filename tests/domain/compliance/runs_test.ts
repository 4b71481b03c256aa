/** Runs on one certificate and on many: responses, scope, permissions, refusals. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Actor, auditor, granted, superuser } from "../../support/actors.ts";
import type { TestApp } from "../../support/app.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { BULK, CERTIFICATE, clear, makePolicies, POLICY, runner, TEN } from "./support.ts";

const { acmeWeb, acmeExpired, globexWeb, shared } = seed.certificates;
const RUN = certificate(acmeExpired, "compliance-check/");

scenario("compliance-check/ runs the enabled policies and answers as the specification shows", {
  as: "superuser",
  post: RUN,
  body: {},
  status: 200,
  json: ({ checks, ...rest }) => {
    assert.deepEqual(rest, {
      certificate_id: acmeExpired,
      certificate_name: "old.acme.example",
      total_checks: 1,
      passed: 0,
      failed: 1,
      compliance_score: 0,
    });
    const [{ policy, certificate: of, ...check }] = checks;
    assert.deepEqual([policy.id, policy.name, policy.policy_type], [
      seed.policies.keySize,
      "Long keys",
      "min_key_size",
    ]);
    assert.deepEqual([of.id, of.common_name, of.serial_number], [
      acmeExpired,
      "old.acme.example",
      "01:00:03",
    ]);
    // The stored result of this pair is updated, not duplicated.
    assert.deepEqual([check.id, check.result, check.severity, check.checked_at], [
      seed.checks.failed,
      "fail",
      "critical",
      "2026-06-15T12:00:00Z",
    ]);
    assert.deepEqual([check.message, check.checked_value, check.expected_value], [
      "The RSA key has 1024 bits; at least 2048 bits are required.",
      "1024 bits",
      "at least 2048 bits",
    ]);
  },
});

scenario("compliance-check/ without a body runs the enabled policies too", {
  as: "superuser",
  post: RUN,
  status: 200,
  json: ({ total_checks }) => assert.equal(total_checks, 1),
});
for (const body of [{ policy_ids: [] }, { policy_ids: null }, {}]) {
  scenario(`compliance-check/ takes ${JSON.stringify(body)} for all enabled policies`, {
    as: "superuser",
    post: RUN,
    body,
    status: 200,
    json: ({ checks }) =>
      assert.deepEqual(checks.map((one: { policy: { id: number } }) => one.policy.id), [1]),
  });
}
scenario("compliance-check/ runs a disabled policy when it is named, and each policy once", {
  as: "superuser",
  post: RUN,
  body: { policy_ids: [seed.policies.idle, seed.policies.idle] },
  status: 200,
  json: ({ total_checks, passed, compliance_score, checks }) => {
    assert.deepEqual([total_checks, passed, compliance_score], [1, 1, 100]);
    assert.equal(checks[0].policy.name, "No wildcards");
  },
});
scenario("compliance-check/ without any policy scores 100 with no checks", {
  as: "superuser",
  post: RUN,
  body: {},
  before: clear,
  status: 200,
  equals: {
    certificate_id: acmeExpired,
    certificate_name: "old.acme.example",
    total_checks: 0,
    passed: 0,
    failed: 0,
    compliance_score: 100,
    checks: [],
  },
});
scenario("compliance-check/ scores the share of checks passed, with one decimal", {
  as: "superuser",
  post: certificate(acmeWeb, "compliance-check/"),
  body: {},
  before: async (app) => {
    await clear(app);
    await makePolicies(app, [
      ...TEN.slice(0, 2),
      { policy_type: "algorithm_forbidden", parameters: { algorithms: ["rsa", "ecdsa"] } },
    ]);
  },
  status: 200,
  json: (body) =>
    assert.deepEqual([body.total_checks, body.passed, body.failed, body.compliance_score], [3, 2, 1, 66.7]),
});

/** Creates four policies with different scopes. */
async function scopes(app: TestApp): Promise<void> {
  await clear(app);
  await makePolicies(app, [
    { policy_type: "chain_required", tenant: { slug: "acme" } },
    { policy_type: "chain_required", tags: [{ slug: "staging" }, { slug: "pci" }] },
    { policy_type: "chain_required", tenant: { slug: "acme" }, tags: [{ slug: "staging" }] },
    { policy_type: "chain_required", tenant: { slug: "globex" } },
  ]);
}
for (
  const [id, names] of [
    [acmeWeb, ["P0", "P1"]],
    [seed.certificates.acmeReplaced, ["P0", "P1", "P2"]],
    [globexWeb, ["P3"]],
    [shared, []],
    [seed.certificates.unicode, ["P1"]],
  ] as const
) {
  scenario(`compliance-check/ applies only the policies whose scope certificate ${id} is in: ${names}`, {
    as: "superuser",
    post: certificate(id, "compliance-check/"),
    before: scopes,
    status: 200,
    json: ({ checks, total_checks }) => {
      assert.equal(total_checks, names.length);
      assert.deepEqual(checks.map((one: { policy: { name: string } }) => one.policy.name), names);
    },
  });
}

const REFUSED: readonly [what: string, expected: Partial<Scenario>][] = [
  ["a body that is not an object", { body: [1], equals: { detail: "Expected an object, not a list." } }],
  ["ids that are not a list", {
    body: { policy_ids: 1 },
    equals: { policy_ids: ["Expected a list of ids, not 1."] },
  }],
  ["ids that are not numbers", {
    body: { policy_ids: ["1"] },
    equals: { policy_ids: ['Entry 1: Expected an id, not "1".'] },
  }],
  ["an unknown field", {
    body: { policies: [1] },
    equals: { policies: [`Unknown field. Did you mean "policy_ids"?`] },
  }],
  ["unknown policies", {
    body: { policy_ids: [1, 77, 99] },
    equals: {
      policy_ids: [
        "No compliance policy with the id 77 was found.",
        "No compliance policy with the id 99 was found.",
      ],
    },
  }],
  ["a hidden policy", {
    as: runner({ policies: { severity: "info" } }),
    body: { policy_ids: [1] },
    equals: { policy_ids: ["No compliance policy with the id 1 was found."] },
  }],
  ["too many policies", {
    body: { policy_ids: Array.from({ length: 1_001 }, (_, index) => index) },
    equals: { policy_ids: ["Batch too large: expected at most 1000 ids, not 1001."] },
  }],
];
for (const [what, expected] of REFUSED) {
  scenario(`compliance-check/ answers 400 to ${what}`, {
    as: "superuser",
    post: RUN,
    status: 400,
    ...expected,
  });
}

for (
  const [what, id, as] of [
    ["an absent certificate", 999, "superuser"],
    ["a hidden certificate", globexWeb, runner({ tenant: "acme" })],
  ] as const
) {
  scenario(`compliance-check/ answers 404 to ${what}`, {
    as,
    post: certificate(id, "compliance-check/"),
    status: 404,
    equals: { detail: "Not found." },
  });
}
for (const constraints of [null, { severity: "critical" }]) {
  scenario(
    `compliance-check/ needs no permission but manage_compliance, with constraints ${
      JSON.stringify(constraints)
    }`,
    {
      as: granted([{ types: [POLICY], actions: ["manage_compliance"], constraints }]),
      post: certificate(acmeWeb, "compliance-check/"),
      status: 200,
    },
  );
}

scenario("compliance-check/ needs manage_compliance and `view` for the certificate, and nothing else", {
  as: runner({ tenant: "acme" }),
  post: RUN,
  status: 200,
  contains: ["Long keys", "old.acme.example"],
});
scenario("compliance-check/ runs only the policies within the constraints of manage_compliance", {
  as: runner({ policies: { severity: "info" } }),
  post: RUN,
  status: 200,
  json: ({ total_checks }) => assert.equal(total_checks, 0),
});
const WITHOUT: readonly [string, Actor][] = [
  [
    "a caller with everything except manage_compliance",
    granted([
      {
        types: [CERTIFICATE],
        actions: ["view", "add", "change", "delete", "import", "renew", "bulk_operations"],
      },
      { types: [POLICY], actions: ["view", "add", "change", "delete"] },
    ]),
  ],
  ["the audit role", auditor()],
  ["a read-only token", superuser({ readOnlyToken: true })],
];
for (const [who, as] of WITHOUT) {
  scenario(`compliance-check/ answers 403 to ${who}`, { as, post: RUN, status: 403 });
  scenario(`bulk-compliance-check/ answers 403 to ${who}`, {
    as,
    post: BULK,
    body: { certificate_ids: [acmeWeb] },
    status: 403,
  });
}

scenario("bulk-compliance-check/ answers as the specification shows; each id once, unknown ids as missing", {
  as: runner({ tenant: "acme", bulk: true }),
  post: BULK,
  body: { certificate_ids: [acmeExpired, 999, acmeWeb, globexWeb, acmeExpired] },
  status: 200,
  equals: {
    total_certificates: 4,
    processed: 2,
    missing_ids: [999, globexWeb],
    overall_passed: 1,
    overall_failed: 1,
    overall_score: 50,
    reports: [
      {
        certificate_id: acmeExpired,
        certificate_name: "old.acme.example",
        total_checks: 1,
        passed: 0,
        failed: 1,
        compliance_score: 0,
      },
      {
        certificate_id: acmeWeb,
        certificate_name: "www.acme.example",
        total_checks: 1,
        passed: 1,
        failed: 0,
        compliance_score: 100,
      },
    ],
  },
});
scenario("bulk-compliance-check/ runs named policies, disabled ones too", {
  as: "superuser",
  post: BULK,
  body: { certificate_ids: [acmeExpired, globexWeb], policy_ids: [1, 2] },
  status: 200,
  json: (body) =>
    assert.deepEqual([body.overall_passed, body.overall_failed, body.overall_score], [3, 1, 75]),
});
scenario("bulk-compliance-check/ of missing certificates scores 100", {
  as: "superuser",
  post: BULK,
  body: { certificate_ids: [999] },
  status: 200,
  equals: {
    total_certificates: 1,
    processed: 0,
    missing_ids: [999],
    overall_passed: 0,
    overall_failed: 0,
    overall_score: 100,
    reports: [],
  },
});
scenario("bulk-compliance-check/ checks only certificates within the constraints of bulk_operations", {
  as: granted([
    { types: [CERTIFICATE], actions: ["view"] },
    { types: [CERTIFICATE], actions: ["bulk_operations"], constraints: { tenant__slug: "acme" } },
    { types: [POLICY], actions: ["manage_compliance"] },
  ]),
  post: BULK,
  body: { certificate_ids: [globexWeb, acmeWeb] },
  status: 200,
  json: ({ missing_ids }) => assert.deepEqual(missing_ids, [globexWeb]),
});
scenario("bulk-compliance-check/ answers 403 without bulk_operations", {
  as: runner(),
  post: BULK,
  body: { certificate_ids: [acmeWeb] },
  status: 403,
});
for (
  const [body, errors] of [
    [{}, { certificate_ids: ["This field is required."] }],
    [{ certificate_ids: [] }, { certificate_ids: ["Expected at least one id."] }],
    [{ certificate_ids: "1" }, { certificate_ids: ['Expected a list of ids, not "1".'] }],
    [{ certificate_ids: Array.from({ length: 1_001 }, (_, index) => index) }, {
      certificate_ids: ["Batch too large: expected at most 1000 ids, not 1001."],
    }],
    [{ certificate_ids: [1], policy_ids: [5] }, {
      policy_ids: ["No compliance policy with the id 5 was found."],
    }],
  ] as const
) {
  scenario(`bulk-compliance-check/ answers 400 to ${JSON.stringify(body).slice(0, 50)}`, {
    as: "superuser",
    post: BULK,
    body,
    status: 400,
    equals: errors,
  });
}
scenario("bulk-compliance-check/ refuses more checks than one request may make", {
  as: "superuser",
  post: BULK,
  body: { certificate_ids: Object.values(seed.certificates) },
  before: async ({ database }) => {
    const names = JSON.stringify(Array.from({ length: 5_000 }, (_, index) => `Bulk ${index}`));
    await database.write((tx) =>
      tx.run(sql`INSERT INTO compliance_policies (name, policy_type, created, last_updated)
        SELECT value, 'chain_required', 0, 0 FROM json_each(${names})`)
    );
  },
  status: 400,
  contains: [
    "12 certificates and 5001 policies make 60012 checks. At most 50000 are allowed in one request",
  ],
});
scenario("certificates/{id}/compliance-check/ is not read", {
  as: "superuser",
  get: RUN,
  status: 405,
});
scenario("compliance-checks/ is not written", {
  as: "superuser",
  post: PATHS.checks,
  body: {},
  status: 405,
  answers: { allow: "GET, HEAD, OPTIONS" },
});
