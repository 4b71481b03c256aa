/** The score covers certificates in use; others count only if they are requested. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../../src/base/clock.ts";
import { bulkAssign } from "../../../src/domain/assignments/mod.ts";
import { STATUSES } from "../../../src/domain/certificates/mod.ts";
import { bulkCheckCertificates, storeDailyScore } from "../../../src/domain/compliance/mod.ts";
import { inventoryOverview } from "../../../src/domain/system/overview/overview.ts";
import { granted } from "../../support/actors.ts";
import { type Client, type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { metadata, storeCertificates } from "../../support/stored.ts";
import { seed } from "../../support/seed.ts";
import { clear, makePolicies, REPORT } from "./support.ts";

/** Stores a certificate of each status, each failing one policy, and returns the ids in the order of the statuses. */
async function oneOfEach(app: TestApp): Promise<number[]> {
  await clear(app);
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificates`));
  const bodies = STATUSES.map((status, index) => metadata(index + 1, { status, key_size: 512 }));
  const certificate_ids = await storeCertificates(app, bodies);
  await makePolicies(app, [{ policy_type: "min_key_size" }]);
  await bulkCheckCertificates({ ctx: app.ctx, input: { certificate_ids } });
  return certificate_ids;
}

Deno.test("report, daily score and dashboard count expired certificates until they are replaced, and revoked ones while they are assigned", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await oneOfEach(app);
  const idOf = (status: typeof STATUSES[number]): number => ids[STATUSES.indexOf(status)] as number;
  const listed = async (path: string): Promise<number[]> =>
    (await callJson(client, path)).results.map((row: { id: number }) => row.id);
  const counts = async (): Promise<number[]> => [
    (await callJson(client, REPORT)).certificates_checked,
    (await storeDailyScore(app)).total_checks,
    (await listed("/api/plugins/certmgr/certificates/?in_use=true")).length,
    (await listed("/api/plugins/certmgr/compliance-checks/?certificate__in_use=true")).length,
  ];
  assert.deepEqual(await counts(), [3, 3, 3, 3]);
  await bulkAssign({
    ctx: app.ctx,
    input: {
      certificate_ids: ids,
      assigned_object_type: "dcim.device",
      assigned_object_id: seed.devices.edge,
    },
  });
  assert.equal((await inventoryOverview(app)).compliance?.total_checks, 4);
  assert.deepEqual(await counts(), [4, 4, 4, 4]);
  assert.deepEqual(await listed("/api/plugins/certmgr/certificates/?in_use=false"), [idOf("replaced")]);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET replaced_by_id = ${idOf("active")} WHERE id = ${idOf("expired")}`)
  );
  assert.deepEqual(await counts(), [3, 3, 3, 3]);
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificate_assignments`));
  assert.deepEqual(await counts(), [2, 2, 2, 2], "the revoked one is not assigned any more");
});

Deno.test("report, daily score and dashboard count revoked certificates that an endpoint serves, though nothing is assigned", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await oneOfEach(app);
  const [expired, revoked] = [ids[STATUSES.indexOf("expired")], ids[STATUSES.indexOf("revoked")]];
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET valid_to = ${app.clock.now() - 10 * DAY_MS} WHERE id = ${expired}`)
  );
  const counts = async (): Promise<unknown[]> => [
    (await callJson(client, REPORT)).certificates_checked,
    (await storeDailyScore(app)).total_checks,
    (await callJson(client, "/api/plugins/certmgr/certificates/?in_use=true")).count,
    (await callJson(client, "/api/plugins/certmgr/certificates/?assigned_or_served=true")).count,
    (await callJson(client, "/api/plugins/certmgr/certificates/?has_assignments=true")).count,
  ];
  assert.deepEqual(await counts(), [3, 3, 3, 0, 0]);
  assert.equal((await inventoryOverview(app)).overdue_used, 0);
  const endpoints = "/api/plugins/certmgr/endpoints/";
  for (const [endpoint, id] of [[seed.endpoints.acme, revoked], [seed.endpoints.globex, expired]]) {
    await app.database.write((tx) =>
      tx.run(sql`UPDATE endpoints SET certificate_id = ${id} WHERE id = ${endpoint}`)
    );
    // The cached overview depends on the change log, as it does after a probe.
    await callJson(client, `${endpoints}${endpoint}/`, "PATCH", { description: "served" });
  }
  assert.deepEqual(await counts(), [4, 4, 4, 2, 0]);
  assert.equal((await inventoryOverview(app)).overdue_used, 1);
  // Hidden endpoints count for nobody, as if they did not exist.
  const viewer = (...types: string[]): Promise<Client> =>
    app.as(granted([
      { types: ["certmgr.certificate"], actions: ["view"] },
      ...types.map((type) => ({ types: [type], actions: ["view"], constraints: { tenant__slug: "acme" } })),
    ], { username: `viewer-${types.length}` }));
  const inUse = async (who: Client): Promise<number> =>
    (await callJson(who, "/api/plugins/certmgr/certificates/?in_use=true")).count;
  assert.equal(await inUse(await viewer()), 3);
  assert.equal(await inUse(await viewer("certmgr.endpoint")), 4);
});

Deno.test("report, daily score and dashboard count active, pending and expired certificates, and no others that are not assigned", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await oneOfEach(app);
  const report = await callJson(client, REPORT);
  assert.deepEqual([report.total_checks, report.certificates_checked, report.certificates_failing], [
    3,
    3,
    3,
  ]);
  assert.equal((await storeDailyScore(app)).total_checks, 3);
  assert.equal((await inventoryOverview(app)).compliance?.total_checks, 3);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE compliance_checks SET result = 'pass' WHERE certificate_id IN
    (SELECT id FROM certificates WHERE status IN ('active', 'pending', 'expired'))`)
  );
  assert.equal((await callJson(client, `${REPORT}?severity=warning`)).compliance_score, 100);
  assert.equal((await storeDailyScore(app)).compliance_score, 100);
});

Deno.test("`status` selects others: one, several, any; a named certificate counts in any status", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await oneOfEach(app);
  const named = async (query: string): Promise<number[]> =>
    (await callJson(client, `${REPORT}?${query}`)).failing_certificates.results
      .map((row: { certificate: { id: number } }) => row.certificate.id).sort((a: number, b: number) =>
        a - b
      );
  for (const [index, status] of STATUSES.entries()) {
    const id = ids[index];
    assert.deepEqual(await named(`status=${status}`), [id]);
    assert.deepEqual(await named(`certificate__status=${status}`), [id]);
    assert.deepEqual(await named(`certificate_id=${id}`), [id]);
    assert.deepEqual(await named(`certificate_id=${id}&status=revoked`), status === "revoked" ? [id] : []);
  }
  assert.deepEqual(await named("status=revoked&status=expired"), [ids[1], ids[3]]);
  assert.deepEqual(await named("status=any"), ids);
  assert.deepEqual(await named("status=any&status=active"), ids);
  assert.deepEqual(await named("certificate__status__n=active"), ids.slice(1));
  const response = await client(`${REPORT}?status=old`);
  assert.equal(response.status, 400);
  assert.deepEqual(Object.keys(await response.json()), ["status"]);
});
