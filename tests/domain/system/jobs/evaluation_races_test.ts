/** The daily evaluation with clocks that jump, users who change certificates, and other nodes. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { evaluateInUse } from "../../../../src/domain/system/jobs/evaluate_in_use.ts";
import { type TestApp, testApp } from "../../../support/app.ts";
import { callJson } from "../../../support/call_json.ts";
import { certificate } from "../../../support/paths.ts";
import { seed } from "../../../support/seed.ts";
import { metadata, storeCertificates } from "../../../support/stored.ts";
import { makePolicies } from "../../compliance/support.ts";
import { prepare, replaced, states } from "./evaluation.ts";

const DAY = 86_400_000;
const { acmeWeb, globexWeb } = seed.certificates;

/** A context whose write number `index` (from 0) begins after other work. */
function before(app: TestApp, index: number, work: () => Promise<unknown>): Context {
  const { database } = app.ctx;
  let writes = 0;
  const write: typeof database.write = async (...given) => {
    if (writes++ === index) await work();
    return await database.write(...given);
  };
  return { ...app.ctx, database: replaced(database, write) };
}

async function progress({ database }: TestApp): Promise<unknown> {
  const [row] = await database.all(sql`SELECT round_began, next_certificate FROM evaluation_progress`);
  return row;
}

Deno.test("results that a clock far ahead recorded are replaced by the first round after its correction", async () => {
  await using app = await testApp();
  await prepare(app);
  app.clock.advance(800 * DAY);
  await evaluateInUse(app);
  assert.deepEqual(await states(app), [[acmeWeb, "expired", 0], [globexWeb, "no_chain", 0]]);
  app.clock.advance(-799 * DAY);
  assert.deepEqual(await evaluateInUse(app), { validated: 2, checked: 0 });
  assert.deepEqual(await states(app), [[acmeWeb, "valid", 0], [globexWeb, "no_chain", 0]]);
  assert.deepEqual(await evaluateInUse(app), { validated: 0, checked: 0 });
});

Deno.test("a run ends when the clock is set back, and the next one completes the round", async () => {
  await using app = await testApp();
  await prepare(app);
  await storeCertificates(app, Array.from({ length: 250 }, (_, index) => metadata(index)));
  await makePolicies(app, [{ policy_type: "san_required" }]);
  app.clock.advance(2 * DAY);
  // The write after the begin of the round and the results of the first batch.
  const ctx = before(app, 3, () => Promise.resolve(app.clock.advance(-DAY)));
  const { checked } = await evaluateInUse({ ctx });
  assert.equal(checked, 100);
  assert.equal((await evaluateInUse(app)).checked, 152);
});

Deno.test("a result that a user stored during the evaluation is kept", async () => {
  await using app = await testApp();
  await prepare(app);
  app.clock.advance(DAY);
  const client = await app.as("superuser");
  const ctx = before(app, 1, async () => {
    app.clock.advance(5_000);
    await callJson(client, `${certificate(acmeWeb)}validate-chain/`, "POST");
  });
  assert.equal((await evaluateInUse({ ctx })).validated, 1);
  assert.deepEqual(await states(app), [[acmeWeb, "valid", 0], [globexWeb, "no_chain", 0]]);
  const read = await callJson(client, certificate(acmeWeb));
  assert.equal(read.chain_validated_at, "2026-06-16T12:00:05Z");
});

Deno.test("a certificate that a user deletes during the evaluation stays deleted", async () => {
  await using app = await testApp();
  await prepare(app);
  app.clock.advance(DAY);
  const ctx = before(
    app,
    1,
    () => app.database.write((tx) => tx.run(sql`DELETE FROM certificates WHERE id = ${acmeWeb}`)),
  );
  assert.deepEqual(await evaluateInUse({ ctx }), { validated: 1, checked: 0 });
  assert.deepEqual(await states(app), [[globexWeb, "no_chain", 0]]);
});

for (
  const [what, index, own] of [
    ["the begin", 0, { validated: 0, checked: 0 }],
    // The policies of the batch are checked once more.
    ["the first batch", 1, { validated: 0, checked: 100 }],
    ["the progress", 3, { validated: 2, checked: 100 }],
  ] as const
) {
  Deno.test(`a round that another node completes before ${what} is stored is not begun or continued again`, async () => {
    await using app = await testApp();
    await prepare(app);
    await storeCertificates(app, Array.from({ length: 250 }, (_, number) => metadata(number)));
    await makePolicies(app, [{ policy_type: "san_required" }]);
    app.clock.advance(DAY);
    let other;
    const ctx = before(app, index, async () => {
      app.clock.advance(1);
      other = await evaluateInUse(app);
    });
    assert.deepEqual(await evaluateInUse({ ctx }), own);
    assert.deepEqual(other, { validated: 2 - own.validated, checked: 252 });
    const stored = await progress(app);
    assert.equal((stored as { next_certificate: number | null }).next_certificate, null);
    assert.deepEqual(await evaluateInUse(app), { validated: 0, checked: 0 });
    assert.deepEqual(await progress(app), stored);
  });
}
