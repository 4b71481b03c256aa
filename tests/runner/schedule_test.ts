import assert from "node:assert/strict";
import { type Job, runAll } from "./schedule.ts";

/** Jobs that a test ends, and what has started so far. */
function controlled(
  kinds: readonly Job["kind"][],
): { jobs: Job[]; started: number[]; end: (index: number) => Promise<void> } {
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const jobs = kinds.map((kind, index): Job => ({
    kind,
    run(): Promise<void> {
      started.push(index);
      return new Promise((resolve) => ends[index] = resolve);
    },
  }));
  return {
    jobs,
    started,
    async end(index): Promise<void> {
      ends[index]!();
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    },
  };
}

Deno.test("as many jobs run as there are slots, and not more of a kind than it allows", async () => {
  const [few, many] = [{ jobs: 1, alone: false }, { jobs: 9, alone: false }];
  const { jobs, started, end } = controlled([few, few, many, many, many]);
  const all = runAll(jobs, { slots: 3 });
  assert.deepEqual(started, [0, 2, 3]);
  await end(2);
  assert.deepEqual(started, [0, 2, 3, 4]);
  await end(0);
  assert.deepEqual(started, [0, 2, 3, 4, 1]);
  for (const index of [1, 3, 4]) await end(index);
  await all;
});

Deno.test("a kind that runs alone waits for others, and others wait for it", async () => {
  const [alone, other] = [{ jobs: 2, alone: true }, { jobs: 2, alone: false }];
  const { jobs, started, end } = controlled([alone, alone, other, other]);
  const all = runAll(jobs, { slots: 4 });
  assert.deepEqual(started, [0, 1]);
  await end(0);
  assert.deepEqual(started, [0, 1]);
  await end(1);
  assert.deepEqual(started, [0, 1, 2, 3]);
  await end(2);
  await end(3);
  await all;
});

Deno.test("without jobs nothing runs", async () => {
  await runAll([], { slots: 1 });
});
