/** The probing loop: leases, takeover, limits. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import {
  claimEndpoints,
  probeDue,
  Prober,
  startProbing,
} from "../../../src/domain/endpoints/probing/service.ts";
import type { ProbeTarget } from "../../../src/probe/mod.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { UNREACHABLE } from "./support.ts";

async function fill(
  { database, clock }: TestApp,
  count: number,
): Promise<void> {
  await database.write((tx) =>
    tx.run(
      sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
          INSERT INTO endpoints (host, next_probe, created, last_updated)
          SELECT 'h' || n || '.example', ${clock.now()}, 0, 0 FROM numbers`,
    )
  );
  await database.write((tx) =>
    tx.run(
      sql`UPDATE endpoints SET next_probe = NULL WHERE host NOT LIKE 'h%.example'`,
    )
  );
}

async function onOneHost({ database }: TestApp): Promise<void> {
  await database.write((tx) =>
    tx.run(
      sql`UPDATE endpoints SET port = id, host = 'same.example' WHERE host LIKE 'h%.example'`,
    )
  );
}

/** Returns a prober whose probes end when the test releases them. */
function held(
  app: TestApp,
  concurrency: number,
): { prober: Prober; open: { host: string; release: () => void }[] } {
  const probing = { ...app.ctx.settings.probing, concurrency };
  const open: { host: string; release: () => void }[] = [];
  const prober = new Prober({
    context: () => ({
      ...app.ctx,
      clock: app.clock,
      settings: { ...app.ctx.settings, probing },
    }),
    owner: "one",
    startsPerSecond: 1_000,
    probe: async ({ host }: ProbeTarget) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      open.push({ host, release: resolve });
      await promise;
      return [UNREACHABLE];
    },
  });
  return { prober, open };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

Deno.test("two processes that claim at the same time share the endpoints, and none is claimed twice", async () => {
  await using app = await testApp();
  await fill(app, 200);
  const { database, clock } = app;
  const now = clock.now();
  const claims = await Promise.all(
    ["one", "two", "one", "two"].map((owner) => claimEndpoints(database, { owner, now, limit: 50 })),
  );
  const ids = claims.flat().map(({ id }) => id);
  assert.equal(ids.length, 200);
  assert.equal(new Set(ids).size, 200);
  assert.deepEqual(
    await claimEndpoints(database, { owner: "three", now, limit: 50 }),
    [],
  );
});

Deno.test("endpoints that a dead process had claimed are taken over within a minute, and its late result is dropped", async () => {
  await using app = await testApp();
  await fill(app, 3);
  const { database, clock, ctx } = app;
  const context = () => ({ ...ctx, clock });
  const held = Promise.withResolvers<void>();
  let begun = 0;
  const slow = probeDue({
    context,
    owner: "slow",
    probe: async () => {
      begun++;
      await held.promise;
      return [{ ...UNREACHABLE, address: "192.0.2.99" }];
    },
  });
  await until(() => begun === 3);
  assert.equal(
    (await claimEndpoints(database, {
      owner: "other",
      now: clock.now(),
      limit: 9,
    })).length,
    0,
  );
  clock.advance(60_000);
  const turn = await probeDue({
    context,
    owner: "other",
    probe: () => Promise.resolve([UNREACHABLE]),
  });
  assert.deepEqual(turn, { claimed: 3, settled: 3 });
  held.resolve();
  assert.equal((await slow).settled, 0);
  const rows = await database.all(
    sql`SELECT address, count(*) AS n FROM observations WHERE id > 2 GROUP BY address`,
  );
  assert.deepEqual(rows, [{ address: "192.0.2.9", n: 3 }]);
});

Deno.test("endpoints whose probe was requested come before all others that are due", async () => {
  await using app = await testApp();
  await fill(app, 20);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE endpoints SET next_probe = 0 WHERE host = 'h17.example'`)
  );
  const [first] = await claimEndpoints(app.database, {
    owner: "one",
    now: app.clock.now(),
    limit: 1,
  });
  assert.equal(first?.host, "h17.example");
});

Deno.test("no more endpoints are probed at the same time than the setting says", async () => {
  await using app = await testApp();
  await fill(app, 12);
  const { prober, open } = held(app, 6);
  assert.equal(await prober.claim(), 6);
  await until(() => open.length === 6);
  assert.equal(await prober.claim(), 0);
  for (const { release } of open.splice(0)) release();
  await prober.finish();
  assert.equal(await prober.settle(), 6);
  assert.equal(await prober.claim(), 6);
  await until(() => open.length === 6);
  for (const { release } of open.splice(0)) release();
  await prober.stop();
});

Deno.test("two endpoints of one host are probed at the same time, and the next one when one of them has ended", async () => {
  await using app = await testApp();
  await fill(app, 4);
  await onOneHost(app);
  const { prober, open } = held(app, 6);
  assert.equal(await prober.claim(), 4);
  for (const left of [2, 2, 2, 1]) {
    await until(() => open.length === left);
    open.shift()?.release();
  }
  await prober.finish();
  assert.equal(await prober.settle(), 4);
});

Deno.test("an endpoint that waited for its host is not started when its result could come after the lease", async () => {
  await using app = await testApp();
  await fill(app, 4);
  await onOneHost(app);
  const { prober, open } = held(app, 6);
  assert.equal(await prober.claim(), 4);
  await until(() => open.length === 2);
  app.clock.advance(20_000);
  for (const { release } of open.splice(0)) release();
  await prober.finish();
  assert.deepEqual([open.length, await prober.settle()], [0, 2]);
  app.clock.advance(40_000);
  assert.equal(await prober.claim(), 2);
  await until(() => open.length === 2);
  for (const { release } of open.splice(0)) release();
  await prober.stop();
});

Deno.test("probes start at the rate, even when many are due", async () => {
  await using app = await testApp();
  await fill(app, 6);
  const context = () => ({ ...app.ctx, clock: app.clock });
  const started: number[] = [];
  const probe = () => {
    started.push(performance.now());
    return Promise.resolve([UNREACHABLE]);
  };
  const before = performance.now();
  await probeDue({ context, owner: "one", probe, startsPerSecond: 50 });
  assert.equal(started.length, 6);
  // Timers may be early by a millisecond.
  for (const [index, time] of started.entries()) {
    assert.ok(time - before >= index * 20 - 1, `${index}: ${time}`);
  }
});

Deno.test("the number of statements of a turn does not depend on the number of endpoints", async () => {
  const statements: number[] = [];
  for (const count of [3, 8]) {
    await using app = await testApp();
    await fill(app, count);
    const context = () => ({ ...app.ctx, clock: app.clock });
    const before = app.database.statements;
    await probeDue({
      context,
      owner: "one",
      probe: () => Promise.resolve([UNREACHABLE]),
    });
    statements.push(app.database.statements - before);
  }
  assert.equal(statements[0], statements[1]);
});

Deno.test("stopping waits for running probes and starts no others", async () => {
  await using app = await testApp();
  await fill(app, 40);
  const context = () => ({ ...app.ctx, clock: app.clock });
  let started = 0;
  const probing = startProbing({
    context,
    tickMs: 10,
    probe: async () => {
      started++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return [UNREACHABLE];
    },
  });
  while (started === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await probing.stop();
  const [row] = await app.database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM observations WHERE id > 2`,
  );
  assert.equal(row?.n, started);
  assert.ok(started < 40);
});
