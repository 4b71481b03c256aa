/** Validation of many chains: a constant number of statements, and other requests run in between. */

import assert from "node:assert/strict";
import { testApp } from "../../../support/app.ts";
import { certificate, PATHS } from "../../../support/paths.ts";
import { seed } from "../../../support/seed.ts";
import { storeCertificates } from "../../../support/stored.ts";
import { TestCa } from "../../../support/test_ca/mod.ts";

const PATH = `${PATHS.certificates}bulk-validate-chain/`;
const root = await TestCa.root({ key: "ed25519", cn: "Many Root" });
const many = await root.issueMany(100, (index) => ({ cn: `many-${index}.example` }));
const BODIES = many.map((one) => ({ pem_content: one.pem, issuer_chain: root.pem }));

Deno.test("the number of statements does not depend on the number of chains", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await storeCertificates(app, BODIES.slice(0, 30));
  const costs: number[] = [];
  for (const some of [ids.slice(0, 1), ids.slice(1, 3), ids.slice(3)]) {
    const before = app.database.statements;
    const response = await client(PATH, { method: "POST", body: { ids: some } });
    assert.equal((await response.json()).valid_count, some.length);
    costs.push(app.database.statements - before);
  }
  assert.deepEqual(costs.slice(1), [costs[1], costs[1]]);
});

Deno.test("other requests are answered while a hundred chains are validated", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await storeCertificates(app, BODIES);
  await client(certificate(seed.certificates.acmeWeb));
  const order: string[] = [];
  const bulk = client(PATH, { method: "POST", body: { ids } }).then(async (response) => {
    order.push("bulk");
    return await response.json();
  });
  const reads = [1, 2, 3].map((number) =>
    client(certificate(seed.certificates.acmeWeb)).then(async (response) => {
      assert.equal(response.status, 200);
      await response.text();
      order.push(`read ${number}`);
    })
  );
  await Promise.all(reads);
  assert.deepEqual(order, ["read 1", "read 2", "read 3"]);
  assert.equal((await bulk).valid_count, 100);
});

Deno.test("a certificate without PEM is stored as parse_error", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const id = seed.certificates.globexJustExpired;
  await client(certificate(id), { method: "PATCH", body: { pem_content: "" } });
  const { results } = await (await client(PATH, { method: "POST", body: { ids: [id] } })).json();
  const stored = await (await client(certificate(id))).json();
  assert.deepEqual([results[0].status, stored.chain_status, stored.chain_is_valid], [
    "parse_error",
    "parse_error",
    false,
  ]);
  assert.equal(stored.chain_validation_message, results[0].message);
});
