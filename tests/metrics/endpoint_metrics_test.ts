/** The metrics of endpoints: states, and the work of the probes. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { ENDPOINT_STATES } from "../../src/domain/endpoints/mod.ts";
import { probeDue, Prober } from "../../src/domain/endpoints/probing/service.ts";
import { METRICS_MEMORY_MS } from "../../src/domain/system/metrics/read_service_numbers.ts";
import { UNREACHABLE } from "../domain/endpoints/support.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { readExposition } from "../support/exposition.ts";

const WORK = {
  due: "certmgr_endpoint_probes_due",
  running: "certmgr_endpoint_probes_running",
  late: "certmgr_endpoint_probes_late_seconds",
  last: "certmgr_endpoint_last_probe_timestamp_seconds",
} as const;

/** Returns endpoints by state, and the numbers of probes. */
async function scrape(app: TestApp): Promise<{ states: Record<string, number>; work: number[] }> {
  app.clock.advance(METRICS_MEMORY_MS);
  const response = await (await app.as("superuser"))("/metrics");
  const families = readExposition(await response.text());
  const samples = (name: string): (typeof families)[number]["samples"] =>
    families.find((family) => family.name === name)?.samples ?? [];
  return {
    states: Object.fromEntries(
      samples("certmgr_endpoints").map(({ labels, value }) => [labels.state, value]),
    ),
    work: Object.values(WORK).map((name) => samples(name)[0]?.value ?? NaN),
  };
}

/** Sets the endpoints of the seed to be probed at these times; the others are not probed by the service. */
async function schedule({ database }: TestApp, ...times: readonly number[]): Promise<void> {
  await database.write((tx) => tx.run(sql`UPDATE endpoints SET next_probe = NULL, last_probed = NULL`));
  for (const [index, time] of times.entries()) {
    await database.write((tx) =>
      tx.run(sql`UPDATE endpoints SET next_probe = ${time} WHERE id = ${index + 1}`)
    );
  }
}

Deno.test("an endpoint is late from the time at which it is due until its probe has begun", async () => {
  await using app = await testApp();
  const { clock } = app;
  await schedule(app, clock.now() + METRICS_MEMORY_MS, clock.now() + 3 * METRICS_MEMORY_MS);
  const work = async (): Promise<number[]> => (await scrape(app)).work.slice(0, 3);
  assert.deepEqual(await work(), [1, 0, 0], "due now");
  assert.deepEqual(await work(), [1, 0, 10], "due for ten seconds");
  assert.deepEqual(await work(), [2, 0, 20], "the longest waiting one counts");
  const held = Promise.withResolvers<void>();
  const prober = new Prober({
    context: () => ({ ...app.ctx, clock }),
    owner: "one",
    probe: async () => {
      await held.promise;
      return [UNREACHABLE];
    },
  });
  await prober.claim();
  assert.deepEqual(await work(), [0, 2, 0], "both are being probed");
  held.resolve();
  await prober.finish();
  await prober.settle();
  assert.deepEqual(await work(), [0, 0, 0]);
});

Deno.test("an endpoint whose probe was requested is due, and not late", async () => {
  await using app = await testApp();
  await schedule(app, 0);
  assert.deepEqual((await scrape(app)).work.slice(0, 3), [1, 0, 0]);
});

Deno.test("endpoints are counted by state, and the time of the last probe is shown", async () => {
  await using app = await testApp();
  const { clock } = app;
  await schedule(app, clock.now());
  const before = await scrape(app);
  assert.deepEqual(Object.keys(before.states).sort(), [...ENDPOINT_STATES].sort());
  assert.equal(before.work[3], 0);
  await probeDue({
    context: () => ({ ...app.ctx, clock }),
    owner: "one",
    probe: () => Promise.resolve([UNREACHABLE]),
  });
  const at = clock.now();
  const after = await scrape(app);
  assert.equal(after.states.unreachable, (before.states.unreachable ?? 0) + 1);
  assert.equal(after.work[3], at / 1_000);
});
