import assert from "node:assert/strict";
import { atOnce, beginRequest, inBackground, inForeground, inSlices, pacer } from "../../src/base/pace.ts";
import { countPauses } from "../support/pauses.ts";

function* steps(count: number, work: () => void = () => {}): Generator<void, number> {
  for (let step = 0; step < count; step++) {
    work();
    yield;
  }
  return count;
}

Deno.test("work returns the same result with and without pauses", async () => {
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
  const { now } = performance;
  let time = 0;
  performance.now = () => time;
  try {
    const pause = pacer(5);
    time += 4;
    assert.equal(pause(), undefined);
    time += 1;
    let fired = false;
    setTimeout(() => fired = true, 0);
    await pause();
    assert.equal(fired, true);
    time += 4;
    assert.equal(pause(), undefined, "a new slice has begun");
  } finally {
    performance.now = now;
  }
});

Deno.test("work pauses between its steps whenever a slice is used up", async () => {
  assert.equal(await countPauses(() => inSlices(steps(10))), 10);
});

Deno.test("pieces of long work take turns, and the event loop runs after each slice", async () => {
  const { now } = performance;
  let time = 0;
  performance.now = () => time;
  const log: string[] = [];
  const timer = setInterval(() => log.push("."), 0);
  try {
    await Promise.all(["a", "b", "c"].map(async (name) => {
      const pause = pacer(5);
      for (let slice = 0; slice < 5; slice++) {
        log.push(name);
        time += 5;
        await pause();
      }
    }));
  } finally {
    clearInterval(timer);
    performance.now = now;
  }
  const slices = log.join("").replace(/\.+/g, ".");
  assert.equal(slices.replaceAll(".", ""), "abc".repeat(5));
  // The first slice of each runs at once.
  assert.match(slices, /^abc(\.[abc]){12}\.?$/);
});

/** Runs ten slices of work and counts them. `takes` sets the clock, which does not advance otherwise. */
async function work(done: { slices: number }, takes: () => void = () => {}): Promise<void> {
  const pause = pacer(0);
  for (let slice = 0; slice < 10; slice++) {
    takes();
    await pause();
    done.slices++;
  }
}

Deno.test("background work waits for a request, other work does not", async () => {
  const { now } = performance;
  let time = 0;
  performance.now = () => time;
  const [background, foreground, locked] = [{ slices: 0 }, { slices: 0 }, { slices: 0 }];
  const end = beginRequest();
  try {
    const waiting = inBackground(() => work(background, () => void (time += 10)));
    await Promise.all([work(foreground), inBackground(() => inForeground(() => work(locked)))]);
    assert.deepEqual([foreground.slices, locked.slices, background.slices], [10, 10, 0]);
    end();
    await waiting;
    assert.equal(background.slices, 10);
  } finally {
    end();
    performance.now = now;
  }
});

Deno.test("background work goes on while a request takes long", async () => {
  const { now } = performance;
  let time = 0;
  performance.now = () => time;
  const end = beginRequest();
  try {
    const done = { slices: 0 };
    await inBackground(() => work(done, () => void (time += 1_000)));
    assert.equal(done.slices, 10);
  } finally {
    end();
    performance.now = now;
  }
});
