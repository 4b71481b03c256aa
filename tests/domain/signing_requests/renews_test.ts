/** Requests that renew a certificate: what they take over, and the renewal that issues them. */

import assert from "node:assert/strict";
import { type Actor, granted } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { make } from "../../support/make.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { seed } from "../../support/seed.ts";
import { changesSince, lastChange } from "../../support/store.ts";
import { buildRequest, TestCa } from "../../support/test_ca/mod.ts";

const CN = "renewed.acme.example";
const ca = await TestCa.root({ subject: "O=Acme Corp, CN=Acme Issuing" });
const old = await ca.issue({ cn: CN, sans: [CN, "alias.acme.example"] });
const request = await buildRequest({ cn: CN });
const issued = await ca.issue({ cn: CN, key: request.key });
const other = await ca.issue({ cn: CN });
const REQUEST = "certmgr.certificatesigningrequest";

/** Stores the certificate to renew, with tenant and tag. */
async function withOld(app: Awaited<ReturnType<typeof testApp>>): Promise<number> {
  const body = { pem_content: old.pem, tenant: seed.tenants.acme, tags: [{ slug: "pci" }] };
  const [{ id }] = await make(app, PATHS.certificates, [body]) as [{ id: number }];
  return id;
}

Deno.test("A request takes over what it does not have: tenant, tags and authority, without PEM also names", async () => {
  await using app = await testApp();
  const renews = await withOld(app);
  const client = await app.as("superuser");
  const taken = await callJson(client, `${PATHS.requests}import/`, "POST", {
    pem_content: request.pem,
    renews,
  });
  assert.deepEqual([taken.tenant.slug, taken.tags.map(({ slug }: { slug: string }) => slug)], ["acme", [
    "pci",
  ]]);
  assert.deepEqual([taken.target_ca, taken.renews.id, taken.sans], ["Acme Issuing", renews, []]);
  const bare = await callJson(client, PATHS.requests, "POST", {
    renews,
    tags: [{ slug: "prod" }],
    target_ca: "Other",
  });
  assert.deepEqual([bare.common_name, bare.sans], [CN, [CN, "alias.acme.example"]]);
  assert.deepEqual([bare.tags.map(({ slug }: { slug: string }) => slug), bare.target_ca], [
    ["prod"],
    "Other",
  ]);
});

Deno.test("A hidden certificate cannot be renewed by a request, as a missing one", async () => {
  await using app = await testApp();
  const renews = await withOld(app);
  const client = await app.as(granted([
    { types: [REQUEST], actions: ["view", "add"] },
    { types: ["certmgr.certificate"], actions: ["view"], constraints: { tenant__slug: "globex" } },
  ]));
  for (const id of [renews, 9_999]) {
    const response = await client(PATHS.requests, {
      method: "POST",
      body: { common_name: "x.example", renews: id },
    });
    assert.equal(response.status, 400);
    const { renews: [text] } = await response.json();
    assert.equal(text, `Related object not found using the provided numeric ID: ${id}.`);
  }
});

const RENEWS = { types: ["certmgr.certificate"], actions: ["view", "renew", "change"] };
const CASES: readonly (readonly [string, Actor | "superuser", string, number])[] = [
  ["with its key issues it", "superuser", issued.pem, 1],
  ["with another key does not issue it", "superuser", other.pem, 0],
  [
    "by a user who may only change open requests issues it",
    granted([RENEWS, { types: [REQUEST], actions: ["change"], constraints: { status: "pending" } }]),
    issued.pem,
    1,
  ],
  ["by a user who may not change requests does not issue it", granted([RENEWS]), issued.pem, 0],
];
for (const [what, actor, pem_content, count] of CASES) {
  Deno.test(`The renewal ${what}, and a dry run says so without storing anything`, async () => {
    await using app = await testApp();
    const renews = await withOld(app);
    const [{ id }] = await make(app, PATHS.requests, [{ pem_content: request.pem, renews }]) as [
      { id: number },
    ];
    const client = await app.as(actor);
    const readStatus = async (): Promise<unknown[]> => {
      const found = await callJson(await app.as("superuser"), `${PATHS.requests}${id}/`);
      return [found.status, found.resulting_certificate?.id];
    };
    const renew = (body: object) => callJson(client, certificate(renews, "renew/"), "POST", body);
    assert.equal((await renew({ pem_content, dry_run: true })).requests_issued, count);
    assert.deepEqual(await readStatus(), ["pending", undefined]);
    const last = await lastChange(app.database);
    const answer = await renew({ pem_content });
    assert.equal(answer.requests_issued, count);
    assert.deepEqual(await readStatus(), count === 1 ? ["issued", answer.new.id] : ["pending", undefined]);
    const { changes } = await changesSince(app.database, last);
    assert.equal(changes.filter((one) => one.object_type === REQUEST).length, count);
    assert.equal(new Set(changes.map((one) => one.request_id)).size, 1);
  });
}
