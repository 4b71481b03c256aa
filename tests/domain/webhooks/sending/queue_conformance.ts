/** What delivery guarantees with every queue. */

import assert from "node:assert/strict";
import type { Context } from "../../../../src/auth/mod.ts";
import { systemClock } from "../../../../src/base/clock.ts";
import { openFileDatabase } from "../../../../src/db/file_client.ts";
import { type Queue, startDelivery } from "../../../../src/domain/webhooks/sending/deliver.ts";
import { testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { addWebhook, changeOf, commit, deliveries, type Receiver, receiver } from "./support.ts";

/** A queue, and what lets its time pass. */
export interface TestedQueue {
  readonly queue: Queue;
  readonly elapse: () => void;
}

/** One process: its delivery, and the queue that hints it. */
interface Node extends AsyncDisposable {
  readonly queue: Queue;
  readonly stop: () => Promise<void>;
  /** Waits until the receiver has got this number of requests. */
  readonly until: (received: Receiver, count: number) => Promise<void>;
}

const PATIENCE_MS = 30_000;

function rest(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

type Start = (ctx: Context, received: Receiver, sweepMs?: number) => Promise<Node>;

const CASES: Readonly<Record<string, (ctx: Context & { path: string }, start: Start) => Promise<void>>> = {
  async "what is committed is sent once, however often hints are repeated"(ctx, start): Promise<void> {
    const received = receiver(() => rest(50).then(() => 204));
    await using node = await start(ctx, received);
    for (let id = 1; id <= 5; id++) {
      await commit(ctx, changeOf(id));
      for (let hint = 0; hint < 3; hint++) node.queue.send(id);
    }
    await node.until(received, 5);
    await node.stop();
    assert.equal(received.requests.length, 5);
    assert.ok(
      (await deliveries(ctx.database)).every(({ state, attempts }) =>
        `${state} ${attempts}` === "delivered 1"
      ),
    );
  },

  async "what a process committed that has ended is sent by the next one"(ctx, start): Promise<void> {
    await commit(ctx, changeOf(1), changeOf(2));
    const received = receiver();
    await using node = await start(ctx, received);
    await node.until(received, 2);
  },

  async "a failed attempt is repeated after its pause, and not before"(ctx, start): Promise<void> {
    const times: number[] = [];
    const received = receiver(() => times.push(performance.now()) === 1 ? 500 : 204);
    await using node = await start(ctx, received);
    await commit(ctx, changeOf(1));
    await node.until(received, 2);
    const [first = 0, second = 0] = times;
    assert.ok(second - first >= 4_900 && second - first < 6_500, `${second - first} ms`);
  },

  async "two processes send each message once"(ctx, start): Promise<void> {
    const database = await openFileDatabase({ path: ctx.path });
    try {
      const other = { ...ctx, database };
      const received = receiver(() => rest(20).then(() => 204));
      await using one = await start(ctx, received);
      await using two = await start(other, received);
      for (let id = 1; id <= 20; id++) await commit(id % 2 === 0 ? ctx : other, changeOf(id));
      await Promise.all([one.until(received, 20), two.until(received, 20)]);
      await Promise.all([one.stop(), two.stop()]);
      assert.equal(new Set(received.requests.map(({ headers }) => headers["webhook-id"])).size, 20);
      assert.equal(received.requests.length, 20);
    } finally {
      database.close();
    }
  },

  async "what another process committed is found"(ctx, start): Promise<void> {
    const database = await openFileDatabase({ path: ctx.path });
    try {
      const received = receiver();
      await using node = await start(ctx, received, 50);
      await commit({ ...ctx, database }, changeOf(1));
      await node.until(received, 1);
    } finally {
      database.close();
    }
  },

  async "a closed queue drops hints, and closes again"(ctx, start): Promise<void> {
    const received = receiver();
    await using node = await start(ctx, received);
    await node.stop();
    await node.queue.close();
    await commit(ctx, changeOf(1));
    node.queue.send(1);
    await rest(200);
    assert.equal(received.requests.length, 0);
  },
};

/** Registers the tests for one kind of queue. */
export function queueConformance(kind: string, open: () => Promise<TestedQueue>): void {
  for (const [title, test] of Object.entries(CASES)) {
    Deno.test(`${kind}: ${title}`, async () => {
      await using database = await testDatabase();
      const ctx = { ...testContext({ database, clock: systemClock }), path: database.path };
      await addWebhook(database);
      await test(ctx, async (own, received, sweepMs = 600_000) => {
        const { queue, elapse } = await open();
        const { send } = received;
        const delivery = startDelivery({ context: () => own, queue, send, sweepMs, random: () => 0 });
        let stopping: Promise<void> | undefined;
        const stop = (): Promise<void> => stopping ??= delivery.stop();
        return {
          queue,
          stop,
          [Symbol.asyncDispose]: stop,
          async until({ requests }, count): Promise<void> {
            for (const end = performance.now() + PATIENCE_MS; requests.length < count;) {
              assert.ok(performance.now() < end, `${requests.length} of ${count} have come`);
              elapse();
              await rest(20);
            }
          },
        };
      });
    });
  }
}
