/** Queries without meta fields are not executed by graphql-js, but have the same responses. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { readerOf } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";

const QUERIES = [
  "certificate_list { id common_name url display valid_to is_acme sans key_size days_remaining findings custom_fields }",
  "certificate_list { tenant { name } tenant { id } other: tenant { slug __typename } __typename }",
  'list: certificate_list(ordering: ["-id"]) { __proto__: id constructor: common_name toString: status }',
  "certificate_list { ...names tenant { ...on TenantType { name group { name } } } } ",
  "certificate_list { assignments { is_primary assigned_object { ...on DeviceType { name tenant { name } } ...on ServiceType { name ports device { name } } ...on VirtualMachineType { vm: name } } device { name } } assignments_total }",
  "certificate_list { id @skip(if: true) common_name @include(if: true) tags { name color } }",
  `certificate(id: "1") { id replaced_by { id common_name } issuing_ca { name certificates(pagination: {limit: 2}) { id } } }`,
  `certificate(id: "999999") { id } none: certificate(id: "x") { id }`,
  "certificate_list_total device_list(pagination: {limit: 2}) { name certificate_assignments: id }",
  "service_list { name protocol ports device { id name } virtual_machine { name } }",
  "compliance_policy_list { name parameters severity enabled }",
  'tenant_list { name certificates_total certificates(pagination: {limit: 3}, ordering: ["common_name"]) { common_name tenant { certificates_total } } }',
];
const FRAGMENT =
  " fragment names on CertificateType { common_name serial_number ...deep } fragment deep on CertificateType { status }";

async function textOf(
  app: TestApp,
  who: Parameters<TestApp["as"]>[0],
  query: string,
): Promise<string> {
  const client = await app.as(who);
  const used = query.includes("...names") ? query + FRAGMENT : query;
  return await (await client("/graphql/", {
    method: "POST",
    body: { query: used },
  })).text();
}

for (const query of QUERIES) {
  Deno.test(`The response is that of graphql-js: ${query.slice(0, 80)}`, async () => {
    await using app = await testApp();
    for (const who of ["superuser", readerOf("acme")] as const) {
      const plain = await textOf(app, who, `{            ${query} }`);
      const resolved = await textOf(app, who, `{ __typename ${query} }`);
      assert.equal(resolved.replace('"__typename":"Query",', ""), plain);
      if (who === "superuser" && !query.includes("group {")) {
        assert.doesNotMatch(plain, /"errors"/);
      }
    }
  });
}

Deno.test("A value that its type does not allow is the error that graphql-js reports", async () => {
  await using app = await testApp();
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET key_size = 3000000000 WHERE id = ${Object.values(seed.certificates)[0]}`,
    )
  );
  const query = "certificate_list { id key_size }";
  const plain = await textOf(app, "superuser", `{            ${query} }`);
  assert.equal(JSON.parse(plain).errors.length, 1);
  const resolved = await textOf(app, "superuser", `{ __typename ${query} }`);
  assert.equal(resolved.replace('"__typename":"Query",', ""), plain);
});
