/** Assignments and signing requests over REST. Their rules are tested in tests/domain. */

import assert from "node:assert/strict";
import { granted, managerOf } from "../../support/actors.ts";
import { PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { buildRequest } from "../../support/test_ca/mod.ts";

const ASSIGNMENT = "certmgr.certificateassignment";
const REQUEST = "certmgr.certificatesigningrequest";
const { certificates: ids, devices, machines } = seed;
const request = await buildRequest({ cn: "fresh.globex.example", sans: ["fresh.globex.example"] });

scenario("An assignment shows its certificate and its object", {
  as: "superuser",
  get: `${PATHS.assignments}${seed.assignments.acme}/`,
  status: 200,
  json: (body) => {
    assert.deepEqual([body.certificate, body.certificate_detail.common_name], [
      ids.acmeWeb,
      "www.acme.example",
    ]);
    assert.deepEqual([body.assigned_object.name, body.assigned_object.url], [
      "edge-1",
      `https://certmgr.example/api/dcim/devices/${devices.edge}/`,
    ]);
  },
});
scenario("Hidden certificates and objects of an assignment are null", {
  as: granted([{ types: [ASSIGNMENT], actions: ["view"] }]),
  get: `${PATHS.assignments}${seed.assignments.acme}/`,
  status: 200,
  excludes: ["edge-1", "acme.example/"],
  json: (body) => assert.deepEqual([body.certificate_detail, body.assigned_object], [null, null]),
});
scenario("An assignment has no PATCH", {
  as: "superuser",
  patch: `${PATHS.assignments}1/`,
  body: {},
  status: 405,
  answers: { allow: "GET, PUT, DELETE, HEAD, OPTIONS" },
});
for (
  const [what, body, fields] of [
    ["a hidden certificate", { certificate: ids.globexRevoked }, ["certificate"]],
    ["a missing certificate", { certificate: 999 }, ["certificate"]],
    ["a missing object", { assigned_object_id: 999 }, ["assigned_object_id"]],
    ["a type that takes no certificates", { assigned_object_type: "tenancy.tenant" }, [
      "assigned_object_type",
    ]],
    ["no object", { assigned_object_id: undefined }, ["assigned_object_id"]],
  ] as const
) {
  scenario(`An assignment of ${what} is refused`, {
    as: granted([
      { types: [ASSIGNMENT], actions: ["view", "add"] },
      { types: ["certmgr.certificate"], actions: ["view"], constraints: { tenant__slug: "acme" } },
      { types: ["dcim.device"], actions: ["view"] },
    ]),
    post: PATHS.assignments,
    body: {
      certificate: ids.acmeWeb,
      assigned_object_type: "dcim.device",
      assigned_object_id: devices.spare,
      ...body,
    },
    status: 400,
    json: (given) => assert.deepEqual(Object.keys(given), fields),
  });
}
scenario("An existing assignment is refused", {
  as: "superuser",
  post: PATHS.assignments,
  body: { certificate: 1, assigned_object_type: "dcim.device", assigned_object_id: 1 },
  status: 400,
  contains: ["already exists"],
});
scenario("A certificate of one tenant is not assigned to another tenant's object", {
  as: "superuser",
  post: PATHS.assignments,
  body: {
    certificate: ids.globexWeb,
    assigned_object_type: "virtualization.virtualmachine",
    assigned_object_id: machines.web,
  },
  status: 400,
  json: (body) => assert.deepEqual(Object.keys(body), ["__all__"]),
});
for (const path of [`${PATHS.certificates}bulk-assign/`, "/api/plugins/certmgr/bulk-assign/"]) {
  scenario(`POST ${path} assigns certificates, skips assigned ones and lists missing ones`, {
    as: "superuser",
    post: path,
    body: {
      certificate_ids: [ids.acmeWeb, ids.acmeCritical, 999],
      assigned_object_type: "dcim.device",
      assigned_object_id: devices.edge,
    },
    status: 201,
    changes: [`create ${ASSIGNMENT}`],
    equals: { created_count: 1, skipped_count: 1, not_found_ids: [999] },
  });
  scenario(`POST ${path} needs bulk_operations and add for assignments`, {
    as: granted([{ types: [ASSIGNMENT], actions: ["add"] }, {
      types: ["certmgr.certificate"],
      actions: ["view"],
    }]),
    post: path,
    body: { certificate_ids: [1], assigned_object_type: "dcim.device", assigned_object_id: 1 },
    status: 403,
  });
}
scenario("DELETE of a device that a certificate is assigned to answers 409", {
  as: "superuser",
  delete: `${PATHS.devices}${devices.edge}/`,
  status: 409,
  json: (body) => assert.match(body.detail, /^Unable to delete object\. 3 dependent objects were found: /),
});

scenario("POST csrs/import/ reads the request", {
  as: "superuser",
  post: `${PATHS.requests}import/`,
  body: {
    pem_content: request.pem,
    requested_by: "alice",
    target_ca: "Acme Internal",
    tenant: seed.tenants.globex,
  },
  status: 201,
  changes: [`create ${REQUEST}`],
  answers: { location: /\/csrs\/\d+\/$/ },
  json: (body) => {
    assert.deepEqual([body.common_name, body.status, body.requested_by], [
      "fresh.globex.example",
      "pending",
      "alice",
    ]);
    assert.deepEqual([body.sans, body.algorithm, body.key_size], [["fresh.globex.example"], "ecdsa", 256]);
  },
});
scenario("POST csrs/import/ refuses an existing request", {
  as: "superuser",
  post: `${PATHS.requests}import/`,
  body: { pem_content: pki.request.pem },
  status: 400,
});
scenario("POST csrs/import/ refuses a certificate", {
  as: "superuser",
  post: `${PATHS.requests}import/`,
  body: { pem_content: pki.fresh.pem },
  status: 400,
  json: (body) => assert.deepEqual(Object.keys(body), ["pem_content"]),
});
scenario("POST csrs/import/ refuses a private key", {
  as: "superuser",
  post: `${PATHS.requests}import/`,
  body: { pem_content: request.pem + request.key.privateKeyPem },
  status: 400,
  equals: { pem_content: ["Private key detected. Private keys are never stored."] },
});
scenario("A request outside the caller's constraints is not stored", {
  as: granted([
    { types: [REQUEST], actions: ["add"], constraints: { tenant__slug: "acme" } },
    { types: ["tenancy.tenant"], actions: ["view"] },
  ]),
  post: `${PATHS.requests}import/`,
  body: { pem_content: request.pem, tenant: seed.tenants.globex },
  status: 403,
});
scenario("A tenant's manager of certificates sees no requests", {
  as: managerOf("acme"),
  get: PATHS.requests,
  status: 403,
});
for (
  const [query, names] of [
    ["common_name=wanted", ["wanted.acme.example", "wanted.globex.example"]],
    ["common_name=WANTED", []],
    ["common_name__ic=WANTED.A", ["wanted.acme.example"]],
    ["status=approved", ["wanted.globex.example"]],
    [`tenant_id=${seed.tenants.acme}`, ["wanted.acme.example", "www.acme.example"]],
    ["organization=acme", ["wanted.acme.example"]],
    ["requested_by=ALI", ["wanted.acme.example"]],
    ["target_ca=internal", ["wanted.acme.example"]],
    ["tag=prod", ["wanted.acme.example"]],
    ["resulting_certificate_id=1", ["www.acme.example"]],
  ] as const
) {
  scenario(`Requests are filtered by ${query}`, {
    as: "superuser",
    get: `${PATHS.requests}?${query}&ordering=id`,
    status: 200,
    json: (body) =>
      assert.deepEqual(body.results.map((one: { common_name: string }) => one.common_name), names),
  });
}
