import assert from "node:assert/strict";
import { runAll } from "./schedule.ts";

Deno.test("as many jobs run as there are slots, the earlier ones first", async () => {
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const jobs = Array.from({ length: 5 }, (_, index) => (): Promise<void> => {
    started.push(index);
    return new Promise((resolve) => ends[index] = resolve);
  });
  const end = async (index: number): Promise<void> => {
    ends[index]!();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  const all = runAll(jobs, { atOnce: 3 });
  assert.deepEqual(started, [0, 1, 2]);
  await end(1);
  assert.deepEqual(started, [0, 1, 2, 3]);
  await end(0);
  await end(3);
  assert.deepEqual(started, [0, 1, 2, 3, 4]);
  let hasEnded = false;
  void all.then(() => hasEnded = true);
  await end(2);
  assert.equal(hasEnded, false);
  await end(4);
  await all;
});

Deno.test("an empty list of jobs runs nothing", async () => {
  await runAll([], { atOnce: 1 });
});
