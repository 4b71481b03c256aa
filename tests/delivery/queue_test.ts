/** The queues: the same for both, and what only the one in a file can do. */

import assert from "node:assert/strict";
import { openKvQueue } from "../../src/delivery/kv_queue.ts";
import { memoryQueue } from "../../src/delivery/mod.ts";
import { queueConformance } from "./queue_conformance.ts";

const log = { log: (): void => {} };

queueConformance("memory", () =>
  Promise.resolve({
    make: () => Promise.resolve(memoryQueue()),
    remove: () => Promise.resolve(),
  }));

queueConformance("kv", async () => {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-kv-" });
  return {
    make: () => openKvQueue({ path: `${folder}/queue.kv`, log }),
    remove: () => Deno.remove(folder, { recursive: true }),
  };
});

Deno.test("kv: hints outlive the queue that they were put into", async () => {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-kv-" });
  try {
    const path = `${folder}/queue.kv`;
    const first = await openKvQueue({ path, log });
    await first.send({ id: 5 });
    await first.close();
    const second = await openKvQueue({ path, log });
    const { promise, resolve } = Promise.withResolvers<number>();
    second.listen(({ id }) => resolve(id));
    assert.equal(await promise, 5);
    await second.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("kv: its files are their owner's alone", async () => {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-kv-" });
  try {
    const queue = await openKvQueue({ path: `${folder}/queue.kv`, log });
    await queue.send({ id: 1 });
    for await (const { name } of Deno.readDir(folder)) {
      assert.equal(((await Deno.stat(`${folder}/${name}`)).mode ?? 0) & 0o777, 0o600, name);
    }
    await queue.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

for (
  const [title, content] of [["nonsense", "x".repeat(100_000)], ["a torn database", "SQLite format 3\0torn"]]
) {
  Deno.test(`kv: a file that holds ${title} is replaced, and said so`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "certmgr-kv-" });
    try {
      const path = `${folder}/queue.kv`;
      await Deno.writeTextFile(path, content as string);
      const lines: string[] = [];
      const queue = await openKvQueue({ path, log: { log: (_level, event) => lines.push(event) } });
      const { promise, resolve } = Promise.withResolvers<number>();
      queue.listen(({ id }) => resolve(id));
      await queue.send({ id: 5 });
      assert.equal(await promise, 5);
      assert.deepEqual(lines, ["queue replaced"]);
      await queue.close();
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
