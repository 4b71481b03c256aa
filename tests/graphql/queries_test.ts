/** The queries of the specification's table, as an API document prints them. */

import assert from "node:assert/strict";
import { seed } from "../support/seed.ts";
import { testApp } from "../support/app.ts";
import { ask, data } from "./support.ts";

const { acmeWeb } = seed.certificates;

interface Example {
  readonly name: string;
  readonly query: string;
  /** Part of the response. */
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
  readonly check: (answer: any) => void;
}

const EXAMPLES: readonly Example[] = [
  {
    name: "certificate_list",
    query: `{ certificate_list(filters: {status: "active"}) {
      id common_name serial_number issuer valid_from valid_to status days_remaining expiry_status algorithm key_size
      tenant { name } sans
      assignments { id is_primary assigned_object {
        ... on ServiceType { name ports device { name } } ... on DeviceType { name } ... on VirtualMachineType { name }
      } } } }`,
    check: ({ certificate_list: [first, ...others] }) => {
      assert.equal(first.id, acmeWeb);
      assert.equal(first.common_name, "www.acme.example");
      assert.deepEqual(first.tenant, { name: "Acme Corp" });
      assert.deepEqual(first.assignments, [{ id: 1, is_primary: true, assigned_object: { name: "edge-1" } }]);
      assert.deepEqual([typeof first.days_remaining, typeof first.key_size], ["number", "number"]);
      assert.match(first.valid_to, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.ok(others.every((one: { status: string }) => one.status === "active"));
    },
  },
  {
    name: "certificate",
    query:
      `{ certificate(id: "5") { common_name serial_number fingerprint_sha256 issuer issuer_chain valid_from valid_to
      sans algorithm key_size status private_key_location replaced_by { id common_name } } }`,
    check: ({ certificate }) => {
      assert.deepEqual(certificate.replaced_by, { id: acmeWeb, common_name: "www.acme.example" });
      assert.deepEqual([certificate.status, certificate.issuer_chain], ["replaced", ""]);
    },
  },
  {
    name: "certificate_authority_list",
    query:
      `{ certificate_authority_list { id name type description issuer_pattern website_url portal_url contact_email
      is_approved certificate_count } }`,
    check: ({ certificate_authority_list: list }) => {
      const internal = list.find((one: { name: string }) => one.name === "Acme Internal");
      assert.deepEqual([internal.type, internal.is_approved], ["internal", true]);
      assert.ok(internal.certificate_count > 0);
    },
  },
  {
    name: "certificate_authority",
    query:
      `{ certificate_authority(id: 1) { name type description issuer_pattern is_approved certificate_count } }`,
    check: ({ certificate_authority: one }) => assert.equal(one.issuer_pattern, "acme issuing ca"),
  },
  {
    name: "certificate_assignment_list",
    query: `{ certificate_assignment_list { id certificate { common_name valid_to } assigned_object_type
      assigned_object_id is_primary notes } }`,
    check: ({ certificate_assignment_list: [first] }) => {
      assert.equal(first.certificate.common_name, "www.acme.example");
      assert.deepEqual([first.assigned_object_type, first.assigned_object_id], ["dcim.device", 1]);
    },
  },
  {
    name: "certificate_signing_request_list",
    query:
      `{ certificate_signing_request_list { id common_name organization status requested_date requested_by target_ca
      algorithm key_size tenant { name } resulting_certificate { common_name valid_to } } }`,
    check: ({ certificate_signing_request_list: list }) => {
      const issued = list.find((one: { id: number }) => one.id === seed.requests.issued);
      assert.deepEqual([issued.status, issued.tenant.name, issued.resulting_certificate.common_name], [
        "issued",
        "Acme Corp",
        "www.acme.example",
      ]);
    },
  },
  {
    name: "certificate_signing_request",
    query:
      `{ certificate_signing_request(id: 1) { common_name organization organizational_unit locality state country sans
      fingerprint_sha256 algorithm key_size status requested_date requested_by target_ca notes subject_string } }`,
    check: ({ certificate_signing_request: one }) =>
      assert.deepEqual([one.organization, one.requested_by, one.sans], ["Acme Corp", "alice", []]),
  },
];

for (const { name, query, check } of EXAMPLES) {
  Deno.test(`${name} answers the query of the specification`, async () => {
    await using app = await testApp();
    check(await data(await app.as("superuser"), query));
  });
}

Deno.test("lists, totals and single objects of every type are answered, by GET too", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const names = [
    "certificate",
    "certificate_authority",
    "certificate_assignment",
    "certificate_signing_request",
  ]
    .concat("tenant", "tag", "device", "virtual_machine", "service", "compliance_policy", "compliance_check");
  for (const name of names) {
    const query = `{ ${name}_list { id display url } ${name}_list_total ${name}(id: 1) { id __typename } }`;
    const response = await client(`/graphql/?query=${encodeURIComponent(query)}`);
    const { data: answer } = await response.json();
    assert.equal(answer[`${name}_list`].length, answer[`${name}_list_total`], name);
    assert.ok(answer[`${name}_list_total`] > 1, name);
    assert.equal(answer[name].id, 1, name);
    assert.match(answer[name].__typename, /^[A-Z]\w+Type$/);
  }
});

Deno.test("nested lists have filters, pagination and ordering, applied to each object separately", async () => {
  await using app = await testApp();
  const { tenant_list: list } = await data(
    await app.as("superuser"),
    `query ($part: Pagination) { tenant_list(ordering: "slug") {
      slug
      first: certificates(pagination: $part, ordering: ["-common_name"]) { common_name }
      rest: certificates(pagination: {limit: 1, offset: 1}, ordering: "-common_name") { common_name }
      after: certificates(pagination: {start: 3, limit: 1}) { id }
      certificates_total(filters: {status: "active"})
    } }`,
    { part: { limit: 2 } },
  );
  assert.deepEqual(list.map((one: { slug: string; first: unknown[] }) => [one.slug, one.first.length]), [
    ["acme", 2],
    ["globex", 2],
    ["initech", 0],
  ]);
  const [acme, globex, idle] = list;
  assert.deepEqual(acme.first[1], acme.rest[0]);
  assert.deepEqual([acme.after, globex.after, idle.after], [[{ id: 3 }], [{ id: 6 }], []]);
  assert.deepEqual([acme.certificates_total, globex.certificates_total, idle.certificates_total], [3, 3, 0]);
});

Deno.test("a list without a limit has the largest page size, one inside an object the default page size", async () => {
  await using app = await testApp({ settings: { defaultPageSize: 2, maxPageSize: 5 } });
  const client = await app.as("superuser");
  const whole = await ask(client, "{ certificate_list { id } certificate_list_total }");
  assert.equal(whole.data.certificate_list.length, 5);
  assert(whole.data.certificate_list_total > 5);
  const nested = await ask(
    client,
    "{ tenant_list { own: certificates { tenant { certificates(pagination: {limit: 1}) { id } } } } }",
  );
  assert.equal(nested.data.tenant_list[0].own.length, 2);
  assert.equal(nested.data.tenant_list[0].own[0].tenant.certificates.length, 1);
  const below = await ask(client, '{ certificate(id: "1") { tenant { certificates { id } } } }');
  assert.equal(below.data.certificate.tenant.certificates.length, 2);
  for (const [limit, rows] of [[2, 2], [9, 5], [0, 5]]) {
    const { data } = await ask(client, `{ certificate_list(pagination: {limit: ${limit}}) { id } }`);
    assert.equal(data.certificate_list.length, rows);
  }
});

Deno.test("lists without a limit have the default page size where larger ones would cost too much", async () => {
  await using app = await testApp();
  const query = "{ tenant_list { certificates { tenant { certificates { id } } } } }";
  const { data, errors } = await ask(await app.as("superuser"), query);
  assert.deepEqual([errors, data.tenant_list.length], [undefined, 3]);
});

Deno.test("a reference to an object of any type is that object, and null in the fields of other types", async () => {
  await using app = await testApp();
  const answer = await data(
    await app.as("superuser"),
    `{ service(id: 1) { parent { __typename ...named } device { name services { name } } virtual_machine { name } }
       certificate_assignment(id: 1) { device { name } service { name } } }
     fragment named on DeviceType { name }`,
  );
  assert.deepEqual(answer.service, {
    parent: { __typename: "DeviceType", name: "edge-1" },
    device: { name: "edge-1", services: [{ name: "https" }] },
    virtual_machine: null,
  });
  assert.deepEqual(answer.certificate_assignment, { device: { name: "edge-1" }, service: null });
});

Deno.test("aliases, fragments and repeated fields are merged as GraphQL specifies", async () => {
  await using app = await testApp();
  const answer = await data(
    await app.as("superuser"),
    `query ($yes: Boolean!) { a: certificate(id: 1) { ...one name: common_name tenant { slug } skipped: id @skip(if: $yes) }
       b: certificate(id: 2) { ...one @include(if: $yes) } }
     fragment one on CertificateType { id tenant { name } }`,
    { yes: true },
  );
  assert.deepEqual(answer, {
    a: { id: 1, tenant: { name: "Acme Corp", slug: "acme" }, name: "www.acme.example" },
    b: { id: 2, tenant: { name: "Acme Corp" } },
  });
});

Deno.test("a missing object and an invalid id are null", async () => {
  await using app = await testApp();
  const answer = await data(
    await app.as("superuser"),
    `{ a: certificate(id: 999) { id } b: certificate(id: "x") { id } c: certificate(id: "-1") { id } }`,
  );
  assert.deepEqual(answer, { a: null, b: null, c: null });
});
