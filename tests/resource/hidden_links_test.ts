/** Lists of references are written whole; links to what the writer does not see stay, whatever he writes. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../support/actors.ts";
import type { TestApp } from "../support/app.ts";
import { testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { certificate, PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";

const { acmeWeb, acmeCritical } = seed.certificates;
const { prod, staging, pci } = seed.tags;

/** Changes certificates, and sees the tags `prod` and `staging`, but not `pci`. */
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
    ["the tags that he sees", [prod], [prod, pci]],
  ] as const
) {
  Deno.test(`a hidden tag stays where the caller writes ${what}`, async () => {
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

Deno.test("a hidden tag can neither be named nor be told apart from one that is not there", async () => {
  await using app = await testApp();
  const client = await app.as(TAGGER);
  for (const id of [pci, 999]) {
    const response = await client(certificate(acmeWeb), { method: "PATCH", body: { tags: [id] } });
    assert.deepEqual([response.status, await response.json()], [400, {
      tags: [`Related object not found using the provided numeric ID: ${id}.`],
    }]);
  }
});

Deno.test("whoever sees every tag takes away what he does not name", async () => {
  await using app = await testApp();
  await callJson(await app.as("superuser"), certificate(acmeWeb), "PATCH", { tags: [prod] });
  assert.deepEqual(await tagsOf(app, acmeWeb), [prod]);
});
