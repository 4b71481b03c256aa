/** The permissions of the service by their specified names, and the audit role, which has none of them. */

import assert from "node:assert/strict";
import { auditor, stranger } from "../../support/actors.ts";
import type { TestApp } from "../../support/app.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const CERTIFICATE = "certmgr.certificate";
const POLICY = "certmgr.compliancepolicy";
const { certificates: ids } = seed;

/** Grants a permission through REST, as an administrator does, to a user without permissions. */
function grantsByRest(type: string, actions: readonly string[]): (app: TestApp) => Promise<void> {
  return async (app) => {
    const chief = await app.as("superuser");
    const body = { name: "given", object_types: [type], actions, users: [{ username: "stranger" }] };
    const response = await chief(PATHS.permissions, { method: "POST", body });
    assert.equal(response.status, 201, await response.text());
  };
}

const CODENAMES:
  readonly (readonly [name: string, type: string, actions: string[], call: Partial<Scenario>])[] = [
    ["import_certificate", CERTIFICATE, ["certmgr.import_certificate"], {
      post: `${PATHS.certificates}import/`,
      body: { pem_content: pki.fresh.pem },
      status: 201,
      changes: [`create ${CERTIFICATE}`],
    }],
    ["renew_certificate", CERTIFICATE, ["certmgr.renew_certificate", "change"], {
      post: certificate(ids.acmeWeb, "renew/"),
      body: {},
      status: 400,
    }],
    ["bulk_operations", CERTIFICATE, ["certmgr.bulk_operations", "change"], {
      post: `${PATHS.certificates}bulk-detect-acme/`,
      body: { ids: [ids.acmeWarning] },
      status: 200,
    }],
    ["manage_compliance", POLICY, ["certmgr.manage_compliance"], {
      post: PATHS.policies,
      body: { name: "Given", policy_type: "wildcard_forbidden" },
      status: 201,
      changes: [`create ${POLICY}`],
    }],
  ];
for (const [name, type, actions, call] of CODENAMES) {
  scenario(`Codenames: certmgr.${name} is granted to a user by its codename`, {
    as: stranger(),
    before: grantsByRest(type, actions),
    status: 200,
    ...call,
  });
}

/** Only the service writes these. */
const READ_ONLY: readonly string[] = [
  PATHS.checks,
  PATHS.changes,
  PATHS.deliveries,
  PATHS.observations,
  PATHS.notices,
  PATHS.audit,
];

for (const [name, path] of Object.entries(PATHS)) {
  scenario(`The audit role sees all ${name}`, {
    as: auditor(),
    get: `${path}?limit=1`,
    status: 200,
    json: (body) => assert(body.count > 0, "Nothing is seen"),
  });
  // All users may have their own tokens, calendars and subscriptions.
  const own: readonly string[] = [PATHS.tokens, PATHS.feeds, PATHS.savedViews, PATHS.subscriptions];
  if (own.includes(path)) continue;
  scenario(`The audit role creates no ${name}`, {
    as: auditor(),
    post: path,
    body: {},
    status: READ_ONLY.includes(path) ? 405 : 403,
  });
}
