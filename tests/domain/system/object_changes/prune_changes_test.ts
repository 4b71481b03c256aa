/** The change log is kept as long as it is configured: by default for ever. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../../../src/base/clock.ts";
import { PRUNE_BATCH } from "../../../../src/base/limits.ts";
import { insertRows } from "../../../../src/db/mod.ts";
import { object_changes } from "../../../../src/db/schema/mod.ts";
import { JOBS } from "../../../../src/domain/system/jobs/jobs.ts";
import { pruneChanges } from "../../../../src/domain/system/object_changes/prune_changes.ts";
import { type TestApp, testApp } from "../../../support/app.ts";
import { callJson } from "../../../support/call_json.ts";
import { certificate } from "../../../support/paths.ts";
import { seed } from "../../../support/seed.ts";
import { lastChange, selectEveryEvent } from "../../../support/store.ts";

const KEPT = 30;

function keeping({ ctx }: TestApp, changelogRetentionDays: number): TestApp["ctx"] {
  return { ...ctx, settings: { ...ctx.settings, changelogRetentionDays } };
}

async function idsOf({ database }: TestApp): Promise<number[]> {
  return (await database.all<{ id: number }>(sql`SELECT id FROM object_changes ORDER BY id`)).map(({ id }) =>
    id
  );
}

/** Deletes events and deliveries, as if webhooks had been notified and the delivery log had been pruned. */
async function forgetEvents({ database }: TestApp): Promise<void> {
  await database.write((tx) => tx.run(sql`DELETE FROM outbox`));
}

Deno.test("by default no entry is deleted, however old it is", async () => {
  await using app = await testApp();
  await forgetEvents(app);
  const before = await idsOf(app);
  app.clock.advance(36_500 * DAY_MS);
  assert.deepEqual(await pruneChanges({ ctx: app.ctx }), { changes: 0 });
  assert.deepEqual(await idsOf(app), before);
});

Deno.test("entries older than the retention are deleted, younger ones and the newest stay", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await forgetEvents(app);
  const old = await idsOf(app);
  const [span] = await app.database.all<{ first: number; last: number }>(
    sql`SELECT min(time) AS first, max(time) AS last FROM object_changes`,
  );
  assert(span !== undefined);
  const moveTo = (time: number): void => app.clock.advance(time - app.clock.now());
  moveTo(span.first + KEPT * DAY_MS);
  assert.deepEqual(await pruneChanges({ ctx: keeping(app, KEPT) }), { changes: 0 });
  moveTo(span.last + KEPT * DAY_MS + 1);
  const newest = old.at(-1) as number;
  assert.deepEqual(await pruneChanges({ ctx: keeping(app, KEPT) }), { changes: old.length - 1 });
  assert.deepEqual(await idsOf(app), [newest]);
  await callJson(client, certificate(seed.certificates.acmeWeb), "PATCH", { private_key_location: "safe" });
  assert.deepEqual(await idsOf(app), [newest, newest + 1]);
  await forgetEvents(app);
  assert.deepEqual(await pruneChanges({ ctx: keeping(app, KEPT) }), { changes: 1 });
  const history = await callJson(client, certificate(seed.certificates.acmeWeb, "lifecycle/"));
  assert.deepEqual([history.count, history.complete], [1, false]);
  const gone = await callJson(client, certificate(seed.certificates.acmeCritical, "lifecycle/"));
  assert.deepEqual([gone.count, gone.complete, gone.results], [0, false, []]);
});

Deno.test("a history is complete if it begins with the creation", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const path = certificate(seed.certificates.acmeWeb);
  await callJson(client, path, "PATCH", { private_key_location: "safe" });
  for (const page of ["lifecycle/", "lifecycle/?offset=1"]) {
    assert.equal((await callJson(client, `${path}${page}`)).complete, true, page);
  }
});

Deno.test("entries that webhooks are still to be notified of stay", async () => {
  await using app = await testApp();
  await forgetEvents(app);
  await selectEveryEvent(app.database);
  const client = await app.as("superuser");
  const path = certificate(seed.certificates.acmeWeb);
  const first = await lastChange(app.database) + 1;
  for (const note of ["a", "b"]) await callJson(client, path, "PATCH", { private_key_location: note });
  app.clock.advance((KEPT + 1) * DAY_MS);
  await callJson(client, "/api/extras/tags/", "POST", { name: "late", slug: "late" });
  await pruneChanges({ ctx: keeping(app, KEPT) });
  assert.deepEqual(await idsOf(app), [first, first + 1, first + 2]);
  assert((await app.database.all(sql`SELECT id FROM outbox`)).length > 0);
});

Deno.test("a large log is deleted in steps, and the job ends early on the signal", async () => {
  await using app = await testApp();
  await forgetEvents(app);
  const row = {
    time: 0,
    action: "delete",
    object_type: "extras.tag",
    object_id: 1,
    object_repr: "x",
    snapshots: "",
  };
  const [from, count] = [await lastChange(app.database) + 1, 2 * PRUNE_BATCH + 5];
  const rows = Array.from({ length: count }, (_, index) => ({ ...row, id: from + index }));
  await app.database.write((tx) => tx.run(insertRows(object_changes, rows)));
  const job = JOBS.find(({ name }) => name === "change-log");
  const stopped = AbortSignal.abort();
  assert.deepEqual(await job?.run(keeping(app, KEPT), stopped), { changes: 0 });
  assert.deepEqual(await job?.run(keeping(app, KEPT), undefined), { changes: count - 1 });
});
