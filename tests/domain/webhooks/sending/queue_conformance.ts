/** The guarantees of every queue. */

import assert from "node:assert/strict";
import type { Queue } from "../../../../src/domain/webhooks/sending/mod.ts";

/** Time limit for the arrival of a hint, in milliseconds. */
const PATIENCE_MS = 30_000;

async function until(done: () => boolean): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !done();) {
    assert.ok(performance.now() < end, "The hint did not come");
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

const CASES: Readonly<Record<string, (queue: Queue) => Promise<void>>> = {
  async "a hint is received"(queue): Promise<void> {
    const received: number[] = [];
    queue.listen(({ id }) => received.push(id));
    await queue.send({ id: 7 });
    await until(() => received.includes(7));
  },

  async "hints that were sent before the listener was added are received"(queue): Promise<void> {
    for (const id of [1, 2, 3]) await queue.send({ id });
    const received = new Set<number>();
    queue.listen(({ id }) => received.add(id));
    await until(() => received.size === 3);
  },

  async "a listener that throws receives further hints"(queue): Promise<void> {
    const received = new Set<number>();
    queue.listen(({ id }) => {
      received.add(id);
      if (id === 1) throw new Error("not now");
    });
    await queue.send({ id: 1 });
    await queue.send({ id: 2 });
    await until(() => received.size === 2);
  },

  async "a hundred hints are all received"(queue): Promise<void> {
    const received = new Set<number>();
    queue.listen(({ id }) => received.add(id));
    await Promise.all(Array.from({ length: 100 }, (_, id) => queue.send({ id })));
    await until(() => received.size === 100);
  },

  async "a closed queue accepts hints without an error and delivers none"(queue): Promise<void> {
    const received: number[] = [];
    queue.listen(({ id }) => received.push(id));
    await queue.close();
    await queue.close();
    await queue.send({ id: 1 });
    await new Promise((resume) => setTimeout(resume, 50));
    assert.deepEqual(received, []);
  },
};

/** Registers the tests for one kind of queue. */
export function queueConformance(kind: string, open: () => Queue): void {
  for (const [title, test] of Object.entries(CASES)) {
    Deno.test(`${kind}: ${title}`, async () => {
      const queue = open();
      try {
        await test(queue);
      } finally {
        await queue.close();
      }
    });
  }
}
