/** References to hidden objects are kept when a caller writes a whole list or sends back a null. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { certificate, PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";

const { acmeWeb, acmeCritical } = seed.certificates;
const { prod, staging, pci } = seed.tags;

/** May change certificates, and view the tags `prod` and `staging`, but not `pci`. */
const TAGGER = granted([
  { types: ["certmgr.certificate"], actions: ["view", "change"] },
  { types: ["extras.tag"], actions: ["view"], constraints: { slug__in: ["prod", "staging"] } },
]);

async function tagsOf({ database }: TestApp, id: number): Promise<number[]> {
  const rows = await database.all<{ tag_id: number }>(
    sql`SELECT tag_id FROM tagged_items WHERE object_type = 'certmgr.certificate' AND object_id = ${id} ORDER BY 1`,
  );
  return rows.map((row) => row.tag_id);
}

for (
  const [what, tags, left] of [
    ["an empty list", [], [pci]],
    ["another tag", [staging], [staging, pci]],
    ["the tags that they see", [prod], [prod, pci]],
  ] as const
) {
  Deno.test(`a hidden tag stays when the caller writes ${what}`, async () => {
    await using app = await testApp();
    const client = await app.as(TAGGER);
    const answer = await callJson(client, certificate(acmeWeb), "PATCH", { tags });
    assert.deepEqual(answer.tags.map((tag: { id: number }) => tag.id), tags);
    assert.deepEqual(await tagsOf(app, acmeWeb), left);
  });
}

Deno.test("in a bulk change each object keeps its own hidden tags", async () => {
  await using app = await testApp();
  const client = await app.as(TAGGER);
  const body = [{ id: acmeWeb, tags: [staging] }, { id: acmeCritical, tags: [staging] }];
  await callJson(client, PATHS.certificates, "PATCH", body);
  assert.deepEqual(await tagsOf(app, acmeWeb), [staging, pci]);
  assert.deepEqual(await tagsOf(app, acmeCritical), [staging]);
});

Deno.test("a hidden tag can neither be named nor be distinguished from a missing one", async () => {
  await using app = await testApp();
  const client = await app.as(TAGGER);
  for (const id of [pci, 999]) {
    const response = await client(certificate(acmeWeb), { method: "PATCH", body: { tags: [id] } });
    assert.deepEqual([response.status, await response.json()], [400, {
      tags: [`Related object not found using the provided numeric ID: ${id}.`],
    }]);
  }
});

Deno.test("a caller who sees every tag removes those that they do not name", async () => {
  await using app = await testApp();
  await callJson(await app.as("superuser"), certificate(acmeWeb), "PATCH", { tags: [prod] });
  assert.deepEqual(await tagsOf(app, acmeWeb), [prod]);
});

async function tenantOf({ database }: TestApp, id: number): Promise<number | null> {
  const [row] = await database.all<{ tenant_id: number | null }>(
    sql`SELECT tenant_id FROM certificates WHERE id = ${id}`,
  );
  return row?.tenant_id ?? null;
}

Deno.test("a hidden tenant is kept if the caller sends back the null that they were shown", async () => {
  await using app = await testApp();
  const client = await app.as(TAGGER);
  const before = await tenantOf(app, acmeWeb);
  const shown = await callJson(client, certificate(acmeWeb), "GET");
  assert.equal(shown.tenant, null);
  assert.notEqual(before, null);
  await callJson(client, certificate(acmeWeb), "PUT", shown);
  assert.equal(await tenantOf(app, acmeWeb), before);
});

Deno.test("a tenant that the caller sees is cleared by null", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await callJson(client, certificate(acmeWeb), "PATCH", { tenant: null });
  assert.equal(await tenantOf(app, acmeWeb), null);
});

Deno.test("references to a deleted authority are cleared, even if the caller may view neither it nor its certificates", async () => {
  await using app = await testApp();
  const [row] = await app.database.all<{ id: number; ca: number }>(
    sql`SELECT id, issuing_ca_id AS ca FROM certificates WHERE issuing_ca_id IS NOT NULL LIMIT 1`,
  );
  assert.ok(row !== undefined);
  const client = await app.as(granted([{ types: ["certmgr.certificateauthority"], actions: ["delete"] }]));
  const response = await client(`${PATHS.authorities}${row.ca}/`, { method: "DELETE" });
  assert.equal(response.status, 204);
  const [left] = await app.database.all<{ ca: number | null; changes: number }>(
    sql`SELECT issuing_ca_id AS ca, (SELECT count(*) FROM object_changes WHERE object_type = 'certmgr.certificate'
        AND object_id = ${row.id} AND action = 'update') AS changes FROM certificates WHERE id = ${row.id}`,
  );
  assert.deepEqual(left, { ca: null, changes: 1 });
});
