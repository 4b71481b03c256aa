/**
 * ACME detection for many certificates: a constant number of statements, and one event for each changed certificate.
 */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testApp } from "../../../support/app.ts";
import { callJson } from "../../../support/call_json.ts";
import { PATHS } from "../../../support/paths.ts";
import { changesSince, lastChange, selectEveryEvent } from "../../../support/store.ts";
import { metadata, storeCertificates } from "../../../support/stored.ts";

Deno.test("the number of statements does not depend on the number of certificates", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const bodies = Array.from({ length: 60 }, (_, index) => metadata(index + 1, { issuer: "O=ZeroSSL, CN=x" }));
  const ids = await storeCertificates(app, bodies);
  await app.database.write((tx) => tx.run(sql`UPDATE certificates SET is_acme = 0, acme_provider = ''`));
  await selectEveryEvent(app.database);
  const costs: number[] = [];
  for (const some of [ids.slice(0, 1), ids.slice(1, 3), ids.slice(3)]) {
    const last = await lastChange(app.database);
    const before = app.database.statements;
    const answer = await callJson(client, `${PATHS.certificates}bulk-detect-acme/`, "POST", { ids: some });
    costs.push(app.database.statements - before);
    assert.equal(answer.detected_acme, some.length);
    const { changes, events } = await changesSince(app.database, last);
    assert.deepEqual(changes.map((one) => one.object_id), some);
    assert.deepEqual(events, changes);
  }
  assert.deepEqual(costs.slice(1), [costs[1], costs[1]]);
});
