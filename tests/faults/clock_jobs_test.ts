/** Results that jobs store while the clock is ahead are undone or ignored when it is correct again. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../src/base/clock.ts";
import { storeDailyScore } from "../../src/domain/compliance/mod.ts";
import { announceExpiries } from "../../src/domain/certificates/expiry_notices/announce.ts";
import { JOBS, runDueJobs } from "../../src/domain/system/jobs/jobs.ts";
import { expirySweep } from "../../src/domain/certificates/status/expiry_sweep.ts";
import { recoverDelayed } from "../../src/domain/webhooks/deliveries/prune_deliveries.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { PATHS } from "../support/paths.ts";
import { changesSince, lastChange, selectEveryEvent } from "../support/store.ts";
import { metadata, storeCertificates } from "../support/stored.ts";

const YEARS = 20 * 365 * DAY_MS;
const VALID = { valid_from: "2026-01-01", valid_to: "2027-01-01" };

async function statuses({ database }: TestApp): Promise<Record<number, string>> {
  const rows = await database.all<{ id: number; status: string }>(sql`SELECT id, status FROM certificates`);
  return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
}

/** Runs work while the clock is ahead, and resets the clock. */
async function ahead(app: TestApp, work: () => Promise<unknown>, by = YEARS): Promise<void> {
  app.clock.advance(by);
  await work();
  app.clock.advance(-by);
}

Deno.test("after the clock was years ahead, each certificate gets back its status, by recorded changes", async () => {
  await using app = await testApp();
  await expirySweep(app);
  const before = await statuses(app);
  const all = (map: Record<number, string>): string[] => [...new Set(Object.values(map))].sort();
  assert.deepEqual(all(before), ["active", "expired", "pending", "replaced", "revoked"]);
  const run = (): Promise<void> => runDueJobs(() => app.ctx, { jobs: JOBS.slice(0, 1), owner: "a node" });
  await ahead(app, run);
  assert.deepEqual(all(await statuses(app)), ["expired", "replaced", "revoked"]);
  await selectEveryEvent(app.database);
  const last = await lastChange(app.database);
  await run();
  assert.deepEqual(await statuses(app), before);
  const { changes, events } = await changesSince(app.database, last);
  const restored = Object.entries(before).filter(([, status]) => ["active", "pending"].includes(status));
  assert.deepEqual(
    changes.map(({ object_id }) => object_id).sort((a, b) => a - b),
    restored.map(([id]) => Number(id)),
  );
  assert.deepEqual(events, changes);
  assert.deepEqual(await expirySweep(app), { expired_count: 0, restored_count: 0 });
});

Deno.test("a status that a user has set before or in the meantime is kept", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const patch = (id: number | undefined, body: object): Promise<unknown> =>
    callJson(client, `${PATHS.certificates}${id}/`, "PATCH", body);
  const bodies = Array.from({ length: 7 }, (_, index) => metadata(index + 1, VALID));
  const [own, revoked, moved, noted, restated, said, plain] = await storeCertificates(app, bodies);
  await patch(own, { status: "expired" });
  await ahead(app, async () => {
    await expirySweep(app);
    await patch(revoked, { status: "revoked" });
    await patch(moved, { valid_to: "2027-02-01" });
    await patch(noted, { private_key_location: "vault" });
    await patch(restated, { status: "expired", valid_to: VALID.valid_to, private_key_location: "vault" });
  });
  await patch(said, { status: "expired" });
  await expirySweep(app);
  const now = await statuses(app);
  assert.deepEqual(
    [own, revoked, moved, noted, restated, said, plain].map((id) => now[id as number]),
    ["expired", "revoked", "expired", "active", "active", "expired", "active"],
  );
});

Deno.test("a status that a user has set by a bulk update is kept, too", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await storeCertificates(app, [1, 2].map((number) => metadata(number, VALID)));
  await ahead(app, async () => {
    await expirySweep(app);
    await callJson(client, `${PATHS.certificates}bulk-status-update/`, "POST", { ids, status: "active" });
    await callJson(client, `${PATHS.certificates}bulk-status-update/`, "POST", { ids, status: "expired" });
  });
  await expirySweep(app);
  const now = await statuses(app);
  assert.deepEqual(ids.map((id) => now[id]), ["expired", "expired"]);
});

Deno.test("the trend has no future days, and each new day has a separate score", async () => {
  await using app = await testApp();
  const trend = async (): Promise<string[]> =>
    (await callJson(await app.as("superuser"), "/api/plugins/certmgr/compliance-report/")).trend
      .map(({ date }: { date: string }) => date);
  await storeDailyScore(app);
  await ahead(app, () => storeDailyScore(app), 3 * DAY_MS);
  assert.deepEqual(await trend(), ["2026-06-15"]);
  app.clock.advance(3 * DAY_MS);
  await storeDailyScore(app);
  assert.deepEqual(await trend(), ["2026-06-15", "2026-06-18"]);
});

Deno.test("an expiry that was announced too early because the clock was ahead is announced again when it is due", async () => {
  await using app = await testApp();
  await selectEveryEvent(app.database);
  const [id] = await storeCertificates(app, [metadata(1, VALID)]);
  const thresholds = async (): Promise<string[]> => {
    await announceExpiries(app);
    const rows = await app.database.all<{ threshold: string }>(
      sql`SELECT details ->> 'threshold' AS threshold FROM outbox
        WHERE event = 'certificate_expiring' AND object_id = ${id} ORDER BY id`,
    );
    return rows.map(({ threshold }) => threshold);
  };
  await ahead(app, async () => assert.deepEqual(await thresholds(), ["14d"]), 190 * DAY_MS);
  assert.deepEqual(await thresholds(), ["14d"]);
  for (let day = 0; day < 200; day++, app.clock.advance(DAY_MS)) await announceExpiries(app);
  assert.deepEqual(await thresholds(), ["14d", "30d", "14d", "7d", "1d"]);
});

Deno.test("a message that was delayed because the clock was ahead is due again", async () => {
  await using app = await testApp();
  const delayed = async (): Promise<number> => {
    const rows = await app.database.all(
      sql`SELECT 1 FROM webhook_deliveries WHERE next_attempt > ${app.clock.now() + 2 * DAY_MS}`,
    );
    return rows.length;
  };
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE webhook_deliveries SET state = 'pending', next_attempt = ${app.clock.now() + YEARS},
        created = ${app.clock.now()}`,
    )
  );
  const count = await delayed();
  assert(count > 0);
  assert.equal((await recoverDelayed(app)).recovered, count);
  assert.equal(await delayed(), 0);
});
