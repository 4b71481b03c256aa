/**
 * Measures how fast events reach a local receiver, and how much they cost their writer:
 *
 *     deno task bench:delivery --messages 1000 --creates 300
 */

import { sql } from "drizzle-orm";
import { systemClock } from "../../src/base/clock.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { MIGRATIONS } from "../../src/db/migration_files.ts";
import type { Database } from "../../src/db/mod.ts";
import { openKvQueue } from "../../src/domain/webhooks/sending/kv_queue.ts";
import { startDelivery } from "../../src/domain/webhooks/sending/deliver.ts";
import { certificates } from "../../src/domain/certificates/mod.ts";
import { parseAllowedHosts } from "../../src/http/mod.ts";
import { sendGuarded } from "../../src/http/send_guarded.ts";
import { createObject, createObjects } from "../../src/resource/mod.ts";
import type { Context } from "../../src/auth/mod.ts";
import { addWebhook } from "../domain/webhooks/sending/support.ts";
import { testContext } from "../support/context.ts";
import { metadata } from "../support/stored.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:delivery", {
  messages: ["1000", "Number of messages"],
  creates: ["300", "Number of writes for the cost of an event"],
});

function percentile(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(1);
}

async function emptyDatabase(folder: string, name: string): Promise<Database> {
  const database = await openFileDatabase({ path: `${folder}/${name}.db` });
  await migrate(database, { migrations: MIGRATIONS, now: 0 });
  return database;
}

function contextOf(database: Database): Context {
  const ctx = testContext({ database, clock: systemClock });
  return { ...ctx, settings: { ...ctx.settings, allowedTargets: parseAllowedHosts(["127.0.0.1"]) } };
}

/** When each object's message arrived. */
interface Arrivals {
  readonly url: string;
  readonly at: Map<number, number>;
  stop(): Promise<void>;
}

function receive(): Arrivals {
  const at = new Map<number, number>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    at.set((await request.json()).data.id, performance.now());
    return new Response(null, { status: 204 });
  });
  return { url: `http://127.0.0.1:${server.addr.port}/`, at, stop: () => server.shutdown() };
}

async function arrived(receiver: Arrivals, count: number): Promise<void> {
  while (receiver.at.size < count) await new Promise((done) => setTimeout(done, 1));
}

/**
 * Measures messages per second for events that exist from the start, then the time from commit to arrival for single
 * events.
 */
async function measureDelivery(folder: string, count: number): Promise<void> {
  const database = await emptyDatabase(folder, "delivery");
  const ctx = contextOf(database);
  const receiver = receive();
  await addWebhook(database, { payload_url: receiver.url, secret: "correct horse battery" });
  const delivery = startDelivery({ context: () => ctx, queue: await openKvQueue(), send: sendGuarded });
  const started = performance.now();
  for (let from = 1; from <= count; from += 100) {
    const input = Array.from(
      { length: Math.min(100, count - from + 1) },
      (_, index) => metadata(from + index),
    );
    await createObjects({ ctx, resource: certificates, input });
  }
  await arrived(receiver, count);
  const seconds = (performance.now() - started) / 1000;
  console.log(`${count} messages in ${seconds.toFixed(2)} s, ${Math.round(count / seconds)} a second`);

  const waits: number[] = [];
  for (let serial = count + 1; serial <= count + 100; serial++) {
    const { id } = await createObject({ ctx, resource: certificates, input: metadata(serial) });
    const committed = performance.now();
    await arrived(receiver, serial);
    waits.push((receiver.at.get(id as number) as number) - committed);
    await new Promise((done) => setTimeout(done, 20));
  }
  waits.sort((a, b) => a - b);
  console.log(`commit to arrival: p50 ${percentile(waits, 0.5)} ms, p99 ${percentile(waits, 0.99)} ms`);
  await delivery.stop();
  await receiver.stop();
  database.close();
}

/** Measures a create with and without its outbox row, alternately, so that both run under the same load. */
async function measureCost(folder: string, count: number): Promise<void> {
  const kinds: readonly number[][] = [[], []];
  const databases = [await emptyDatabase(folder, "with"), await emptyDatabase(folder, "without")];
  for (const database of databases) await addWebhook(database);
  await databases[1]?.write((tx) =>
    tx.run(sql`CREATE TRIGGER silent BEFORE INSERT ON outbox BEGIN SELECT RAISE(IGNORE); END`)
  );
  for (let serial = 1; serial <= count; serial++) {
    for (const [index, times] of kinds.entries()) {
      const ctx = contextOf(databases[index] as Database);
      const started = performance.now();
      await createObject({ ctx, resource: certificates, input: metadata(serial) });
      if (serial > count / 5) times.push(performance.now() - started);
    }
  }
  const medians = kinds.map((times) => times.sort((a, b) => a - b)[times.length >> 1] as number);
  const [withOutbox, without] = medians as [number, number];
  const share = (withOutbox / without - 1) * 100;
  console.log(
    `a create: ${withOutbox.toFixed(2)} ms with its event, ${without.toFixed(2)} ms without (${
      share.toFixed(0)
    } % more)`,
  );
  const [row] = await (databases[0] as Database).all<{ n: number }>(sql`SELECT count(*) AS n FROM outbox`);
  if (row?.n !== count) throw new Error(`${row?.n} events of ${count} creates`);
  for (const database of databases) database.close();
}

const folder = await Deno.makeTempDir({ prefix: "certmgr-bench-" });
try {
  await measureCost(folder, Number(values.creates));
  await measureDelivery(folder, Number(values.messages));
} finally {
  await Deno.remove(folder, { recursive: true });
}
