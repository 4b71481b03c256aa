/** What the pages of a signing request say about the certificate before it is issued. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Actor, granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { buildRequest } from "../support/test_ca/mod.ts";
import { browserOf, CHIEF, textOf } from "./imports/browser.ts";

const { acme } = seed.tenants;

/** Makes policies in place of the seeded ones. */
async function policies(app: TestApp, bodies: readonly Record<string, unknown>[]): Promise<{ id: number }[]> {
  await app.database.write((tx) => tx.run(sql`UPDATE compliance_policies SET enabled = 0`));
  return await make(app, PATHS.policies, bodies);
}

const STRONG_KEY = { name: "Strong keys", policy_type: "min_key_size", parameters: { min_ec_bits: 384 } };
const NO_WILDCARDS = { name: "Plain names", policy_type: "wildcard_forbidden" };
const NAMES = { name: "Subject alternative names", policy_type: "san_required" };
const SHORT = { name: "Short lifetimes", policy_type: "max_validity_days" };
const ISSUER = { name: "Known issuers", policy_type: "issuer_allowed", parameters: { issuers: ["Acme"] } };

/** Returns the text of the page of a request, from the title to the fields. */
async function leadOf(app: TestApp, id: number, actor: Actor = CHIEF): Promise<string> {
  const { html, status } = await (await browserOf(app, actor)).get(`/csrs/${id}/`);
  assert.equal(status, 200);
  return textOf(html.slice(html.indexOf("<h1"), html.indexOf("Public key SHA-256")));
}

Deno.test("The page of an open request warns of missing names and names the policies that the certificate would fail", async () => {
  await using app = await testApp();
  await policies(app, [
    STRONG_KEY,
    NO_WILDCARDS,
    NAMES,
    SHORT,
    ISSUER,
    { ...STRONG_KEY, name: "Disabled", enabled: false },
    { ...STRONG_KEY, name: "Of another tenant", tenant: acme },
  ]);
  const { pem } = await buildRequest({ cn: "*.bare.example" });
  const [{ id }] = await make(app, PATHS.requests, [{ pem_content: pem }]);
  const text = await leadOf(app, id);
  assert.match(text, /has no subject alternative names\. Browsers refuse certificates without them/);
  assert.match(text, /would fail 3 policies:/);
  assert.match(text, /Strong keys *: The ECDSA key has 256 bits; at least 384 bits are required/);
  assert.match(text, /Plain names *: The certificate has the wildcard name \*\.bare\.example/);
  assert.match(text, /Subject alternative names *: The certificate has no subject alternative names/);
  assert.match(text, /Cannot be checked before it is issued: *Short lifetimes *, *Known issuers/);
  assert.doesNotMatch(text, /would pass|Disabled|Of another tenant/);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificate_signing_requests SET status = 'rejected' WHERE id = ${id}`)
  );
  assert.doesNotMatch(await leadOf(app, id), /would fail|alternative names\. Browsers/);
});

Deno.test("A request that passes every policy has no warnings, and those of its tenant and tags are included", async () => {
  await using app = await testApp();
  const tag = seed.tags.prod;
  await policies(app, [
    NO_WILDCARDS,
    { ...NAMES, tenant: acme },
    { ...STRONG_KEY, parameters: {}, tags: [tag] },
    { ...STRONG_KEY, name: "Of other tags", tags: [seed.tags.pci] },
  ]);
  const sans = ["good.example"];
  const { pem } = await buildRequest({ cn: "good.example", sans });
  const [{ id }] = await make(app, PATHS.requests, [{ pem_content: pem, tenant: acme, tags: [tag] }]);
  const text = await leadOf(app, id);
  assert.match(text, /The certificate would pass 3 policies\./);
  assert.doesNotMatch(text, /would fail|Browsers|Of other tags|Cannot be checked/);
});

Deno.test("A request without PEM is checked by the parts that it has", async () => {
  await using app = await testApp();
  await policies(app, [STRONG_KEY, NO_WILDCARDS, NAMES]);
  const [bare, named] = await make(app, PATHS.requests, [
    { common_name: "typed.example" },
    { common_name: "named.example", sans: ["*.named.example"] },
  ]);
  const pageOf = async (id: number): Promise<string> =>
    textOf((await (await browserOf(app)).get(`/csrs/${id}/`)).html);
  const text = await pageOf(bare.id);
  assert.match(
    text,
    /Cannot be checked before it is issued: *Strong keys *, *Plain names *, *Subject alternative names/,
  );
  assert.doesNotMatch(text, /would fail|Browsers/);
  assert.match(
    await pageOf(named.id),
    /would fail 1 policy: *Plain names.*before it is issued: *Strong keys */,
  );
});

Deno.test("Policies that a user may not view are not named or counted on the page of a request", async () => {
  await using app = await testApp();
  const [first] = await policies(app, [STRONG_KEY, { ...STRONG_KEY, name: "Secret rule" }]);
  const { pem } = await buildRequest({ cn: "seen.example", sans: ["seen.example"] });
  const [{ id }] = await make(app, PATHS.requests, [{ pem_content: pem }]);
  const requests = { types: ["certmgr.certificatesigningrequest"], actions: ["view"] };
  const some = granted([requests, {
    types: ["certmgr.compliancepolicy"],
    actions: ["view"],
    constraints: { id: first?.id },
  }], { username: "some" });
  assert.match(await leadOf(app, id, some), /would fail 1 policy: *Strong keys/);
  assert.doesNotMatch(await leadOf(app, id, some), /Secret rule/);
  const none = granted([requests], { username: "none" });
  assert.doesNotMatch(await leadOf(app, id, none), /would|policy|policies|Strong|Secret/);
});

Deno.test("The page of a request takes as many statements, and names at most ten policies, however many there are", async () => {
  await using app = await testApp();
  const { pem } = await buildRequest({ cn: "many.example", sans: ["many.example"] });
  const [{ id }] = await make(app, PATHS.requests, [{ pem_content: pem }]);
  const browser = await browserOf(app);
  const statements = async (): Promise<number> => {
    await browser.get(`/csrs/${id}/`);
    const before = app.database.statements;
    await browser.get(`/csrs/${id}/`);
    return app.database.statements - before;
  };
  await policies(app, [STRONG_KEY]);
  const few = await statements();
  await policies(app, [
    ...Array.from({ length: 25 }, (_, index) => ({ ...STRONG_KEY, name: `Key ${index}` })),
    ...Array.from({ length: 12 }, (_, index) => ({ ...SHORT, name: `Lifetime ${index}` })),
  ]);
  assert.equal(await statements(), few);
  const text = await leadOf(app, id);
  assert.match(text, /would fail 25 policies:.*And 15 more\..*Lifetime 9 and 2 more/);
  assert.equal([...text.matchAll(/Key \d+ *:/g)].length, 10);
});

Deno.test("The preview of a new request names the policies of the chosen tenant, by id or by name", async () => {
  await using app = await testApp();
  await policies(app, [{ ...STRONG_KEY, tenant: acme }]);
  const { pem } = await buildRequest({ cn: "asked.example" });
  const browser = await browserOf(app);
  const preview = async (tenant: string): Promise<string> => {
    const { html } = await browser.post("/csrs/new/", { pem_content: pem, tenant, preview: "true" });
    return textOf(/<section class="asked"(.*?)<\/section>/s.exec(html)?.[1] ?? "");
  };
  const [{ name }] = await app.database.all<{ name: string }>(
    sql`SELECT name FROM tenants WHERE id = ${acme}`,
  ) as [{ name: string }];
  for (const tenant of [String(acme), name]) {
    assert.match(await preview(tenant), /no subject alternative names.*would fail 1 policy: *Strong keys/);
  }
  assert.doesNotMatch(await preview(""), /would fail/);
});
