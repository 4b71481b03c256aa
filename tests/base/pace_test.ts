import assert from "node:assert/strict";
import { atOnce, inSlices, pacer } from "../../src/base/pace.ts";

function* steps(count: number, work: () => void = () => {}): Generator<void, number> {
  for (let step = 0; step < count; step++) {
    work();
    yield;
  }
  return count;
}

/** Keeps the processor busy. */
function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

Deno.test("work gives the same result with and without pauses", async () => {
  assert.equal(atOnce(steps(5)), 5);
  assert.equal(await inSlices(steps(5)), 5);
  assert.equal(await inSlices(steps(0)), 0);
});

Deno.test("an error of the work reaches the caller, with and without pauses", async () => {
  const failing = (): void => {
    throw new Error("broken");
  };
  assert.throws(() => atOnce(steps(1, failing)), /broken/);
  await assert.rejects(inSlices(steps(1, failing)), /broken/);
});

Deno.test("a pause within a slice does not wait, one after it lets timers fire", async () => {
  const pause = pacer(5);
  assert.equal(pause(), undefined);
  busy(6);
  let fired = false;
  setTimeout(() => fired = true, 0);
  await pause();
  assert.equal(fired, true);
  assert.equal(pause(), undefined, "a new slice has begun");
});

Deno.test("other work runs between the steps of long work", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await inSlices(steps(10, () => busy(3)), pacer(5));
  clearInterval(timer);
  assert(turns >= 4, `${turns} turns`);
});
