/** The queues of a service and of the edge. */

import assert from "node:assert/strict";
import { cronQueue } from "../../../../src/domain/webhooks/sending/cron_queue.ts";
import { openKvQueue } from "../../../../src/domain/webhooks/sending/kv_queue.ts";
import { queueConformance, type TestedQueue } from "./queue_conformance.ts";

queueConformance("Deno KV", async () => ({ queue: await openKvQueue(), elapse: () => {} }));

/** Opens the queue of the edge with a schedule that the test runs. */
function openCronQueue(): Promise<TestedQueue> {
  const real = Object.getOwnPropertyDescriptor(Deno, "cron") as PropertyDescriptor;
  let tick = (): unknown => undefined;
  const replaced = (
    _name: string,
    schedule: string,
    { signal }: { signal: AbortSignal },
    run: () => void,
  ): void => {
    assert.equal(schedule, "* * * * *");
    tick = (): unknown => signal.aborted ? undefined : run();
  };
  const queue = cronQueue();
  return Promise.resolve({
    elapse: () => void tick(),
    queue: {
      ...queue,
      listen(listener): void {
        Object.defineProperty(Deno, "cron", { ...real, get: () => replaced });
        queue.listen(listener);
        Object.defineProperty(Deno, "cron", real);
      },
    },
  });
}

queueConformance("cron", openCronQueue);

Deno.test("a hint arrives after its delay, although the handler of another one still runs", async () => {
  const queue = await openKvQueue();
  const arrived: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  queue.listen((id) => {
    arrived.push(id);
    return promise;
  });
  queue.send(1);
  queue.send(2, 300);
  queue.send(3, -5); // of a clock that was set back
  await new Promise((done) => setTimeout(done, 200));
  assert.deepEqual(arrived.sort(), [1, 3]);
  // Deno repeats a message whose handler has not returned within five seconds.
  await new Promise((done) => setTimeout(done, 6_000));
  assert.deepEqual(arrived, [1, 3, 2]);
  resolve();
  await queue.close();
});
