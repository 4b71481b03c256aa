/** Attempts, pauses, order and the circuit breaker, with a clock that the test sets. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { redeliver, testWebhook } from "../../../../src/domain/webhooks/deliveries/redeliver.ts";
import { testClock, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";
import {
  addWebhook,
  type Answer,
  changeOf,
  commit,
  deliveries,
  type Delivery,
  drain,
  receiver,
  webhook,
} from "./support.ts";
import { RETRY_PAUSES_MS } from "../../../../src/domain/webhooks/sending/settle.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 8 * HOUR, 24 * HOUR];

const FAILURES: readonly (readonly [title: string, answer: Answer, status: number | null, error: RegExp])[] =
  [
    ["status 500", 500, 500, /^The receiver answered 500\.$/],
    ["status 302", 302, 302, /^The receiver answered 302\.$/],
    ["status 404", 404, 404, /^The receiver answered 404\.$/],
    ["status 199", 199, 199, /^The receiver answered 199\.$/],
    ["a refused connection", "refused", null, /^The connection was refused\.$/],
  ];

for (const [title, answer, status, error] of FAILURES) {
  Deno.test(`after ${title} a message is sent again after each of eight pauses, and then abandoned`, async () => {
    await using database = await testDatabase();
    const clock = testClock();
    const ctx = testContext({ database, clock });
    await addWebhook(database);
    await commit(ctx, changeOf(1));
    const { send, requests } = receiver(() => answer);
    for (const [attempts, pause] of PAUSES.entries()) {
      assert.equal(await drain(ctx, { send }), 1);
      const [row] = await deliveries(database);
      assert.deepEqual([row?.state, row?.attempts, row?.response_status], ["pending", attempts + 1, status]);
      assert.equal(row?.next_attempt, clock.now() + pause);
      assert.match(row?.error ?? "", error);
      assert.equal(row?.failure, status === null ? "no_answer" : "refused");
      clock.advance(pause - 1);
      assert.equal(await drain(ctx, { send }), 0, `sent a millisecond before pause ${attempts + 1} was over`);
      clock.advance(1);
    }
    assert.equal(await drain(ctx, { send }), 1);
    const [row] = await deliveries(database);
    assert.deepEqual([row?.state, row?.attempts, row?.next_attempt], ["dead", 9, null]);
    clock.advance(100 * HOUR);
    assert.equal(await drain(ctx, { send }), 0);
    assert.equal(new Set(requests.map(({ headers }) => headers["webhook-id"])).size, 1);
  });
}

Deno.test("the pauses are those that are documented", () => assert.deepEqual([...RETRY_PAUSES_MS], PAUSES));

for (const status of [200, 201, 204, 299]) {
  Deno.test(`a message that is answered with ${status} is delivered`, async () => {
    await using database = await testDatabase();
    const ctx = testContext({ database });
    await addWebhook(database);
    await commit(ctx, changeOf(1));
    await drain(ctx, receiver(() => ({ status, body: "thanks" })));
    const [row] = await deliveries(database);
    assert.deepEqual([row?.state, row?.attempts, row?.next_attempt, row?.lease_owner], [
      "delivered",
      1,
      null,
      null,
    ]);
    assert.deepEqual([row?.response_status, row?.response_body, row?.failure, row?.error], [
      status,
      "thanks",
      null,
      "",
    ]);
  });
}

Deno.test("a message that succeeds in the end is delivered, and its webhook counts as working again", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const id = await addWebhook(database);
  await commit(ctx, changeOf(1));
  await drain(ctx, receiver(() => 500));
  assert.equal((await webhook(database, id)).failure_count, 1);
  clock.advance(5 * SECOND);
  await drain(ctx, receiver());
  const [row] = await deliveries(database);
  assert.deepEqual([row?.state, row?.attempts, row?.error], ["delivered", 2, ""]);
  assert.equal((await webhook(database, id)).failure_count, 0);
});

Deno.test("a later event of an object waits for the earlier one; other objects and webhooks do not", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const first = await addWebhook(database, { name: "failing" });
  const second = await addWebhook(database, { name: "working", payload_url: "https://other.example/" });
  await commit(ctx, changeOf(1, "create"), changeOf(1), changeOf(2, "create"), changeOf(1, "delete"));
  const flaky = receiver(({ url, body }) =>
    url.startsWith("https://hooks.") && JSON.parse(body).data.id === 1 && clock.now() < start + 35 * SECOND
      ? 500
      : 204
  );
  const start = clock.now();
  for (const pause of [0, 5 * SECOND, 30 * SECOND]) {
    clock.advance(pause);
    await drain(ctx, flaky);
  }
  const received = (url: string): string[] =>
    flaky.requests.filter((request) => request.url === url).map(({ body }) => JSON.parse(body)).map((one) =>
      `${one.event} ${one.data.id}`
    );
  assert.deepEqual(received("https://hooks.example/certmgr"), [
    "created 1",
    "created 2",
    "created 1",
    "created 1",
    "updated 1",
    "deleted 1",
  ]);
  assert.deepEqual(received("https://other.example/").filter((one) => one.endsWith("1")), [
    "created 1",
    "updated 1",
    "deleted 1",
  ]);
  const rows = await deliveries(database);
  assert.deepEqual([...new Set(rows.map(({ state }) => state))], ["delivered"]);
  assert.deepEqual([rows.length, first, second], [8, 1, 2]);
});

Deno.test("when a message is abandoned, the next one about its object is sent", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  await addWebhook(database);
  await commit(ctx, changeOf(1, "create"), changeOf(1));
  const failing = receiver(({ body }) => JSON.parse(body).event === "created" ? 500 : 204);
  for (const pause of [0, ...PAUSES]) {
    clock.advance(pause);
    await drain(ctx, failing);
  }
  assert.deepEqual((await deliveries(database)).map(({ state }) => state), ["dead", "delivered"]);
});

const RETRY_AFTER: readonly (readonly [title: string, value: string, pause: number])[] = [
  ["seconds", "90", 90 * SECOND],
  ["an HTTP date", "Fri, 20 Nov 2026 09:24:19 GMT", 2 * MINUTE],
  ["less than the usual pause", "1", 5 * SECOND],
  ["a date of the past", "Fri, 20 Nov 2020 09:24:19 GMT", 5 * SECOND],
  ["more than a day", "99999999", 24 * HOUR],
  ["nonsense", "soon; DROP TABLE", 5 * SECOND],
  ["a negative number", "-5", 5 * SECOND],
];

for (const [title, retryAfter, pause] of RETRY_AFTER) {
  Deno.test(`Retry-After of ${title} is obeyed if it is longer than the pause, up to a day`, async () => {
    await using database = await testDatabase();
    const clock = testClock();
    const ctx = testContext({ database, clock });
    await addWebhook(database);
    await commit(ctx, changeOf(1));
    await drain(ctx, receiver(() => ({ status: 503, retryAfter })));
    assert.equal((await deliveries(database))[0]?.next_attempt, clock.now() + pause);
  });
}

Deno.test("410 abandons the message and disables the webhook, with a reason and a change record", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const id = await addWebhook(database);
  await commit(ctx, changeOf(1, "create"), changeOf(1));
  const gone = receiver(() => 410);
  await drain(ctx, gone);
  assert.deepEqual((await deliveries(database)).map(({ state }) => state), ["dead", "pending"]);
  const { enabled, disabled_reason } = await webhook(database, id);
  assert.deepEqual([enabled, disabled_reason], [0, "The receiver answered 410 (gone)."]);
  const changes = await database.all(
    sql`SELECT action, object_id, username FROM object_changes WHERE object_type = 'extras.webhook'`,
  );
  assert.deepEqual(changes, [{ action: "update", object_id: id, username: "system" }]);
  await commit(ctx, changeOf(3));
  assert.equal(await drain(ctx, gone), 0);
  assert.equal(gone.requests.length, 1);
  await database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 1`));
  const working = receiver();
  assert.equal(await drain(ctx, working), 1);
  assert.deepEqual(working.bodies.map(({ event }) => event), ["updated"]);
});

Deno.test("after 20 consecutive failures one message is tried at a time, until one is delivered", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const id = await addWebhook(database);
  await commit(ctx, ...Array.from({ length: 30 }, (_, index) => changeOf(index + 1)));
  let works = false;
  const flaky = receiver(() => works ? 204 : 500);
  await drain(ctx, flaky);
  const tried = flaky.requests.length;
  // Those in flight when the twentieth failed are counted, too.
  assert.ok(tried >= 20 && tried <= 23, `${tried} were tried`);
  const open = await webhook(database, id);
  assert.equal(open.failure_count, tried);
  for (let probe = 1; probe <= 5; probe++) {
    const { probe_at } = await webhook(database, id);
    clock.advance((probe_at as number) - clock.now() - 1);
    assert.equal(await drain(ctx, flaky), 0);
    clock.advance(1);
    assert.equal(await drain(ctx, flaky), 1);
  }
  const { probe_at } = await webhook(database, id);
  assert.equal((probe_at as number) - clock.now(), 10 * MINUTE);
  works = true;
  clock.advance(10 * MINUTE);
  assert.ok(await drain(ctx, flaky) > 1);
  const { failure_count, probe_at: closed } = await webhook(database, id);
  assert.deepEqual([failure_count, closed], [0, null]);
  clock.advance(HOUR);
  await drain(ctx, flaky);
  assert.ok((await deliveries(database)).every(({ state }) => state === "delivered"));
});

Deno.test("a disabled webhook is sent nothing, and gets its messages when it is enabled again", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await addWebhook(database);
  await commit(ctx, changeOf(1));
  await drain(ctx, receiver(() => 500), 0);
  await database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 0`));
  const working = receiver();
  assert.equal(await drain(ctx, working), 0);
  assert.deepEqual((await deliveries(database)).map(({ state }) => state), ["pending"]);
  await database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 1`));
  assert.equal(await drain(ctx, working), 1);
});

Deno.test("a test message that fails is abandoned at once, and does not count as a failure of the webhook", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const id = await addWebhook(database);
  await database.write((tx) =>
    tx.run(
      sql`INSERT INTO webhook_deliveries (webhook_id, event_id, object_type, object_id, event, next_attempt, body,
        created, last_updated) VALUES (${id}, 'msg_test', 'extras.webhook', ${id}, 'test', 0, '{}', 0, 0)`,
    )
  );
  await drain(ctx, receiver(() => 500));
  assert.deepEqual((await deliveries(database)).map(({ state, attempts }) => [state, attempts]), [[
    "dead",
    1,
  ]]);
  assert.equal((await webhook(database, id)).failure_count, 0);
});

for (const way of ["a test message", "a redelivered message"] as const) {
  Deno.test(`${way} is sent before all messages that wait for a webhook that has failed`, async () => {
    await using database = await testDatabase();
    const clock = testClock();
    const ctx = testContext({ database, clock });
    const id = await addWebhook(database);
    await commit(ctx, changeOf(1));
    await drain(ctx, receiver());
    await commit(ctx, changeOf(2), changeOf(3));
    await drain(ctx, receiver(), 0);
    clock.advance(MINUTE);
    await database.write((tx) =>
      tx.run(sql`UPDATE webhooks SET failure_count = 20, probe_at = ${clock.now() + HOUR}`)
    );
    const { id: asked } = way === "a test message"
      ? await testWebhook({ ctx, id })
      : await redeliver({ ctx, id: 1 });
    const failing = receiver(() => 500);
    assert.equal(await drain(ctx, failing), 1);
    const [{ event_id }] = (await deliveries(database)).filter((row) => row.id === asked) as [Delivery];
    assert.equal(failing.requests[0]?.headers["webhook-id"], event_id);
  });
}

Deno.test("a message that waits for its next attempt is sent at once on request, and then at its usual times", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  await addWebhook(database);
  await commit(ctx, changeOf(1, "create"), changeOf(1));
  const failing = receiver(() => 500);
  assert.equal(await drain(ctx, failing), 1);
  clock.advance(1);
  await redeliver({ ctx, id: 1 });
  await redeliver({ ctx, id: 1 });
  assert.equal(await drain(ctx, failing), 1);
  const [waiting] = await deliveries(database);
  assert.deepEqual([waiting?.attempts, waiting?.next_attempt], [2, clock.now() + 30_000]);
  await redeliver({ ctx, id: 1 });
  const fixed = receiver();
  // The message that waited for it follows.
  assert.equal(await drain(ctx, fixed), 2);
  assert.deepEqual(fixed.bodies.map(({ event }) => event), ["created", "updated"]);
  const ids = [...failing.requests, fixed.requests[0]].map((one) => one?.headers["webhook-id"]);
  assert.equal(new Set(ids).size, 1);
  clock.advance(HOUR);
  assert.equal(await drain(ctx, fixed), 0);
});

Deno.test("a message that failed is not sent before an earlier, redelivered one about its object", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  await addWebhook(database);
  await commit(ctx, changeOf(1, "create"));
  await drain(ctx, receiver());
  await commit(ctx, changeOf(1));
  const failing = receiver(() => 500);
  await drain(ctx, failing);
  await redeliver({ ctx, id: 1 });
  assert.equal(await drain(ctx, failing), 1);
  assert.match((await refusal(redeliver({ ctx, id: 2 }))).message, /waits for an earlier one/);
  await redeliver({ ctx, id: 1 });
  const fixed = receiver();
  await drain(ctx, fixed);
  clock.advance(HOUR);
  await drain(ctx, fixed);
  assert.deepEqual(fixed.bodies.map(({ event }) => event), ["created", "updated"]);
});
