/** Changes of certificates: validation, effects and permissions. */

import assert from "node:assert/strict";
import { granted, managerOf, within } from "../../support/actors.ts";
import { IDENTITY_TAKEN, WHOLE_CERTIFICATE, without } from "../../support/certificate_bodies.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const TYPE = "certmgr.certificate";
const LIST = PATHS.certificates;
const { certificates: ids } = seed;

function change(title: string, id: number, body: unknown, expected: Partial<Scenario>): void {
  const changes = expected.status === undefined ? { changes: [`update ${TYPE}`] } : {};
  scenario(`Change: ${title}`, {
    as: "superuser",
    patch: certificate(id),
    body,
    status: 200,
    ...changes,
    ...expected,
  });
}

change("serial number and issuer of another certificate are refused", ids.acmeExpired, {
  serial_number: "01:00:02",
}, {
  status: 400,
  equals: IDENTITY_TAKEN,
});
change("another notation of the same serial number is no change", ids.acmeExpired, {
  serial_number: "010003",
}, {
  json: (body) => assert.equal(body.serial_number, "010003"),
});
scenario("Change: two certificates exchange their serial numbers in one request", {
  as: "superuser",
  patch: LIST,
  body: [{ id: 2, serial_number: "01:00:03" }, { id: 3, serial_number: "01:00:02" }],
  status: 400,
  equals: [IDENTITY_TAKEN, IDENTITY_TAKEN],
});

for (const status of ["active", "expired", "replaced", "revoked", "pending"]) {
  change(`any status may be set manually: ${status}`, ids.unicode, {
    status,
    notes: "x",
    acme_auto_renewal: true,
  }, {
    json: (body) => assert.equal(body.status, status),
  });
}
change("a successor sets the status replaced", ids.acmeCritical, { replaced_by: ids.acmeWeb }, {
  json: (body) => assert.deepEqual([body.status, body.replaced_by.id], ["replaced", ids.acmeWeb]),
});
change("a certificate cannot replace itself", ids.acmeCritical, { replaced_by: ids.acmeCritical }, {
  status: 400,
  equals: { replaced_by: ["A certificate cannot replace itself."] },
});
const CYCLE = {
  replaced_by: ["A certificate cannot be replaced by one that it replaces, directly or through others."],
};
change("a successor cannot make a cycle", ids.acmeWeb, { replaced_by: ids.acmeReplaced }, {
  status: 400,
  equals: CYCLE,
});
scenario("Change: a successor cannot make a cycle by PUT", {
  as: "superuser",
  put: certificate(ids.acmeWeb),
  body: { ...WHOLE_CERTIFICATE, replaced_by: ids.acmeReplaced },
  status: 400,
  equals: CYCLE,
});
scenario("Change: successors of one request cannot make a cycle", {
  as: "superuser",
  patch: LIST,
  body: [
    { id: ids.acmeCritical, replaced_by: ids.acmeExpired },
    { id: ids.acmeExpired, replaced_by: ids.acmeWarning },
    { id: ids.acmeWarning, replaced_by: ids.acmeCritical },
    { id: ids.unicode, replaced_by: ids.acmeCritical },
  ],
  status: 400,
  equals: [CYCLE, CYCLE, CYCLE, {}],
});
scenario("Change: two certificates may exchange their roles in one request", {
  as: "superuser",
  patch: LIST,
  body: [{ id: ids.acmeReplaced, replaced_by: null }, { id: ids.acmeWeb, replaced_by: ids.acmeReplaced }],
  status: 200,
  changes: [`update ${TYPE}`, `update ${TYPE}`],
});

change("valid_to cannot be before the stored valid_from", ids.acmeCritical, {
  valid_to: "2025-01-01",
}, {
  status: 400,
  equals: { valid_to: ["valid_to must not be before valid_from."] },
});
change("written values are compared with the stored PEM", ids.acmeWeb, { valid_to: "2027-01-01" }, {
  json: (body) => assert.equal(body.pem_matches, false),
});
change("pem_matches is null without a PEM", ids.acmeWeb, { pem_content: "" }, {
  json: (body) =>
    assert.deepEqual([body.pem_matches, body.pem_content, body.common_name], [null, "", "www.acme.example"]),
});
change("a PEM that is added later is compared, and fills no fields", ids.acmeCritical, {
  pem_content: pki.fresh.pem,
}, {
  json: (body) => assert.deepEqual([body.pem_matches, body.common_name], [false, "api.acme.example"]),
});
change("another issuer removes the ACME flags", ids.acmeWarning, { issuer: "CN=Acme Issuing CA" }, {
  json: (body) =>
    assert.deepEqual([body.is_acme, body.acme_provider, body.issuing_ca.name], [false, "", "Acme Internal"]),
});
change("tags are replaced", ids.unicode, { tags: [{ slug: "pci" }] }, {
  json: (body) => assert.deepEqual(body.tags.map((tag: { slug: string }) => tag.slug), ["pci"]),
});
change("references are cleared by null", ids.acmeReplaced, { tenant: null, replaced_by: null }, {
  json: (body) => assert.deepEqual([body.tenant, body.replaced_by, body.status], [null, null, "replaced"]),
});
change("null is refused for a required field", ids.unicode, { issuer: null }, {
  status: 400,
  equals: { issuer: ["This field may not be null."] },
});
scenario("Replace: PUT without a field that creation needs is refused", {
  as: "superuser",
  put: certificate(ids.unicode),
  body: without("issuer"),
  status: 400,
  equals: { issuer: ["This field is required."] },
});
scenario("Replace: PUT takes missing fields from the PEM", {
  as: "superuser",
  put: certificate(ids.unicode),
  body: { pem_content: pki.fresh.pem, tenant: { slug: "acme" } },
  status: 200,
  changes: [`update ${TYPE}`],
  json: (body) => {
    assert.deepEqual([body.common_name, body.pem_matches], ["fresh.acme.example", true]);
    assert.deepEqual(body.sans, ["fresh.acme.example", "alt.fresh.acme.example"]);
  },
});

for (
  const [title, id, derived] of [
    ["a later day is ok", ids.acmeWeb, {
      days_remaining: 138,
      is_expired: false,
      is_expiring_soon: false,
      expiry_status: "ok",
    }],
    ["the 14th day", ids.acmeCritical, {
      days_remaining: 14,
      is_expired: false,
      is_expiring_soon: true,
      expiry_status: "critical",
    }],
    ["the 30th day", ids.acmeWarning, {
      days_remaining: 30,
      is_expired: false,
      is_expiring_soon: true,
      expiry_status: "warning",
    }],
    ["the 31st day", ids.acmeReplaced, {
      days_remaining: 31,
      is_expired: false,
      is_expiring_soon: false,
      expiry_status: "ok",
    }],
    ["the last day", ids.globexLastDay, {
      days_remaining: 0,
      is_expired: false,
      is_expiring_soon: true,
      expiry_status: "critical",
    }],
    ["a second ago", ids.globexJustExpired, {
      days_remaining: 0,
      is_expired: true,
      is_expiring_soon: false,
      expiry_status: "expired",
    }],
    ["yesterday", ids.acmeExpired, {
      days_remaining: -1,
      is_expired: true,
      is_expiring_soon: false,
      expiry_status: "expired",
    }],
  ] as const
) {
  scenario(`Expiry: ${title}`, {
    as: "superuser",
    get: certificate(id, "?fields=days_remaining,is_expired,is_expiring_soon,expiry_status"),
    status: 200,
    equals: derived,
  });
}
scenario("Expiry: both limits can be configured", {
  as: "superuser",
  get: certificate(ids.acmeCritical, "?fields=expiry_status"),
  app: { settings: { criticalDays: 13, warningDays: 14 } },
  status: 200,
  equals: { expiry_status: "warning" },
});

scenario("Writers: a certificate cannot be created for a tenant outside the constraints", {
  as: granted([
    { types: [TYPE], actions: ["view", "add"], constraints: { tenant__slug: "acme" } },
    { types: ["tenancy.tenant"], actions: ["view"] },
  ]),
  post: LIST,
  body: { ...WHOLE_CERTIFICATE, tenant: { slug: "globex" } },
  status: 403,
});
scenario("Writers: a hidden tenant cannot be used", {
  as: managerOf("acme"),
  post: LIST,
  body: { ...WHOLE_CERTIFICATE, tenant: { slug: "globex" } },
  status: 400,
  equals: { tenant: ['Related object not found using the provided attributes: {"slug":"globex"}.'] },
});
scenario("Writers: a certificate without the required tenant is not stored", {
  as: managerOf("acme"),
  post: LIST,
  body: WHOLE_CERTIFICATE,
  status: 403,
});
scenario("Writers: a change may not move a certificate outside the constraints", {
  as: managerOf("acme"),
  patch: certificate(ids.acmeCritical),
  body: { tenant: null },
  status: 403,
});
scenario("Writers: one object of a list outside the constraints makes the whole request fail", {
  as: managerOf("acme"),
  patch: LIST,
  body: [{ id: ids.acmeCritical, status: "revoked" }, { id: ids.acmeWeb, tenant: null }],
  status: 403,
});
scenario("Writers: the stored object must match the constraints, including its tags", {
  as: within(TYPE, ["view", "add"], { tags__slug: "pci" }),
  post: LIST,
  body: { ...WHOLE_CERTIFICATE, tags: [{ slug: "pci" }] },
  status: 201,
  changes: [`create ${TYPE}`],
});
scenario("Writers: a caller who may change but not view gets the ordinary 404 on reading", {
  as: granted([
    { types: [TYPE], actions: ["change"] },
    { types: [TYPE], actions: ["view"], constraints: { id: 1 } },
  ]),
  get: certificate(2),
  status: 404,
  equals: { detail: "Not found." },
});
scenario("Delete: references to a certificate are cleared, with change records", {
  as: "superuser",
  delete: certificate(ids.acmeWeb),
  status: 204,
  changes: [
    `update ${TYPE}`,
    "delete certmgr.certificateassignment",
    "delete tenancy.contactassignment",
    "update certmgr.certificatesigningrequest",
    `delete ${TYPE}`,
  ],
});
