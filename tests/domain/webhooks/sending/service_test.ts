/** The delivery of a running process: how it is woken, and how it stops. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { type Database, migrate, MIGRATIONS, type Transaction } from "../../../../src/db/mod.ts";
import { openRemoteDatabase } from "../../../../src/db/remote_client.ts";
import { openKvQueue } from "../../../../src/domain/webhooks/sending/kv_queue.ts";
import { type Queue, startDelivery } from "../../../../src/domain/webhooks/sending/deliver.ts";
import { NOW, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { startLibsqlServer } from "../../../support/libsql_server.ts";
import { addWebhook, changeOf, commit, deliveries, type Receiver, receiver } from "./support.ts";

/** Longer than any test, so that the regular check does not find events. */
const NEVER_MS = 600_000;
const PATIENCE_MS = 60_000;

async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !await done();) {
    assert.ok(performance.now() < end, "It did not come");
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

/** Returns a queue that loses every hint. */
function lossyQueue(): Queue {
  return { send: () => {}, listen: () => {}, close: () => Promise.resolve() };
}

function untilReceived(received: Receiver, count: number): Promise<void> {
  return until(() => received.requests.length === count);
}

Deno.test("each commit wakes the service at once", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database);
  const received = receiver();
  const delivery = startDelivery({
    context: () => ctx,
    queue: await openKvQueue(),
    send: received.send,
    sweepMs: NEVER_MS,
  });
  for (let count = 1; count <= 3; count++) {
    await commit(ctx, changeOf(count));
    await untilReceived(received, count);
  }
  await delivery.stop();
  assert.deepEqual((await deliveries(database)).map(({ state }) => state), Array(3).fill("delivered"));
});

Deno.test("events that were committed before the start are sent, in more than one batch", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database);
  await commit(ctx, ...Array.from({ length: 20 }, (_, index) => changeOf(index + 1)));
  const received = receiver();
  const delivery = startDelivery({
    context: () => ctx,
    queue: await openKvQueue(),
    send: received.send,
    sweepMs: NEVER_MS,
  });
  await untilReceived(received, 20);
  await delivery.stop();
});

Deno.test("events without a hint are found by the regular check", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database);
  const received = receiver();
  const delivery = startDelivery({
    context: () => ctx,
    queue: lossyQueue(),
    send: received.send,
    sweepMs: 30,
  });
  await commit(ctx, changeOf(1));
  await untilReceived(received, 1);
  await commit(ctx, changeOf(2));
  await untilReceived(received, 2);
  await delivery.stop();
});

Deno.test("while there is nothing to send, the sweep reads two statements and begins no transaction", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database);
  const received = receiver();
  let looks = 0;
  // Each check creates two contexts.
  const context = (): typeof ctx => {
    looks++;
    return ctx;
  };
  await commit(ctx, changeOf(1));
  const delivery = startDelivery({ context, queue: lossyQueue(), send: received.send, sweepMs: 5 });
  await untilReceived(received, 1);
  await until(async () => (await deliveries(database))[0]?.state === "delivered");
  const { write } = database;
  let writes = 0;
  database.write = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    writes++;
    return write.call(database, work) as Promise<T>;
  };
  const [statements, before] = [database.statements, looks];
  await until(() => looks >= before + 20);
  await delivery.stop();
  assert.equal(writes, 0);
  assert.ok(
    database.statements - statements <= looks - before + 2,
    `${database.statements - statements} statements`,
  );
});

Deno.test("stopping starts no more messages, waits for those in flight, and stores their results", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database);
  const { promise, resolve } = Promise.withResolvers<number>();
  const received = receiver(() => promise);
  const delivery = startDelivery({
    context: () => ctx,
    queue: await openKvQueue(),
    send: received.send,
    sweepMs: NEVER_MS,
  });
  await commit(ctx, changeOf(1), changeOf(1));
  await untilReceived(received, 1);
  let stopped = false;
  const stopping = delivery.stop().then(() => stopped = true);
  await commit(ctx, changeOf(2));
  await new Promise((done) => setTimeout(done, 50));
  assert.equal(stopped, false);
  resolve(204);
  await stopping;
  assert.equal(received.requests.length, 1);
  const [first] = await deliveries(database);
  assert.deepEqual([first?.state, first?.lease_owner], ["delivered", null]);
  assert.ok((await deliveries(database)).slice(1).every(({ lease_owner }) => lease_owner === null));
});

interface Line {
  readonly level: string;
  readonly event: string;
  readonly values: Record<string, unknown>;
}

/** Returns a context that collects its log. */
function loggingContext(database: Database): { ctx: Context; lines: Line[] } {
  const lines: Line[] = [];
  const log = (level: string, event: string, values = {}): void => void lines.push({ level, event, values });
  return { ctx: { ...testContext({ database }), log: { log } }, lines };
}

Deno.test("a database that fails for a while is tried again, and the log has the place of the failure", async () => {
  await using database = await testDatabase();
  const { ctx, lines } = loggingContext(database);
  await addWebhook(database);
  await commit(ctx, changeOf(1));
  await database.write((tx) => tx.run(sql`ALTER TABLE outbox RENAME TO hidden`));
  const received = receiver();
  const delivery = startDelivery({
    context: () => ctx,
    queue: await openKvQueue(),
    send: received.send,
    sweepMs: 20,
  });
  const failed = (): Line | undefined => lines.find(({ event }) => event === "delivery failed");
  await until(() => failed() !== undefined);
  await database.write((tx) => tx.run(sql`ALTER TABLE hidden RENAME TO outbox`));
  await untilReceived(received, 1);
  await delivery.stop();
  assert.equal(failed()?.level, "error");
  assert.match(String(failed()?.values.error), /no such table: outbox\n +at /);
});

Deno.test("a database server that is away is one warning per check, without a stack, until it is back", async () => {
  await using server = await startLibsqlServer();
  const database = openRemoteDatabase({ url: server.url });
  await migrate(database, { now: NOW, migrations: MIGRATIONS });
  const { ctx, lines } = loggingContext(database);
  await addWebhook(database);
  await commit(ctx, changeOf(1));
  await server.kill();
  const received = receiver();
  const delivery = startDelivery({
    context: () => ctx,
    queue: await openKvQueue(),
    send: received.send,
    sweepMs: 20,
  });
  await until(() => lines.length >= 2);
  await server.restart();
  await untilReceived(received, 1);
  await delivery.stop();
  database.close();
  for (const { level, event, values } of lines.slice(0, 2)) {
    assert.deepEqual([level, event], ["warn", "delivery failed"]);
    assert.equal(values.reason, "The database is not available.");
    assert.match(String(values.cause), /refused/i);
    assert.doesNotMatch(JSON.stringify(values), /\\n|\.ts:/);
  }
  assert.deepEqual(lines.filter(({ level }) => level === "error"), []);
});
