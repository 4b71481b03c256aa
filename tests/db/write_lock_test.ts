import assert from "node:assert/strict";
import { WRITE_PAUSE_MS, WRITE_TURN_MS } from "../../src/db/limits.ts";
import { openTurns } from "../../src/db/file_access.ts";
import { createWriteLock } from "../../src/db/write_lock.ts";
import { refusal } from "../support/refusals.ts";

Deno.test("writes run one after the other in order of arrival, and one that fails does not stop the next", async () => {
  const lock = createWriteLock();
  const steps: string[] = [];
  const write = (name: string): Promise<void> =>
    lock.run(async () => {
      steps.push(`${name} begins`);
      await new Promise((done) => setTimeout(done, 1));
      steps.push(`${name} ends`);
      if (name === "b") throw new Error("b");
    });
  const [first, second, third] = await Promise.allSettled([write("a"), write("b"), write("c")]);
  assert.deepEqual([first.status, second.status, third.status], ["fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(steps, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  assert.deepEqual([lock.queue.waiting, lock.queue.started], [0, 3]);
});

Deno.test("more writes than may wait are refused with 503, and run when there is room again", async () => {
  const lock = createWriteLock({ mostWaiting: 2 });
  const gate = Promise.withResolvers<void>();
  const running = lock.run(() => gate.promise);
  await new Promise((done) => setTimeout(done, 0));
  const waiting = [1, 2].map((n) => lock.run(() => Promise.resolve(n)));
  assert.equal(lock.queue.waiting, 2);
  const { code, headers } = await refusal(lock.run(() => Promise.resolve(3)));
  assert.deepEqual([code, headers], ["unavailable", { "Retry-After": "5" }]);
  gate.resolve();
  await running;
  assert.deepEqual(await Promise.all(waiting), [1, 2]);
  assert.equal(await lock.run(() => Promise.resolve(4)), 4);
});

Deno.test("with other workers, a process writes only during its turn, and yields it when it is over", async () => {
  const calls: string[] = [];
  const grants: (() => void)[] = [];
  const take = async (): Promise<void> => {
    calls.push("take");
    await new Promise<void>((resolve) => grants.push(resolve));
  };
  const lock = createWriteLock({ turns: { take, end: () => void calls.push("end") } });
  const write = (name: string, ms = 0): Promise<void> =>
    lock.run(async () => {
      calls.push(name);
      if (ms > 0) await new Promise((done) => setTimeout(done, ms));
    });
  const first = [write("a"), write("b")];
  await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(calls, ["take"]);
  grants.shift()?.();
  await Promise.all(first);
  // The turn continues for a short time, in which clients may send their next writes.
  await write("next");
  assert.deepEqual(calls.splice(2), ["b", "next"]);
  await new Promise((done) => setTimeout(done, 5 * WRITE_PAUSE_MS));
  assert.deepEqual(calls.splice(2), ["end"]);
  // After the end of a turn, others have precedence.
  const second = [write("c", 1.2 * WRITE_TURN_MS), write("d")];
  grants.shift()?.();
  await second[0];
  assert.deepEqual(calls.splice(2), ["take", "c", "end"]);
  while (grants.length === 0) await new Promise((done) => setTimeout(done, 1));
  assert.deepEqual(calls.splice(2), ["take"]);
  grants.shift()?.();
  await second[1];
  await new Promise((done) => setTimeout(done, 5 * WRITE_PAUSE_MS));
  assert.deepEqual(calls.splice(2), ["d", "end"]);
});

Deno.test("one of several processes has the turn, and one that ends or dies passes it on", async () => {
  const path = await Deno.makeTempFile();
  try {
    const [first, second] = [await openTurns(path), await openTurns(path)];
    using _ = second;
    const turns: string[] = [];
    await first.take();
    const waiting = second.take().then(() => turns.push("second"));
    await new Promise((done) => setTimeout(done, 20));
    assert.deepEqual(turns, []);
    first.end();
    await waiting;
    assert.deepEqual(turns, ["second"]);
    second.end();
    await first.take();
    const again = second.take();
    first[Symbol.dispose]();
    await again;
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("a database that is closed ends its turn, and writes that come later are refused", async () => {
  const path = await Deno.makeTempFile();
  try {
    const turns = await openTurns(path);
    const lock = createWriteLock({ turns });
    assert.equal(await lock.run(() => Promise.resolve(1)), 1);
    // The process still has its turn, which a timer ends.
    turns[Symbol.dispose]();
    await new Promise((done) => setTimeout(done, 5 * WRITE_PAUSE_MS));
    const late = [lock.run(() => Promise.resolve(2)), lock.run(() => Promise.resolve(3))];
    assert.deepEqual((await Promise.allSettled(late)).map(({ status }) => status), ["rejected", "rejected"]);
    await assert.rejects(lock.run(() => Promise.resolve(4)));
  } finally {
    await Deno.remove(path);
  }
});
