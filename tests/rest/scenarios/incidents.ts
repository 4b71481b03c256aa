/** Incidents: criteria, what they select, and the operations on their certificates. */

import assert from "node:assert/strict";
import { type Actor, granted, stranger, within } from "../../support/actors.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const ROOT = "/api/plugins/certmgr/incidents/";
const ONE = `${ROOT}${seed.incidents.acme}/`;
const { certificates: ids } = seed;
const INCIDENT = "certmgr.incident";
const CERTIFICATE = "certmgr.certificate";
const criteria = { filter: "tenant=acme" };

/** Views incidents, and the certificates of a tenant. */
function tenantOnly(slug: string): Actor {
  return granted([
    { types: [INCIDENT], actions: ["view"] },
    { types: [CERTIFICATE], actions: ["view"], constraints: { tenant__slug: slug } },
  ]);
}
const manager = granted([
  { types: [INCIDENT], actions: ["view", "manage_incidents"] },
  { types: [CERTIFICATE], actions: ["view"], constraints: { tenant__slug: "acme" } },
]);
const bystander = within(INCIDENT, ["view", "change"], null);

scenario("manage_incidents alone creates incidents, and the response counts the certificates that match", {
  as: granted([{ types: [INCIDENT], actions: ["manage_incidents"] }, {
    types: [CERTIFICATE],
    actions: ["view"],
  }]),
  post: ROOT,
  body: { name: "Broken", criteria: { filter: "tenant=acme", valid_from__lt: "2100-01-01" } },
  status: 201,
  changes: ["create certmgr.incident"],
});
scenario("A new incident counts the certificates of the caller", {
  as: "superuser",
  post: ROOT,
  body: { name: "Broken", criteria: { serial_numbers: ["ff:ff:ff:ff"] } },
  status: 201,
  json: ({ counts, status, kind }) => {
    assert.deepEqual(counts, { affected: 0, open: 0, replaced: 0, deployed: 0, excluded: 0, overdue: 0 });
    assert.deepEqual([status, kind], ["open", "other"]);
  },
  changes: ["create certmgr.incident"],
});
scenario("Criteria are checked, each with its name", {
  as: "superuser",
  post: ROOT,
  body: {
    name: "Broken",
    criteria: { serial_numbers: ["12", 5], issuer: "CN=A", valid_from__gte: "soon" },
  },
  status: 400,
  equals: {
    criteria: [
      "serial_numbers.1: Expected hexadecimal digits such as 0A:1B:2C, not 5.",
      'valid_from__gte: Expected a date such as 2026-12-01, not "soon".',
      'issuer: Unknown field. Did you mean "issuers"?',
    ],
  },
});
scenario("Other lists than of serial numbers have only hexadecimal numbers", {
  as: "superuser",
  post: ROOT,
  body: { name: "Broken", criteria: { serial_numbers: ["12", "x"], spki_sha256: ["0A", "y"] } },
  status: 400,
  equals: {
    criteria: [
      'spki_sha256.1: Expected hexadecimal digits such as 0A:1B:2C, not "y".',
      'serial_numbers.1: Expected hexadecimal digits such as 0A:1B:2C, not "x".',
    ],
  },
});
scenario("A filter of criteria is checked as in the list of certificates", {
  as: "superuser",
  post: `${ROOT}preview/`,
  body: { criteria: { filter: "stats=active" } },
  status: 400,
  json: (body) => assert.match(body.criteria[0], /“stats”: Unknown filter/),
});
scenario("Empty criteria would affect everything, and are refused", {
  as: "superuser",
  post: ROOT,
  body: { name: "Broken", criteria: { issuers: [] } },
  status: 400,
  equals: { criteria: ["Name at least one criterion: without any, all certificates would be affected."] },
});
scenario("An incident counts only what the caller may view", {
  as: tenantOnly("globex"),
  get: ONE,
  status: 200,
  json: ({ counts }) => assert.equal(counts.affected, 0),
});
scenario("The certificates of an incident have a state", {
  as: tenantOnly("acme"),
  get: `${ONE}certificates/?state=open&state=replaced`,
  status: 200,
  json: ({ count, results }) => {
    assert.ok(count > 0 && results.length === count);
    assert.ok(
      results.some(({ id, state }: { id: number; state: string }) => id === ids.acmeWeb && state === "open"),
    );
  },
});
scenario("The certificates of an incident in an unknown state are refused", {
  as: "superuser",
  get: `${ONE}certificates/?state=late`,
  status: 400,
  equals: { state: ['Expected one of open, replaced, deployed, excluded, not "late".'] },
});
scenario("The list of certificates filters by incident", {
  as: tenantOnly("globex"),
  get: `/api/plugins/certmgr/certificates/?incident=${seed.incidents.acme}`,
  status: 200,
  json: ({ count }) => assert.equal(count, 0),
});
scenario("An incident that the caller may not view selects no certificates", {
  as: granted([{ types: [CERTIFICATE], actions: ["view"] }]),
  get: `/api/plugins/certmgr/certificates/?incident=${seed.incidents.acme}`,
  status: 200,
  json: ({ count }) => assert.equal(count, 0),
});
for (const path of ["certificates/", "report/"]) {
  scenario(`${path} of a missing incident answers 404`, {
    as: "superuser",
    get: `${ROOT}999/${path}`,
    status: 404,
  });
  scenario(`${path} of an incident needs view on it`, { as: stranger(), get: `${ONE}${path}`, status: 403 });
}
scenario("The report has a row for each certificate", {
  as: "superuser",
  get: `${ONE}report/`,
  status: 200,
  json: (rows) =>
    assert.ok(rows.every(({ state }: { state: string }) => state !== "excluded") && rows.length > 0),
});
scenario("The report as CSV has names of columns", {
  as: "superuser",
  get: `${ONE}report/?format=csv`,
  status: 200,
  type: "text/csv; charset=utf-8",
  contains: ["id,common_name,serial_number,issuer,tenant,owner,state,overdue,"],
});
scenario("Unknown parameters of the report are refused", {
  as: "superuser",
  get: `${ONE}report/?format=pdf&page=2`,
  status: 400,
  equals: {
    format: ['Expected one of json, csv, not "pdf".'],
    page: ["Unknown parameter. Expected one of format."],
  },
});
scenario("A preview counts by tenant, owner and issuer, and only what the caller may view", {
  as: manager,
  post: `${ROOT}preview/`,
  body: { criteria: { filter: "q=example" } },
  status: 200,
  json: ({ affected, by_tenant, by_issuer }) => {
    assert.ok(affected > 0 && by_issuer.length > 0);
    assert.equal(by_tenant.length, 1);
  },
});
scenario("A preview needs manage_incidents", {
  as: bystander,
  post: `${ROOT}preview/`,
  body: { criteria },
  status: 403,
});
scenario("A certificate is excluded with a reason; others are listed as missing", {
  as: manager,
  post: `${ONE}exclude/`,
  body: { ids: [ids.acmeWeb, ids.globexWeb, 999], reason: "Test system" },
  status: 200,
  equals: { changed: 1, missing_ids: [ids.globexWeb, 999] },
  changes: ["update certmgr.incident"],
});
scenario("An exclusion needs a reason", {
  as: manager,
  post: `${ONE}exclude/`,
  body: { ids: [ids.acmeWeb], reason: " " },
  status: 400,
  equals: { reason: ["This field may not be blank."] },
});
scenario("An inclusion of certificates that are not excluded changes nothing", {
  as: manager,
  post: `${ONE}include/`,
  body: { ids: [ids.acmeWeb] },
  status: 200,
  equals: { changed: 0, missing_ids: [] },
});
for (const action of ["exclude", "include"]) {
  const body = { ids: [ids.acmeWeb], ...action === "exclude" ? { reason: "Test system" } : {} };
  scenario(`${action} needs manage_incidents`, {
    as: bystander,
    post: `${ONE}${action}/`,
    body,
    status: 403,
  });
  scenario(`${action} in a missing incident answers 404`, {
    as: manager,
    post: `${ROOT}999/${action}/`,
    body,
    status: 404,
  });
}
