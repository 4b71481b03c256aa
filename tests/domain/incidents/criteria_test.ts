/** What incidents accept: deadlines of any instant, criteria that require something, a limited number, small records. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS, formatDatetime } from "../../../src/base/clock.ts";
import { keepIncidents } from "../../../src/domain/incidents/mod.ts";
import { testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";

const INCIDENTS = "/api/plugins/certmgr/incidents/";

Deno.test("owners are reminded whatever the milliseconds of the deadline and of the time", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const odd of [0, 1]) {
    const deadline = new Date(app.clock.now() + 9 * DAY_MS + odd).toISOString();
    const body = { name: `odd ${odd}`, criteria: { filter: "tenant=acme" }, deadline };
    assert.equal((await client(INCIDENTS, { method: "POST", body })).status, 201, deadline);
  }
  app.clock.advance(5 * DAY_MS + 1);
  assert.ok((await keepIncidents({ ctx: app.ctx })).reminded > 0);
});

Deno.test("a filter that selects nothing in particular is no criterion", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const expected = {
    criteria: ["Name at least one criterion: without any, all certificates would be affected."],
  };
  for (const filter of ["limit=5", "ordering=id&brief=1", "&&"]) {
    const criteria = { filter, issuers: [] };
    for (
      const [path, body] of [[INCIDENTS, { name: "x", criteria }], [`${INCIDENTS}preview/`, { criteria }]]
    ) {
      const response = await client(String(path), { method: "POST", body });
      assert.deepEqual([response.status, await response.json()], [400, expected], `${path} ${filter}`);
    }
  }
});

Deno.test("there are at most 500 incidents, and their records do not repeat the criteria", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const fingerprints = Array.from({ length: 5_000 }, (_, n) => n.toString(16).padStart(64, "0"));
  const { id } = await callJson(client, INCIDENTS, "POST", {
    name: "large",
    criteria: { fingerprints },
    deadline: formatDatetime(app.clock.now()),
  });
  await app.database.write((tx) =>
    tx.runAll([
      sql`INSERT INTO incident_certificates (incident_id, certificate_id, state, joined_at) VALUES (${id}, 1, 'open', 0)`,
      sql`INSERT INTO incidents (name, criteria, created, last_updated)
        SELECT 'n', '{}', 0, 0 FROM json_each(${JSON.stringify(fingerprints.slice(0, 499))})`,
    ])
  );
  const { changed } = await callJson(client, `${INCIDENTS}${id}/exclude/`, "POST", {
    ids: [1],
    reason: "no",
  });
  assert.equal(changed, 1);
  const [record] = await app.database.all<{ size: number }>(
    sql`SELECT length(snapshots) AS size FROM object_changes ORDER BY id DESC LIMIT 1`,
  );
  assert.ok(record!.size < 2_000, `${record!.size}`);
  const refused = await client(INCIDENTS, {
    method: "POST",
    body: { name: "x", criteria: { issuers: ["x"] } },
  });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /At most 500 incidents/);
  const renamed = await client(`${INCIDENTS}${id}/`, { method: "PATCH", body: { name: "y" } });
  assert.equal(renamed.status, 200);
});
