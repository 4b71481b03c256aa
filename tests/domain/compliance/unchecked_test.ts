/** Certificates without a current result: the filters `unchecked` and `unchecked_by`. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { bulkCheckCertificates } from "../../../src/domain/compliance/mod.ts";
import { auditor, granted } from "../../support/actors.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { seed } from "../../support/seed.ts";
import { CERTIFICATE, clear, makePolicies } from "./support.ts";

const { acmeWeb, globexWeb } = seed.certificates;
type Client = Awaited<ReturnType<TestApp["as"]>>;

/** Returns which of two certificates match, and checks the number of the list. */
async function matching(client: Client, query: string): Promise<number[]> {
  const { count, results } = await callJson(
    client,
    `/api/plugins/certmgr/certificates/?id=${acmeWeb}&id=${globexWeb}&${query}`,
  );
  assert.equal(count, results.length);
  return results.map((row: { id: number }) => row.id);
}

Deno.test("`unchecked` finds certificates without a result, or changed since, by the policies that apply to them", async () => {
  await using app = await testApp();
  await clear(app);
  const client = await app.as("superuser");
  const [all, acme, tagged, disabled] = await makePolicies(app, [
    { policy_type: "san_required" },
    { policy_type: "san_required", tenant: { slug: "acme" } },
    { policy_type: "san_required", tags: [{ slug: "staging" }] },
    { policy_type: "chain_required", enabled: false },
  ]) as [number, number, number, number];
  await app.database.write((tx) => tx.run(sql`DELETE FROM tagged_items WHERE object_type = ${CERTIFICATE}`));
  const run = (certificate_ids: number[], policy_ids: number[]) =>
    bulkCheckCertificates({ ctx: app.ctx, input: { certificate_ids, policy_ids } });
  const change = (set: ReturnType<typeof sql>) => app.database.write((tx) => tx.run(set));
  assert.deepEqual(await matching(client, "unchecked=true"), [acmeWeb, globexWeb]);
  assert.deepEqual(await matching(client, `unchecked_by=${acme}`), [acmeWeb], "the tenant of the policy");
  assert.deepEqual(await matching(client, `unchecked_by=${tagged}`), [], "no certificate has its tag");
  assert.deepEqual(await matching(client, `unchecked_by=${disabled}`), [acmeWeb, globexWeb]);
  assert.deepEqual(await matching(client, "unchecked_by=999"), []);

  await run([acmeWeb, globexWeb], [all]);
  assert.deepEqual(await matching(client, "unchecked=true"), [acmeWeb], "the other policy is open");
  await run([acmeWeb], [acme]);
  assert.deepEqual(await matching(client, "unchecked=true"), []);
  assert.deepEqual(await matching(client, "unchecked=false"), [acmeWeb, globexWeb]);

  await change(sql`UPDATE certificates SET last_updated = ${app.clock.now() + 1} WHERE id = ${globexWeb}`);
  assert.deepEqual(await matching(client, "unchecked=true"), [globexWeb], "changed since");
  app.clock.advance(1_000);
  await run([globexWeb], [all]);
  assert.deepEqual(await matching(client, "unchecked=true"), []);
  await change(sql`UPDATE compliance_policies SET last_updated = ${app.clock.now() + 1} WHERE id = ${acme}`);
  assert.deepEqual(await matching(client, "unchecked=true"), [acmeWeb], "the policy changed since");
  await change(sql`INSERT INTO tagged_items (tag_id, object_type, object_id)
    VALUES (${seed.tags.staging}, ${CERTIFICATE}, ${globexWeb})`);
  assert.deepEqual(await matching(client, `unchecked_by=${tagged}`), [globexWeb], "one tag is sufficient");
});

Deno.test("`unchecked` uses only policies that the caller may view", async () => {
  await using app = await testApp();
  await clear(app);
  const [policy] = await makePolicies(app, [{ policy_type: "san_required" }]);
  const query = `unchecked_by=${policy}`;
  assert.deepEqual(await matching(await app.as(auditor()), query), [acmeWeb, globexWeb]);
  const blind = await app.as(granted([{ types: [CERTIFICATE], actions: ["view"] }]));
  assert.deepEqual(await matching(blind, query), []);
  assert.deepEqual(await matching(blind, "unchecked=true"), []);
});
