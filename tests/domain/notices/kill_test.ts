/** A service that is killed while it computes and sends notices: nothing is lost, and nothing is reported twice. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS, systemClock } from "../../../src/base/clock.ts";
import type { Database } from "../../../src/db/mod.ts";
import { openFileDatabase } from "../../../src/db/file_client.ts";
import { type RunningService, startService, testFolder } from "../../cli/process.ts";
import { mailServer } from "./mail_server.ts";

/** Half of them send e-mail, half of them to a webhook. */
const SUBSCRIPTIONS = 120;
const CERTIFICATES = 3;

/** Adds certificates that expire soon and daily subscriptions that are due, each with a separate recipient. */
async function prepare(database: Database, hook: string): Promise<void> {
  const now = systemClock.now();
  const [mail, webhook] = [
    sql`INSERT INTO notification_channels (id, name, kind, settings, created, last_updated)
      VALUES (1, 'Mail', 'email', '{}', 0, 0)`,
    sql`INSERT INTO notification_channels (id, name, kind, settings, created, last_updated)
      VALUES (2, 'Hook', 'webhook', ${JSON.stringify({ url: hook })}, 0, 0)`,
  ];
  await database.write((tx) =>
    tx.runAll([
      mail,
      webhook,
      sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${CERTIFICATES})
        INSERT INTO certificates (common_name, serial_number, issuer, valid_from, valid_to, status,
          fingerprint_sha256, algorithm, created, last_updated)
        SELECT 'c' || n || '.example', printf('%x', n), 'CN=Test', ${now - 85 * DAY_MS}, ${
        now + 5 * DAY_MS
      }, 'active', '', 'rsa', ${now}, ${now} FROM numbers`,
      sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${SUBSCRIPTIONS})
        INSERT INTO subscriptions (id, name, user_id, channel_id, recipients, events, thresholds, next_run, created,
          last_updated)
        SELECT n, 'Subscription ' || n, (SELECT min(id) FROM users), n % 2 + 1,
          CASE WHEN n % 2 = 0 THEN json_array('s' || n || '@acme.example') ELSE '[]' END,
          '["expiring"]', '["30d","7d"]', 0, ${now}, ${now} FROM numbers`,
    ])
  );
}

async function count(database: Database, query: ReturnType<typeof sql>): Promise<number> {
  const [row] = await database.all<{ n: number }>(query);
  return row?.n ?? 0;
}

const evaluated = sql`SELECT count(*) AS n FROM subscriptions WHERE next_run > 0`;
const pending = sql`SELECT count(*) AS n FROM notification_deliveries WHERE state = 'pending'`;

/** Ends leases, so that the next process does not have to wait for those of the killed one. */
async function endLeases(database: Database): Promise<void> {
  await database.write((tx) =>
    tx.runAll([
      sql`UPDATE leases SET until = 0`,
      sql`UPDATE notification_deliveries SET next_attempt = 0 WHERE state = 'pending'`,
    ])
  );
}

/** Returns a receiver that answers a number of messages, and calls `onKill` when another one arrives. */
function receiver(): { arrived(): Promise<void>; answer(count: number): void; onKill: () => void } {
  let left = 0;
  let kills = false;
  let gate = Promise.withResolvers<void>();
  const self = {
    onKill: (): void => {},
    answer(count: number): void {
      [left, kills] = [count, true];
      gate.resolve();
    },
    async arrived(): Promise<void> {
      if (left === 0 && kills) {
        kills = false;
        gate = Promise.withResolvers();
        self.onKill();
      }
      if (left === 0) return await gate.promise;
      left--;
    },
  };
  return self;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!await isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
}

Deno.test("after kill -9 while notices are computed and sent, each subscription gets each notice in one message", async () => {
  await using folder = await testFolder();
  let service: RunningService | undefined;
  const posts: string[] = [];
  const receivers = { mails: receiver(), posts: receiver() };
  for (const one of Object.values(receivers)) one.onKill = () => service?.signal("SIGKILL");
  await using mail = await mailServer({ onMessage: () => receivers.mails.arrived() });
  await using hook = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    await request.text();
    posts.push(request.headers.get("webhook-id") ?? "");
    await receivers.posts.arrived();
    return new Response();
  });
  const env = {
    CERTMGR_DATA_DIR: `${folder.path}/data`,
    CERTMGR_SMTP_URL: `smtp://127.0.0.1:${mail.settings.port}`,
    CERTMGR_MAIL_FROM: "certmgr@acme.example",
    CERTMGR_WEBHOOK_ALLOWED_HOSTS: "127.0.0.1",
    CERTMGR_LOG_LEVEL: "error",
  };
  const start = async (): Promise<RunningService> => service = await startService(env);
  await using first = await start();
  first.signal("SIGTERM");
  await first.ended();
  const database = await openFileDatabase({ path: `${env.CERTMGR_DATA_DIR}/certmgr.db` });
  try {
    await prepare(database, `http://127.0.0.1:${hook.addr.port}/`);
    await endLeases(database);

    // While notices are computed: some are stored, and the first messages are not answered.
    await using second = await start();
    await until(async () => await count(database, evaluated) > 0);
    second.signal("SIGKILL");
    await second.ended();

    // While they are sent, by HTTP and by mail: between the arrival of the tenth message and the answer.
    for (const kind of ["posts", "mails"] as const) {
      await endLeases(database);
      receivers[kind].answer(10);
      await using third = await start();
      await third.ended();
    }

    for (const one of Object.values(receivers)) one.answer(Infinity);
    await endLeases(database);
    await using last = await start();
    await until(async () =>
      await count(database, evaluated) === SUBSCRIPTIONS && await count(database, pending) === 0
    );
    last.signal("SIGTERM");
    await last.ended();

    const stored = await database.all<{ id: number; messageId: string; recipient: string; notices: number }>(
      sql`SELECT subscription_id AS id, message_id AS "messageId", recipient, notices
        FROM notification_deliveries WHERE state = 'delivered' ORDER BY subscription_id`,
    );
    // One message for each subscription, with each certificate once.
    assert.deepEqual(
      stored.map(({ id, notices }) => [id, notices]),
      Array.from({ length: SUBSCRIPTIONS }, (_, n) => [n + 1, CERTIFICATES]),
    );
    // Each arrived. If its response was lost, it was sent again with the same id, by which receivers recognize it.
    const byMail = stored.filter(({ recipient }) => recipient !== "");
    assert.deepEqual(
      new Set(mail.received.map(({ messageId, envelopeTo }) => `${messageId} ${envelopeTo}`)),
      new Set(byMail.map(({ messageId, recipient }) => `<${messageId}@acme.example> ${recipient}`)),
    );
    assert.deepEqual(
      new Set(posts),
      new Set(stored.filter(({ recipient }) => recipient === "").map(({ messageId }) => messageId)),
    );
    // Only messages in flight during a kill are repeated: at most the slots of one process each time.
    const repeated = mail.attempted.length + posts.length - SUBSCRIPTIONS;
    assert.ok(repeated >= 1 && repeated <= 3 * 8, `${repeated} repeated`);
  } finally {
    database.close();
  }
});
