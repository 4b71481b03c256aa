import assert from "node:assert/strict";
import { granted, readerOf, stranger } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { ask, codes, data } from "./support.ts";

const { globexWeb, acmeReplaced, acmeWeb } = seed.certificates;

Deno.test("lists, totals and single objects have only what the caller may view", async () => {
  await using app = await testApp();
  const answer = await data(
    await app.as(readerOf("acme")),
    `{ certificate_list { id tenant { slug } } certificate_list_total hidden: certificate(id: ${globexWeb}) { id }
       some: certificate_list_total(filters: {id: [${acmeWeb}, ${globexWeb}]}) tenant_list { slug } }`,
  );
  assert.equal(answer.certificate_list_total, 5);
  assert.deepEqual(
    answer.certificate_list.map((one: { tenant: unknown }) => one.tenant),
    Array(5).fill({ slug: "acme" }),
  );
  assert.deepEqual([answer.hidden, answer.some, answer.tenant_list], [null, 1, [{ slug: "acme" }]]);
});

Deno.test("within visible objects, hidden ones are null, missing from lists, and not counted", async () => {
  await using app = await testApp();
  const grants = [
    { types: ["certmgr.certificate"], actions: ["view"], constraints: { id__in: [acmeReplaced, globexWeb] } },
    { types: ["certmgr.certificateassignment", "dcim.device"], actions: ["view"] },
    { types: ["extras.tag"], actions: ["view"], constraints: { slug: "staging" } },
  ];
  const answer = await data(
    await app.as(granted(grants)),
    `{ certificate_list { id tenant { name } replaced_by { id } issuing_ca { id } assignments { id } assignments_total
         tags { slug } tags_total compliance_checks { id } compliance_checks_total signing_requests_total }
       certificate_assignment_list { id certificate { id } certificate_detail { id } assigned_object { ... on DeviceType {
         name services { id } services_total assignments { certificate { id } } } } } }`,
  );
  const nothing = {
    tenant: null,
    replaced_by: null,
    issuing_ca: null,
    compliance_checks: [],
    compliance_checks_total: 0,
    signing_requests_total: 0,
  };
  assert.deepEqual(answer.certificate_list, [
    {
      id: acmeReplaced,
      ...nothing,
      assignments: [],
      assignments_total: 0,
      tags: [{ slug: "staging" }],
      tags_total: 1,
    },
    { id: globexWeb, ...nothing, assignments: [{ id: 2 }], assignments_total: 1, tags: [], tags_total: 0 },
  ]);
  const device = (name: string, certificate: unknown): unknown => ({
    name,
    services: [],
    services_total: 0,
    assignments: [{ certificate }],
  });
  assert.deepEqual(answer.certificate_assignment_list, [
    { id: 1, certificate: null, certificate_detail: null, assigned_object: device("edge-1", null) },
    {
      id: 2,
      certificate: { id: globexWeb },
      certificate_detail: { id: globexWeb },
      assigned_object: device("edge-2", { id: globexWeb }),
    },
  ]);
});

Deno.test("a hidden target of an assignment is null, and no filter reveals it", async () => {
  await using app = await testApp();
  const answer = await data(
    await app.as(readerOf("acme")),
    `{ certificate_list(filters: {id: ${acmeWeb}}) { assignments { id assigned_object { __typename } device { id } } }
       by_device: certificate_assignment_list(filters: {device: "edge-1"}) { id }
       by_tag: certificate_list(filters: {replaced_by__where: {tenant__where: {slug: "globex"}}}) { id } }`,
  );
  assert.deepEqual(answer, {
    certificate_list: [{ assignments: [{ id: 1, assigned_object: null, device: null }] }],
    by_device: [],
    by_tag: [],
  });
});

Deno.test("results are hidden with their certificate", async () => {
  await using app = await testApp();
  const types = ["certmgr.compliancecheck", "certmgr.compliancepolicy"];
  const grants = [
    { types, actions: ["view"] },
    { types: ["certmgr.certificate"], actions: ["view"], constraints: { id: seed.certificates.acmeExpired } },
  ];
  const answer = await data(
    await app.as(granted(grants)),
    "{ compliance_check_list { id } compliance_policy(id: 1) { compliance_checks { id } compliance_checks_total } }",
  );
  assert.deepEqual(answer, {
    compliance_check_list: [{ id: seed.checks.failed }],
    compliance_policy: { compliance_checks: [{ id: seed.checks.failed }], compliance_checks_total: 1 },
  });
});

Deno.test("a type that the caller may not view at all is refused at the root, by the field's path", async () => {
  await using app = await testApp();
  const client = await app.as(stranger());
  const list = await ask(client, "{ certificate_list { id } }");
  assert.deepEqual([codes(list), list.errors?.[0]?.path, list.data], [
    ["FORBIDDEN"],
    ["certificate_list"],
    null,
  ]);
  const one = await ask(client, "{ mine: certificate(id: 1) { id } }");
  assert.deepEqual([codes(one), one.errors?.[0]?.path, one.data], [["FORBIDDEN"], ["mine"], { mine: null }]);
});
