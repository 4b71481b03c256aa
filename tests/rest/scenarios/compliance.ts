/** Compliance over REST: runs and the report. The rules of policies are tested in tests/domain/compliance. */

import assert from "node:assert/strict";
import { granted, within } from "../../support/actors.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const BULK = `${PATHS.certificates}bulk-compliance-check/`;
const REPORT = "/api/plugins/certmgr/compliance-report/";
const POLICY = "certmgr.compliancepolicy";
const { certificates: ids, policies } = seed;

const officer = granted([
  { types: ["certmgr.certificate"], actions: ["view"], constraints: { tenant__slug: "acme" } },
  { types: [POLICY], actions: ["manage_compliance"] },
]);

scenario("A run returns a result for each enabled policy, and the score", {
  as: officer,
  post: certificate(ids.acmeExpired, "compliance-check/"),
  body: {},
  status: 200,
  json: (body) => {
    const { certificate_id, certificate_name, total_checks, passed, failed, compliance_score } = body;
    assert.deepEqual([certificate_id, certificate_name], [ids.acmeExpired, "old.acme.example"]);
    assert.deepEqual([total_checks, passed, failed, compliance_score], [1, 0, 1, 0]);
    const [check] = body.checks;
    assert.deepEqual([check.policy.id, check.result, check.severity], [policies.keySize, "fail", "critical"]);
    assert.match(check.checked_value, /1024/);
    assert.match(check.expected_value, /2048/);
  },
});
scenario("A run of named policies runs disabled ones too", {
  as: officer,
  post: certificate(ids.acmeWeb, "compliance-check/"),
  body: { policy_ids: [policies.idle] },
  status: 200,
  json: (body) => assert.deepEqual([body.total_checks, body.passed, body.compliance_score], [1, 1, 100]),
});
scenario("A run without a body runs all enabled policies", {
  as: officer,
  post: certificate(ids.acmeWeb, "compliance-check/"),
  status: 200,
  json: (body) => assert.equal(body.total_checks, 1),
});
scenario("A run of unknown policies is refused", {
  as: officer,
  post: certificate(ids.acmeWeb, "compliance-check/"),
  body: { policy_ids: [999] },
  status: 400,
  json: (body) => assert.deepEqual(Object.keys(body), ["policy_ids"]),
});
for (const [what, id] of [["a hidden", ids.globexWeb], ["a missing", 999]] as const) {
  scenario(`A run on ${what} certificate answers the ordinary 404`, {
    as: officer,
    post: certificate(id, "compliance-check/"),
    body: {},
    status: 404,
    equals: { detail: "Not found." },
  });
}
scenario("A run needs manage_compliance", {
  as: within(POLICY, ["view", "change"], null),
  post: certificate(ids.acmeWeb, "compliance-check/"),
  body: {},
  status: 403,
});
scenario("A bulk run lists processed and missing certificates separately", {
  as: granted([
    {
      types: ["certmgr.certificate"],
      actions: ["view", "bulk_operations"],
      constraints: { tenant__slug: "acme" },
    },
    { types: [POLICY], actions: ["manage_compliance"] },
  ]),
  post: BULK,
  body: {
    certificate_ids: [ids.acmeWeb, ids.acmeExpired, ids.globexWeb, 999],
    policy_ids: [policies.keySize],
  },
  status: 200,
  json: (body) => {
    const { total_certificates, processed, missing_ids, overall_passed, overall_failed, overall_score } =
      body;
    assert.deepEqual([total_certificates, processed, missing_ids], [4, 2, [ids.globexWeb, 999]]);
    assert.deepEqual([overall_passed, overall_failed, overall_score], [1, 1, 50]);
    assert.deepEqual(body.reports.map((one: { certificate_id: number }) => one.certificate_id), [1, 3]);
  },
});
scenario("A bulk run needs bulk_operations as well", {
  as: officer,
  post: BULK,
  body: { certificate_ids: [1] },
  status: 403,
});
scenario("The report needs `view` for checks", { as: granted([]), get: REPORT, status: 403 });
scenario("The report sums up the results", {
  as: "superuser",
  get: REPORT,
  status: 200,
  json: (body) =>
    assert.deepEqual([body.total_checks, body.passed, body.failed, body.compliance_score], [2, 1, 1, 50]),
});
scenario("The report refuses an unknown parameter", {
  as: "superuser",
  get: `${REPORT}?nonsense=1`,
  status: 400,
});
scenario("Checks are found by their result", {
  as: "superuser",
  get: `${PATHS.checks}?result=fail&severity=critical`,
  status: 200,
  json: (body) => {
    assert.equal(body.count, 1);
    assert.deepEqual([body.results[0].certificate.id, body.results[0].policy.name], [
      ids.acmeExpired,
      "Long keys",
    ]);
  },
});
scenario("A check of a hidden certificate is hidden", {
  as: granted([
    { types: ["certmgr.compliancecheck"], actions: ["view"] },
    { types: ["certmgr.certificate"], actions: ["view"], constraints: { id: ids.acmeWeb } },
  ]),
  get: PATHS.checks,
  status: 200,
  json: (body) => assert.deepEqual(body.results.map((one: { id: number }) => one.id), [seed.checks.passed]),
});
for (const verb of ["post", "put", "patch", "delete"] as const) {
  scenario(`Checks are read-only: ${verb.toUpperCase()} answers 405`, {
    as: "superuser",
    [verb]: PATHS.checks,
    body: [],
    status: 405,
    answers: { allow: "GET, HEAD, OPTIONS" },
  });
}
scenario("Policies have no PATCH", { as: "superuser", patch: `${PATHS.policies}1/`, body: {}, status: 405 });
