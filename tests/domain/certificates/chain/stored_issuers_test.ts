/** Stored CA certificates as issuers of other stored certificates. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { evaluateInUse } from "../../../../src/domain/system/jobs/evaluate_in_use.ts";
import { granted } from "../../../support/actors.ts";
import { type Client, type TestApp, testApp } from "../../../support/app.ts";
import { callJson as call } from "../../../support/call_json.ts";
import { certificate, PATHS } from "../../../support/paths.ts";
import { seed } from "../../../support/seed.ts";
import { storeCertificates } from "../../../support/stored.ts";
import { browserOf } from "../../../web/imports/browser.ts";
import { TestCa, type TestCertificate } from "../../../support/test_ca/mod.ts";

const key = "ed25519";
const root = await TestCa.root({ key, cn: "Nordwind Root" });
const policy = await root.intermediate({ key, cn: "Nordwind Policy CA" });
const issuing = await policy.intermediate({ key, cn: "Nordwind Issuing CA" });
const leaf = await issuing.issue({ key, cn: "www.nordwind.example" });

// deno-lint-ignore no-explicit-any -- what a test looks at is what it says
type Json = any;

function validate(client: Client, id: number): Promise<Json> {
  return call(client, certificate(id, "validate-chain/"), "POST");
}

async function track(app: TestApp, pem: string): Promise<void> {
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificate_authorities SET pem_content = ${pem}, last_updated = last_updated + 1
      WHERE id = ${seed.authorities.internal}`)
  );
}

async function store(
  app: TestApp,
  ...many: (TestCertificate | Record<string, unknown>)[]
): Promise<number[]> {
  return await storeCertificates(
    app,
    many.map((one) => "der" in one ? { pem_content: (one as TestCertificate).pem } : one),
  );
}

const RENEWED = await TestCa.root({ key, cn: "Nordwind Root" });
const CASES: readonly [
  what: string,
  { tracked?: TestCertificate; stored: TestCertificate[]; chain?: string; expected: unknown[] },
][] = [
  ["stored intermediates of a tracked root complete a chain", {
    tracked: root,
    stored: [policy, issuing],
    expected: ["valid", "tracked_ca", 4],
  }],
  ["one of them from the chain of the certificate", {
    tracked: root,
    stored: [policy],
    chain: issuing.pem,
    expected: ["valid", "tracked_ca", 4],
  }],
  ["a tracked intermediate ends the path", {
    tracked: policy,
    stored: [issuing],
    expected: ["valid", "tracked_ca", 3],
  }],
  ["an unknown root", { stored: [policy, issuing], expected: ["valid", "none", 3] }],
  ["a stored root is no anchor", { stored: [policy, issuing, root], expected: ["incomplete", "none", 4] }],
  ["a missing intermediate", { tracked: root, stored: [policy], expected: ["no_chain", "none", 1] }],
  ["nothing is known", { stored: [], expected: ["no_chain", "none", 1] }],
  ["a stored certificate of the same name with another key", {
    stored: [await RENEWED.intermediate({ key, cn: "Nordwind Issuing CA" })],
    expected: ["no_chain", "none", 1],
  }],
  ["an expired intermediate", {
    tracked: policy,
    stored: [
      await policy.intermediate({ key: issuing.key, cn: "Nordwind Issuing CA", notAfter: "2026-06-01" }),
    ],
    expected: ["expired", "tracked_ca", 3],
  }],
  ["a root of the same name with another key changes nothing in a chain without root", {
    stored: [RENEWED],
    chain: issuing.pem + policy.pem,
    expected: ["valid", "none", 3],
  }],
];
for (const [what, { tracked, stored, chain = "", expected }] of CASES) {
  Deno.test(`stored issuers: ${what}`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    if (tracked !== undefined) await track(app, tracked.pem);
    await store(app, ...stored);
    const [id] = await store(app, { pem_content: leaf.pem, issuer_chain: chain }) as [number];
    const result = await validate(client, id);
    assert.deepEqual([result.status, result.anchor, result.chain_depth], expected, result.message);
    const bulk = await call(client, `${PATHS.certificates}bulk-validate-chain/`, "POST", { ids: [id] });
    assert.equal(bulk.results[0].status, expected[0]);
    assert.equal((await call(client, certificate(id))).chain_status, expected[0]);
  });
}

Deno.test("stored issuers: a hidden CA certificate is not used for a caller, but for the service", async () => {
  await using app = await testApp();
  await track(app, root.pem);
  const [, , id] = await store(app, policy, issuing, leaf) as [number, number, number];
  const authorities = { types: ["certmgr.certificateauthority"], actions: ["view"] };
  const may = { types: ["certmgr.certificate"], actions: ["view", "change"] };
  const some = granted([{ ...may, constraints: { common_name: "www.nordwind.example" } }, authorities]);
  assert.equal((await validate(await app.as(some), id)).status, "no_chain");
  const stored = await call(await app.as("superuser"), certificate(id));
  assert.equal(stored.chain_status, "valid", "what is stored does not depend on the caller");
  const all = granted([may, authorities], { username: "all" });
  assert.equal((await validate(await app.as(all), id)).status, "valid");
});

Deno.test("stored issuers: the arrival of an issuer validates those that waited for it", async () => {
  await using app = await testApp();
  const never = { ctx: { ...app.ctx, settings: { ...app.ctx.settings, evaluationTime: null } } };
  const client = await app.as("superuser");
  await track(app, root.pem);
  const [id, , other] = await store(
    app,
    leaf,
    issuing,
    await RENEWED.issue({ key, cn: "other.example" }),
  ) as number[];
  const statuses = async (): Promise<unknown[]> =>
    await Promise.all([id, other].map(async (one) => (await call(client, certificate(one!))).chain_status));
  for (const one of [id, other]) await validate(client, one!);
  assert.deepEqual(await statuses(), ["valid", "no_chain"]);
  const depth = async (): Promise<unknown> => (await call(client, certificate(id!))).chain_depth;
  assert.equal(await depth(), 2);
  const validatedAt = (await call(client, certificate(other!))).chain_validated_at;
  app.clock.advance(1_000);
  assert.deepEqual(await evaluateInUse(never), { validated: 0, checked: 0 });
  await store(app, policy);
  assert.equal((await call(client, certificate(id!))).chain_validated_at, null);
  assert.match(
    (await (await browserOf(app)).get(`/certificates/${id}/`)).html,
    /validated again within a minute/,
  );
  assert.deepEqual(await evaluateInUse(never), { validated: 1, checked: 0 });
  assert.deepEqual(await statuses(), ["valid", "no_chain"]);
  assert.equal(await depth(), 4);
  assert.equal((await call(client, certificate(other!))).chain_validated_at, validatedAt);
});

Deno.test("stored issuers: a thousand of one name are bounded, and the ones that end last are tried", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await track(app, root.pem);
  const [, issuingId, id] = await store(app, policy, issuing, leaf) as [number, number, number];
  const same = await RENEWED.intermediate({ key, cn: "Nordwind Issuing CA" });
  const numbers = JSON.stringify(Array.from({ length: 1_000 }, (_, index) => index));
  await app.database.write((tx) =>
    tx.runAll([
      sql`INSERT INTO certificates (common_name, serial_number, issuer, subject, valid_from, valid_to, fingerprint_sha256,
          algorithm, has_pem, kind, created, last_updated)
        SELECT common_name, printf('%x', 4096 + number.value), issuer, subject, valid_from, valid_to - 1000, fingerprint_sha256,
          algorithm, 1, 'ca', created, last_updated FROM certificates CROSS JOIN json_each(${numbers}) AS number
        WHERE certificates.id = ${issuingId}`,
      sql`INSERT INTO certificate_texts (certificate_id, pem_content)
        SELECT id, ${same.pem} FROM certificates
        WHERE id > ${id}`,
    ])
  );
  const before = app.database.statements;
  const began = performance.now();
  assert.equal((await validate(client, id)).status, "valid");
  assert.ok(performance.now() - began < 1_000);
  assert.ok(app.database.statements - before < 20);
});

Deno.test("stored issuers: a loop of cross-certificates ends", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const [one, two] = [await TestCa.root({ key, cn: "One CA" }), await TestCa.root({ key, cn: "Two CA" })];
  const crossed = await one.intermediate({ cn: "Two CA", key: two.key });
  const back = await two.intermediate({ cn: "One CA", key: one.key });
  const end = await one.issue({ key, cn: "www.loop.example" });
  const [, , id] = await store(app, crossed, back, end) as [number, number, number];
  assert.equal((await validate(client, id)).status, "incomplete");
  await track(app, one.pem);
  assert.equal((await validate(client, id)).status, "valid");
});

Deno.test("stored issuers: the number of statements does not depend on the number of chains", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await track(app, root.pem);
  await store(app, policy, issuing);
  const leaves = await issuing.issueMany(12, (index) => ({ key, cn: `many-${index}.example` }));
  const ids = await store(app, ...leaves);
  const costs: number[] = [];
  for (const some of [ids.slice(0, 1), ids.slice(1, 3), ids.slice(3)]) {
    const before = app.database.statements;
    const result = await call(client, `${PATHS.certificates}bulk-validate-chain/`, "POST", { ids: some });
    assert.equal(result.valid_count, some.length);
    costs.push(app.database.statements - before);
  }
  assert.deepEqual(costs.slice(1), [costs[1], costs[1]]);
});
