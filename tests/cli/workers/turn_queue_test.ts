import assert from "node:assert/strict";
import { TurnQueue } from "../../../src/cli/workers/turn_queue.ts";

interface Recorded {
  readonly queue: TurnQueue;
  readonly calls: string[];
}

function recorded(limitMs?: number): Recorded {
  const calls: string[] = [];
  const queue = new TurnQueue({
    grant: (worker, isAwaited) => calls.push(`grant ${worker}${isAwaited ? " yield" : ""}`),
    yield: (worker) => calls.push(`yield ${worker}`),
  }, limitMs);
  return { queue, calls };
}

Deno.test("workers write in the order of their requests, and the holder is requested once to release its turn", () => {
  const { queue, calls } = recorded();
  for (const worker of [1, 2, 3]) queue.ask(worker);
  assert.deepEqual(calls, ["grant 1", "yield 1"]);
  queue.end(1);
  queue.ask(1);
  queue.end(2);
  queue.end(3);
  queue.end(1);
  assert.deepEqual(calls.slice(2), ["grant 2 yield", "grant 3 yield", "grant 1"]);
  queue.ask(2);
  assert.equal(calls.at(-1), "grant 2");
  queue.close();
});

Deno.test("when a worker dies, the next one gets its turn, and a dead worker gets none", () => {
  const { queue, calls } = recorded();
  for (const worker of [1, 2, 3]) queue.ask(worker);
  queue.remove(2);
  queue.remove(1);
  assert.deepEqual(calls, ["grant 1", "yield 1", "grant 3"]);
  queue.close();
});

Deno.test("a worker that exceeds the time limit loses its turn, and its late release changes nothing", async () => {
  const { queue, calls } = recorded(1);
  queue.ask(1);
  queue.ask(2);
  while (calls.length < 3) await new Promise((done) => setTimeout(done, 1));
  queue.ask(3);
  queue.end(1);
  assert.deepEqual(calls, ["grant 1", "yield 1", "grant 2", "yield 2"]);
  queue.close();
});
