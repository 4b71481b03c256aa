/** The daily evaluation: chains and policies of all certificates in use. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { AppError } from "../../../../src/base/errors.ts";
import type { Logger } from "../../../../src/base/log.ts";
import { evaluateInUse } from "../../../../src/domain/system/jobs/evaluate_in_use.ts";
import { testApp } from "../../../support/app.ts";
import { callJson } from "../../../support/call_json.ts";
import { certificate } from "../../../support/paths.ts";
import { seed } from "../../../support/seed.ts";
import { changesSince, lastChange, selectEveryEvent } from "../../../support/store.ts";
import { metadata, storeCertificates } from "../../../support/stored.ts";
import { makePolicies } from "../../compliance/support.ts";
import { prepare, replaced, states } from "./evaluation.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const { acmeWeb, globexWeb } = seed.certificates;

/** A clock that advances with each reading. */
function ticking(ctx: Context, step: number): Context {
  let now = ctx.clock.now();
  return { ...ctx, clock: { now: () => now += step } };
}

Deno.test("once a day at the set time, chains are validated and policies checked", async () => {
  await using app = await testApp();
  await prepare(app);
  await makePolicies(app, [{ policy_type: "san_required" }, { policy_type: "chain_required" }]);
  // 2026-06-15T12:00:00Z.
  const ctx = { ...app.ctx, settings: { ...app.ctx.settings, evaluationTime: 13 * HOUR } };
  const nothing = { validated: 0, checked: 0 };
  assert.deepEqual(await evaluateInUse({ ctx }), nothing, "the time has not come");
  app.clock.advance(HOUR - 1);
  assert.deepEqual(await evaluateInUse({ ctx }), nothing, "a millisecond before");
  assert.deepEqual(await states(app), [[acmeWeb, null, 0], [globexWeb, null, 0]]);
  app.clock.advance(1);
  assert.deepEqual(await evaluateInUse({ ctx }), { validated: 2, checked: 2 });
  assert.deepEqual(await states(app), [[acmeWeb, "valid", 2], [globexWeb, "no_chain", 2]]);
  assert.deepEqual(await evaluateInUse({ ctx }), nothing, "once");
  app.clock.advance(DAY - 1);
  assert.deepEqual(await evaluateInUse({ ctx }), nothing, "the next day, too early");
  app.clock.advance(1);
  assert.deepEqual(await evaluateInUse({ ctx }), { validated: 2, checked: 2 });
});

Deno.test("a service that was stopped at the set time catches up once, and `never` means never", async () => {
  await using app = await testApp();
  await prepare(app);
  app.clock.advance(5 * DAY + HOUR);
  const ctx = { ...app.ctx, settings: { ...app.ctx.settings, evaluationTime: null } };
  assert.deepEqual(await evaluateInUse({ ctx }), { validated: 0, checked: 0 });
  await app.database.write((tx) => tx.run(sql`UPDATE evaluation_progress SET next_certificate = 0`));
  assert.deepEqual(await evaluateInUse({ ctx }), { validated: 0, checked: 0 }, "nor is a round continued");
  assert.deepEqual(await evaluateInUse(app), { validated: 2, checked: 0 });
  assert.deepEqual(await evaluateInUse(app), { validated: 0, checked: 0 });
});

Deno.test("a round that a clock far ahead recorded does not delay the next one", async () => {
  await using app = await testApp();
  await prepare(app);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE evaluation_progress SET round_began = ${app.clock.now() + 400 * DAY}`)
  );
  assert.deepEqual(await evaluateInUse(app), { validated: 2, checked: 0 });
  assert.deepEqual(await evaluateInUse(app), { validated: 0, checked: 0 });
});

Deno.test("only certificates in use are evaluated, and without a PEM only their policies", async () => {
  await using app = await testApp();
  await prepare(app);
  await makePolicies(app, [{ policy_type: "san_required" }]);
  const added = await storeCertificates(app, [
    metadata(1),
    metadata(2, { status: "revoked" }),
    metadata(3, { archived: true }),
  ]);
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET replaced_by_id = ${acmeWeb}, status = 'replaced' WHERE id = ${globexWeb}`,
    )
  );
  app.clock.advance(DAY);
  assert.deepEqual(await evaluateInUse(app), { validated: 1, checked: 2 });
  assert.deepEqual(await states(app), [
    [acmeWeb, "valid", 1],
    [globexWeb, null, 0],
    [added[0], null, 1],
    [added[1], null, 0],
    [added[2], null, 0],
  ]);
});

Deno.test("an unchanged result gets its new time without a change record, a changed one has one", async () => {
  await using app = await testApp();
  await prepare(app);
  await selectEveryEvent(app.database);
  const client = await app.as("superuser");
  app.clock.advance(DAY);
  await evaluateInUse(app);
  const last = await lastChange(app.database);
  app.clock.advance(DAY);
  await evaluateInUse(app);
  assert.deepEqual(await changesSince(app.database, last), { changes: [], events: [] });
  const read = await callJson(client, certificate(acmeWeb));
  assert.equal(read.chain_validated_at, "2026-06-17T12:00:00Z");
  app.clock.advance(800 * DAY);
  await evaluateInUse(app);
  const { changes, events } = await changesSince(app.database, last);
  assert.deepEqual(changes.map((one) => [one.action, one.object_id]), [["update", acmeWeb]]);
  assert.deepEqual(events, changes);
  assert.deepEqual(await states(app), [[acmeWeb, "expired", 0], [globexWeb, "no_chain", 0]]);
});

Deno.test("a round continues where it stopped: after the time of a run, a signal, and a failure", async () => {
  await using app = await testApp();
  await prepare(app);
  const count = 450;
  const added = await storeCertificates(app, Array.from({ length: count }, (_, index) => metadata(index)));
  await makePolicies(app, [{ policy_type: "san_required" }]);
  app.clock.advance(DAY);
  // Each batch of 100 reads the clock a few times.
  const short = await evaluateInUse({ ctx: ticking(app.ctx, 5_000) });
  assert.ok(short.checked > 0 && short.checked < count, `${short.checked} were checked in a run`);
  const stopping = new AbortController();
  stopping.abort();
  assert.deepEqual(await evaluateInUse({ ctx: app.ctx, signal: stopping.signal }), {
    validated: 0,
    checked: 0,
  });
  await app.database.write((tx) =>
    tx.run(
      sql.raw(
        `CREATE TRIGGER refuse BEFORE UPDATE ON evaluation_progress WHEN NEW.next_certificate > ${added[349]}
      BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      ),
    )
  );
  await assert.rejects(evaluateInUse(app));
  await app.database.write((tx) => tx.run(sql`DROP TRIGGER refuse`));
  const rest = await evaluateInUse(app);
  assert.ok(rest.checked > 0 && rest.checked < count - short.checked, `${rest.checked} were left`);
  const open = (await states(app) as [number, string | null, number][]).filter(([, , checks]) =>
    checks !== 1
  );
  assert.deepEqual(open, []);
});

for (
  const [fault, damage] of Object.entries({
    "a text that cannot be read":
      sql`UPDATE certificate_texts SET der = NULL, pem_content = 'gone' WHERE certificate_id = ${acmeWeb}`,
    "findings that cannot be read": sql`UPDATE certificates SET findings = '[["x"]]' WHERE id = ${acmeWeb}`,
  })
) {
  Deno.test(`a damaged certificate prevents neither the evaluation of others nor the next round: ${fault}`, async () => {
    await using app = await testApp();
    await prepare(app);
    await storeCertificates(app, [metadata(1)]);
    await makePolicies(app, [{ policy_type: "no_findings" }]);
    await app.database.write((tx) => tx.run(damage));
    const logged: unknown[] = [];
    const log: Logger["log"] = (_, event, values) => {
      if (event === "certificates not evaluated") logged.push(values?.ids);
    };
    for (let round = 1; round <= 2; round++) {
      app.clock.advance(DAY);
      assert.equal((await evaluateInUse({ ctx: { ...app.ctx, log: { log } } })).failed, 1);
      const [, globex, added] = await states(app) as [number, string | null, number][];
      assert.deepEqual([globex?.slice(1), added?.slice(1)], [["no_chain", 1], [null, 1]]);
      const read = await callJson(await app.as("superuser"), certificate(globexWeb));
      assert.equal(read.chain_validated_at, `2026-06-${15 + round}T12:00:00Z`);
      assert.deepEqual(await evaluateInUse(app), { validated: 0, checked: 0 });
    }
    assert.deepEqual(logged, [[acmeWeb], [acmeWeb]]);
  });
}

Deno.test("a round waits for a database that is unavailable, and skips no certificate", async () => {
  await using app = await testApp();
  await prepare(app);
  app.clock.advance(DAY);
  const { database } = app.ctx;
  let writes = 0;
  const write: typeof database.write = async (...given) => {
    if (++writes > 1) throw new AppError("unavailable", "The database is lost.");
    return await database.write(...given);
  };
  await assert.rejects(
    evaluateInUse({ ctx: { ...app.ctx, database: replaced(database, write) } }),
    /is lost/,
  );
  assert.deepEqual(await evaluateInUse(app), { validated: 2, checked: 0 });
});

Deno.test("certificates whose texts exceed what a transaction reads together are evaluated one after another", async () => {
  await using app = await testApp();
  await prepare(app);
  const added = await storeCertificates(app, [metadata(1)]);
  await app.database.write((tx) =>
    tx.runAll([
      sql`INSERT INTO issuer_chains (id, sha256, content) VALUES (900, 'long', printf('%.*c', 9000000, ' '))`,
      sql`DELETE FROM certificate_issuer_chains`,
      sql`INSERT INTO certificate_issuer_chains (certificate_id, chain_id) VALUES (${acmeWeb}, 900), (${globexWeb}, 900)`,
    ])
  );
  await makePolicies(app, [{ policy_type: "san_required" }]);
  app.clock.advance(DAY);
  assert.deepEqual(await evaluateInUse(app), { validated: 2, checked: 3 });
  const checked = (await states(app)).map((state) => (state as [number, string | null, number])[2]);
  assert.deepEqual(checked, [1, 1, 1], `${added}`);
});

Deno.test("with more policies than a compliance run allows for 100 certificates, all are checked", async () => {
  await using app = await testApp();
  await prepare(app);
  await app.database.write((tx) =>
    tx.run(sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
      INSERT INTO compliance_policies (name, policy_type, severity, enabled, parameters, created, last_updated)
      SELECT 'Policy ' || i, 'san_required', 'info', 1, '{}', 0, 0 FROM n`)
  );
  app.clock.advance(DAY);
  assert.deepEqual(await evaluateInUse(app), { validated: 2, checked: 2 });
});

Deno.test("a certificate that changes during its validation keeps what was changed", async () => {
  await using app = await testApp();
  await prepare(app);
  app.clock.advance(DAY);
  const { database } = app.ctx;
  // The first write of the round after its begin is the result.
  let writes = 0;
  const write: typeof database.write = async (...given) => {
    if (++writes === 2) {
      await database.write((tx) =>
        tx.run(sql`DELETE FROM certificate_texts WHERE certificate_id = ${acmeWeb}`)
      );
    }
    return await database.write(...given);
  };
  await evaluateInUse({ ctx: { ...app.ctx, database: replaced(database, write) } });
  assert.deepEqual(await states(app), [[acmeWeb, null, 0], [globexWeb, "no_chain", 0]]);
});
