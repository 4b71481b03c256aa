import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { DAY_MS, formatDatetime } from "../../../../src/base/clock.ts";
import {
  evaluateThresholds,
  NOTICE_BATCH,
} from "../../../../src/domain/certificates/expiry_notices/select_due.ts";
import {
  announceExpiries,
  NOTICE_WRITE_BATCH,
} from "../../../../src/domain/certificates/expiry_notices/announce.ts";
import type { Database } from "../../../../src/db/mod.ts";
import { dispatchEvents } from "../../../../src/domain/webhooks/sending/dispatch.ts";
import { certificates } from "../../../../src/domain/certificates/mod.ts";
import { JOBS, runDueJobs } from "../../../../src/domain/system/jobs/jobs.ts";
import { tenants } from "../../../../src/domain/inventory/mod.ts";
import { webhooks } from "../../../../src/domain/webhooks/mod.ts";
import { createObject, updateObject } from "../../../../src/resource/mod.ts";
import { NOW, type TestClock, testClock, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { selectEveryEvent } from "../../../support/store.ts";
import { metadata } from "../../../support/stored.ts";
import { changeLog } from "../../../support/change_log.ts";

let serials = 0;

/** Stores a certificate with a lifetime of 100 days, which expires after this number of days. */
async function store(ctx: Context, days: number, rest: Record<string, unknown> = {}): Promise<number> {
  const end = ctx.clock.now() + days * DAY_MS;
  const object = await createObject({
    ctx,
    resource: certificates,
    input: metadata(++serials, {
      valid_from: formatDatetime(end - 100 * DAY_MS),
      valid_to: formatDatetime(end),
      ...rest,
    }),
  });
  return object.id as number;
}

async function change(ctx: Context, id: number, input: Record<string, unknown>): Promise<void> {
  await updateObject({ ctx, resource: certificates, id, input, mode: "patch" });
}

/** Returns the notices in the outbox as `"<certificate> <threshold>"`, in order. */
async function events(database: Database): Promise<string[]> {
  const rows = await database.all<{ object_id: number; threshold: string }>(
    sql`SELECT object_id, details ->> 'threshold' AS threshold FROM outbox WHERE event = 'certificate_expiring'
      ORDER BY id`,
  );
  return rows.map((row) => `${row.object_id} ${row.threshold}`);
}

async function scene(
  database: Database,
  thresholds?: readonly string[],
): Promise<{ ctx: Context; clock: TestClock }> {
  await selectEveryEvent(database);
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const settings = thresholds === undefined ? ctx.settings : { ...ctx.settings, expiryNotices: thresholds };
  return { ctx: { ...ctx, settings }, clock };
}

Deno.test("a certificate is announced once for each threshold, as its days go by", async () => {
  await using database = await testDatabase();
  const { ctx, clock } = await scene(database);
  const id = await store(ctx, 40);
  const received: Record<string, string[]> = {};
  for (let hour = 0; hour < 42 * 24; hour += 12) {
    const before = (await events(database)).length;
    await announceExpiries({ ctx });
    for (const event of (await events(database)).slice(before)) {
      (received[event] ??= []).push(formatDatetime(clock.now()));
    }
    clock.advance(12 * 3_600_000);
  }
  assert.deepEqual(received, {
    [`${id} 30d`]: ["2026-11-30T09:22:19Z"],
    [`${id} 14d`]: ["2026-12-16T09:22:19Z"],
    [`${id} 7d`]: ["2026-12-23T09:22:19Z"],
    [`${id} 1d`]: ["2026-12-29T09:22:19Z"],
  });
});

Deno.test("the first start announces the nearest threshold only, and says how many were skipped", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const [near, far] = [await store(ctx, 5), await store(ctx, 20)];
  assert.deepEqual(await announceExpiries({ ctx }), { announced: 2, skipped: 2 });
  assert.deepEqual(await events(database), [`${near} 7d`, `${far} 30d`]);
  assert.deepEqual(await announceExpiries({ ctx }), { announced: 0, skipped: 0 });
});

Deno.test("an event holds the certificate as its change record does, and its threshold", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const id = await store(ctx, 5, { common_name: "received.example" });
  await announceExpiries({ ctx });
  const [row] = await database.all<Record<string, string | number | null>>(
    sql`SELECT * FROM outbox WHERE event = 'certificate_expiring'`,
  );
  const { snapshot, details, ...rest } = row ?? {};
  assert.deepEqual(rest, {
    id: 2,
    change_id: null,
    first_change_id: null,
    object_type: "certmgr.certificate",
    object_id: id,
    event: "certificate_expiring",
    created: NOW,
    state: "pending",
  });
  const [created] = await changeLog(database);
  assert.deepEqual(JSON.parse(String(snapshot)), JSON.parse(String(created?.postchange)));
  assert.deepEqual(JSON.parse(String(details)), { threshold: "7d" });
  assert.equal((await database.all(sql`SELECT 1 FROM object_changes`)).length, 1, "It is no change");
});

Deno.test("webhooks that select the event are sent it, and no others", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const make = async (name: string, expected: Record<string, unknown>): Promise<number> => {
    const input = {
      name,
      object_types: [certificates.objectType],
      payload_url: "https://hook.example/",
      ...expected,
    };
    return (await createObject({ ctx, resource: webhooks, input })).id as number;
  };
  await make("changes", { events: ["created", "updated", "deleted"] });
  await make("others", { events: ["certificate_expiring"], conditions: { expiry_notices__empty: false } });
  const id = await store(ctx, 5, { common_name: "received.example" });
  await database.write((tx) => tx.run(sql`DELETE FROM webhooks WHERE id < 0`));
  await database.write((tx) => tx.run(sql`UPDATE outbox SET state = 'done'`));
  const expected = await make("notices", {
    events: ["certificate_expiring"],
    conditions: { common_name__ic: "received", expiry_notices__empty: true },
  });
  await announceExpiries({ ctx });
  await dispatchEvents(ctx);
  const rows = await database.all<{ webhook_id: number; event: string; body: string }>(
    sql`SELECT webhook_id, event, body FROM webhook_deliveries`,
  );
  assert.deepEqual(rows.map(({ webhook_id, event }) => [webhook_id, event]), [[
    expected,
    "certificate_expiring",
  ]]);
  const { event, model, username, data } = JSON.parse(rows[0]?.body ?? "");
  assert.deepEqual([event, model, username], ["certificate_expiring", "certificate", "system"]);
  assert.deepEqual(data, {
    id,
    common_name: "received.example",
    status: "active",
    valid_to: formatDatetime(NOW + 5 * DAY_MS),
    days_remaining: 5,
    threshold: "7d",
  });
});

for (
  const [what, rest] of [
    ["that is replaced", { status: "replaced" }],
    ["that is revoked", { status: "revoked" }],
    ["with the status expired", { status: "expired" }],
  ] as const
) {
  Deno.test(`a certificate ${what} is not announced`, async () => {
    await using database = await testDatabase();
    const { ctx } = await scene(database);
    await store(ctx, 5, rest);
    await announceExpiries({ ctx });
    assert.deepEqual(await events(database), []);
  });
}

Deno.test("a certificate that has a successor is not announced, whatever its status", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const successor = await store(ctx, 80);
  const id = await store(ctx, 5, { replaced_by: successor });
  await change(ctx, id, { status: "active" });
  await announceExpiries({ ctx });
  assert.deepEqual(await events(database), []);
});

Deno.test("an expired certificate is not announced, and one that expires this second is", async () => {
  await using database = await testDatabase();
  const { ctx, clock } = await scene(database);
  const id = await store(ctx, 0);
  await store(ctx, -1 / DAY_MS * 1000);
  clock.advance(999);
  await announceExpiries({ ctx });
  assert.deepEqual(await events(database), [`${id} 1d`]);
});

Deno.test("a change of the validity starts the announcements again", async () => {
  await using database = await testDatabase();
  const { ctx, clock } = await scene(database);
  const id = await store(ctx, 5);
  await announceExpiries({ ctx });
  await change(ctx, id, { valid_to: formatDatetime(NOW + 60 * DAY_MS) });
  await announceExpiries({ ctx });
  assert.deepEqual(await events(database), [`${id} 7d`]);
  clock.advance(55 * DAY_MS);
  await announceExpiries({ ctx });
  assert.deepEqual(await events(database), [`${id} 7d`, `${id} 7d`]);
});

Deno.test("a certificate's own thresholds apply, else its tenant's, else the service's", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database, ["30d"]);
  const tenant = async (name: string, list: string[] | null): Promise<number> => {
    const input = { name, slug: name, expiry_notices: list };
    return (await createObject({ ctx, resource: tenants, input })).id as number;
  };
  const [weeks, never, plain] = [
    await tenant("weeks", ["21d"]),
    await tenant("never", []),
    await tenant("plain", null),
  ];
  const ids = [
    await store(ctx, 15),
    await store(ctx, 16, { tenant: plain }),
    await store(ctx, 17, { tenant: weeks }),
    await store(ctx, 18, { tenant: never }),
    await store(ctx, 19, { tenant: never, expiry_notices: ["25%"] }),
    await store(ctx, 20, { tenant: weeks, expiry_notices: [] }),
    await store(ctx, 45, { expiry_notices: ["45d"] }),
  ];
  await announceExpiries({ ctx });
  assert.deepEqual(await events(database), [
    `${ids[0]} 30d`,
    `${ids[1]} 30d`,
    `${ids[2]} 21d`,
    `${ids[4]} 25%`,
    `${ids[6]} 45d`,
  ]);
});

Deno.test("without any thresholds nothing is announced", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database, []);
  await store(ctx, 0);
  assert.deepEqual(await announceExpiries({ ctx }), { announced: 0, skipped: 0 });
});

Deno.test("several nodes that announce at the same time announce once", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const ids = [await store(ctx, 5), await store(ctx, 6), await store(ctx, 20)];
  await Promise.all([1, 2, 3].map(() => announceExpiries({ ctx })));
  assert.deepEqual(await events(database), [`${ids[0]} 7d`, `${ids[1]} 7d`, `${ids[2]} 30d`]);
});

Deno.test("a run that fails before its end announces nothing twice when it is repeated", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const id = await store(ctx, 5);
  await database.write((tx) => tx.run(sql`ALTER TABLE outbox RENAME TO lost`));
  await assert.rejects(announceExpiries({ ctx }));
  await database.write((tx) => tx.run(sql`ALTER TABLE lost RENAME TO outbox`));
  await announceExpiries({ ctx });
  assert.deepEqual(await events(database), [`${id} 7d`]);
});

Deno.test("a run that is aborted ends at once, and the next one continues", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  await store(ctx, 5);
  assert.deepEqual(await announceExpiries({ ctx, signal: AbortSignal.abort() }), {
    announced: 0,
    skipped: 0,
  });
  assert.deepEqual(await announceExpiries({ ctx }), { announced: 1, skipped: 2 });
});

Deno.test("the hourly job announces certificates", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const id = await store(ctx, 5);
  const jobs = JOBS.filter((job) => job.name === "expiry-notices");
  await runDueJobs(() => ctx, { jobs, owner: "one" });
  await runDueJobs(() => ctx, { jobs, owner: "two" });
  assert.deepEqual(await events(database), [`${id} 7d`]);
});

/** Stores many certificates in one statement; `days` is an SQL expression of `each`, the number of a certificate. */
async function storeMany(database: Database, count: number, days: string): Promise<void> {
  await database.write((tx) =>
    tx.run(
      sql`WITH RECURSIVE n (each) AS (SELECT 1 UNION ALL SELECT each + 1 FROM n WHERE each < ${count})
      INSERT INTO certificates (common_name, serial_number, issuer, valid_from, valid_to,
        fingerprint_sha256, algorithm, created, last_updated)
      SELECT 'many', each, 'many', ${NOW - 100 * DAY_MS}, ${NOW} + (${
        sql.raw(days)
      }) * ${DAY_MS}, each, 'rsa', 0, 0 FROM n`,
    )
  );
}

Deno.test("each of many certificates is announced, in batches, also those with the same expiry", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const count = 2 * NOTICE_BATCH + 7;
  await storeMany(database, count, "CASE WHEN each % 3 = 0 THEN 5 ELSE each % 29 END");
  const run = await announceExpiries({ ctx });
  assert.equal(run.announced, count);
  assert.equal(new Set(await events(database)).size, count);
});

Deno.test("requests run after each transaction", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const parts = 4;
  await storeMany(database, parts * NOTICE_WRITE_BATCH, "5");
  const counts: number[] = [];
  const count = async (): Promise<void> => {
    counts.push((await events(database)).length);
    if (counts.at(-1) !== parts * NOTICE_WRITE_BATCH) setTimeout(count, 0);
    else done();
  };
  const { promise, resolve: done } = Promise.withResolvers<void>();
  setTimeout(count, 0);
  await Promise.all([announceExpiries({ ctx }), promise]);
  const seen = new Set(counts);
  for (let part = 1; part <= parts; part++) assert.ok(seen.has(part * NOTICE_WRITE_BATCH), `${[...seen]}`);
});

Deno.test("certificates that are not due cost two statements per batch, due ones a few more", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const cost = async (): Promise<number> => {
    const before = database.statements;
    await announceExpiries({ ctx });
    return database.statements - before;
  };
  await storeMany(database, 3_000, "31 + each % 50");
  assert.equal(await cost(), 3, "Beyond the lastRelevantExpiry nothing is looked at");
  await database.write((tx) =>
    tx.run(sql`UPDATE certificates SET valid_to = ${NOW + 5 * DAY_MS} WHERE id <= 40`)
  );
  const [first, second] = [await cost(), await cost()];
  assert(first <= 3 + 6, `${first} statements`);
  assert.equal(second, 3);
  await database.write((tx) =>
    tx.run(sql`UPDATE certificates SET valid_to = ${NOW + 4 * DAY_MS} WHERE id <= 80`)
  );
  assert.equal(await cost(), first, "Twice as many");
});

Deno.test("SQL selects exactly the certificates that are due by their thresholds", async () => {
  await using database = await testDatabase();
  const random = randomNumbers(7);
  const amounts = ["0d", "1d", "7d", "30d", "400d", "1%", "33%", "50%", "99%"];
  const { ctx } = await scene(database);
  const expected: string[] = [];
  for (let number = 0; number < 150; number++) {
    const lifetime = 1 + random() % (400 * DAY_MS);
    const validTo = NOW + 1000 * (random() % (60 * 86_400));
    const validFrom = validTo - lifetime;
    const thresholds = amounts.filter(() => random() % 3 === 0);
    const id = await store(ctx, 0, {
      valid_from: formatDatetime(validFrom),
      valid_to: formatDatetime(validTo),
      expiry_notices: thresholds,
    });
    const { announced } = evaluateThresholds({ validFrom, validTo, thresholds, passed: [] }, NOW);
    if (announced !== undefined) expected.push(`${id} ${announced}`);
  }
  await announceExpiries({ ctx });
  assert(expected.length > 50 && expected.length < 150, `${expected.length} are due`);
  assert.deepEqual((await events(database)).sort(), expected.sort());
  assert.deepEqual(await announceExpiries({ ctx }), { announced: 0, skipped: 0 });
});

/** Returns a generator of pseudo-random numbers that are the same each time. */
function randomNumbers(seed: number): () => number {
  return () => seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
}
