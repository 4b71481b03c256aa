import assert from "node:assert/strict";
import { claimRun, type Job, runDueJobs } from "../../../../src/domain/system/jobs/jobs.ts";
import { testDatabase } from "../../../support/database.ts";
import { testContext } from "../../../support/context.ts";

const HOUR = 3_600_000;

Deno.test("a job runs once per interval, whichever process starts it", async () => {
  await using database = await testDatabase();
  const claim = (owner: string, now: number): Promise<boolean> =>
    claimRun(database, { name: "sweep", owner, now, intervalMs: HOUR });
  assert.equal(await claim("one", 0), true);
  assert.equal(await claim("two", 0), false);
  assert.equal(await claim("one", HOUR - 1), false);
  assert.equal(await claim("two", HOUR), true);
  assert.equal(await claim("one", HOUR), false);
  assert.equal(await claimRun(database, { name: "other", owner: "one", now: 0, intervalMs: HOUR }), true);
});

Deno.test("two processes that check at the same time do not both run a job", async () => {
  await using database = await testDatabase();
  const claims = ["one", "two", "three"].map((owner) =>
    claimRun(database, { name: "sweep", owner, now: 5, intervalMs: HOUR })
  );
  assert.deepEqual((await Promise.all(claims)).sort(), [false, false, true]);
});

for (
  const [what, behind, claimed] of [
    ["a moment", 2, false],
    ["almost an interval", HOUR - 1, false],
    ["more than an interval", HOUR + 1, true],
  ] as const
) {
  Deno.test(`a run that was recorded by a clock ${what} ahead is ${claimed ? "repeated" : "not repeated"}`, async () => {
    await using database = await testDatabase();
    const claim = (owner: string, now: number): Promise<boolean> =>
      claimRun(database, { name: "sweep", owner, now, intervalMs: HOUR });
    const now = 10 * HOUR;
    assert.equal(await claim("one", now), true);
    assert.equal(await claim("two", now - behind), claimed);
  });
}

Deno.test("a job that fails is logged, does not stop others, and runs again", async () => {
  await using database = await testDatabase();
  const ran: string[] = [];
  const jobs: Job[] = [
    { name: "bad", intervalMs: HOUR, run: () => Promise.reject(new Error("broken")) },
    {
      name: "good",
      intervalMs: HOUR,
      run: () => {
        ran.push("good");
        return Promise.resolve({ done: 1 });
      },
    },
  ];
  const lines: [string, Record<string, unknown>][] = [];
  const ctx = {
    ...testContext({ database }),
    log: { log: (_: string, event: string, values = {}): number => lines.push([event, values]) },
  };
  await runDueJobs(() => ctx, { jobs, owner: "one" });
  await runDueJobs(() => ctx, { jobs, owner: "one" });
  assert.deepEqual(ran, ["good"]);
  assert.deepEqual(lines.map(([event, values]) => [event, values.name]), [["job failed", "bad"], [
    "job",
    "good",
  ]]);
  assert.match(String(lines[0]?.[1].error), /broken/);
});

Deno.test("a stop starts no further job, and the job that it stopped runs at the next start", async () => {
  await using database = await testDatabase();
  const stopping = new AbortController();
  const ran: string[] = [];
  const job = (name: string, work: () => void = () => {}): Job => ({
    name,
    intervalMs: HOUR,
    run: () => {
      ran.push(name);
      work();
      return Promise.resolve({});
    },
  });
  const jobs = [job("complete"), job("stopped", () => stopping.abort()), job("later")];
  const ctx = testContext({ database });
  await runDueJobs(() => ctx, { jobs, owner: "one", signal: stopping.signal });
  assert.deepEqual(ran, ["complete", "stopped"]);
  await runDueJobs(() => ctx, { jobs, owner: "two" });
  assert.deepEqual(ran, ["complete", "stopped", "stopped", "later"]);
});
