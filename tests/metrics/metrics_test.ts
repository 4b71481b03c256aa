/** `GET /metrics` for Prometheus. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { METRICS_MEMORY_MS } from "../../src/domain/system/metrics/read_service_numbers.ts";
import { VERSION } from "../../src/base/version.ts";
import { JOBS, runDueJobs } from "../../src/domain/system/jobs/jobs.ts";
import { type Actor, type As, granted, stranger } from "../support/actors.ts";
import { type Client, type TestApp, testApp } from "../support/app.ts";
import { readExposition, type ReadFamily } from "../support/exposition.ts";
import { operations } from "../support/operations.ts";

const TYPE = "text/plain; version=0.0.4; charset=utf-8";
const VIEW = { types: ["certmgr.certificate"], actions: ["view"] };

async function scrape(client: Client): Promise<ReadFamily[]> {
  const response = await client("/metrics");
  assert.equal(response.status, 200);
  return readExposition(await response.text());
}

function samples(families: readonly ReadFamily[], name: string): ReadFamily["samples"] {
  return families.find((family) => family.name === name)?.samples ?? [];
}

/** Returns the values of a family by one of its labels. */
function byLabel(families: readonly ReadFamily[], name: string, label: string): Record<string, number> {
  return Object.fromEntries(samples(families, name).map(({ labels, value }) => [labels[label], value]));
}

function value(families: readonly ReadFamily[], name: string): number | undefined {
  return samples(families, name)[0]?.value;
}

async function count(app: TestApp, condition: string): Promise<number> {
  const [row] = await app.database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM certificates WHERE ${sql.raw(condition)}`,
  );
  return row?.n ?? -1;
}

Deno.test("a scrape is a valid document of its media type, which no cache stores", async () => {
  await using app = await testApp();
  const response = await (await app.as("superuser"))("/metrics");
  assert.deepEqual(
    [response.status, response.headers.get("content-type"), response.headers.get("cache-control")],
    [200, TYPE, "no-store"],
  );
  const families = readExposition(await response.text());
  assert.deepEqual(byLabel(families, "certmgr_build_info", "version"), { [VERSION]: 1 });
});

const READERS: readonly [title: string, actor: Actor | "superuser" | "nobody", status: number][] = [
  ["a superuser", "superuser", 200],
  ["a user who may view every certificate", granted([VIEW]), 200],
  ["the same with a read-only token", granted([VIEW], { readOnlyToken: true }), 200],
  [
    "a user who may view one tenant's certificates",
    granted([{ ...VIEW, constraints: { tenant__slug: "acme" } }]),
    403,
  ],
  ["a user who may change certificates but not view them", granted([{ ...VIEW, actions: ["change"] }]), 403],
  ["a user without permissions", stranger(), 403],
  ["an inactive user", granted([VIEW], { active: false }), 401],
  ["a caller without credentials", "nobody", 401],
];

for (const [title, actor, status] of READERS) {
  Deno.test(`${title} is answered ${status}`, async () => {
    await using app = await testApp();
    const response = await (await app.as(actor))("/metrics");
    const text = await response.text();
    assert.equal(response.status, status, text);
    assert.equal(text.includes("certmgr_"), status === 200);
    if (status === 401) assert.equal(response.headers.get("www-authenticate"), "Token");
  });
}

Deno.test("HEAD is GET without a body, and other methods are refused", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  assert.equal((await client("/metrics", { method: "HEAD" })).status, 200);
  const refused = await client("/metrics", { method: "POST", body: {} });
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD"]);
});

Deno.test("requests are counted by method, route and class of status, never by path", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const id of [1, 2, 999_999]) await client(`/api/plugins/certmgr/certificates/${id}/?fields=id`);
  await client("/api/plugins/certmgr/nothing/7/");
  await client("/secret-path/abc");
  await client("/sign-in/");
  await client("/api/status/", { method: "PROPFIND" });
  await client("/graphql/", { method: "POST", body: { query: "{ __typename }" } });
  const families = await scrape(client);
  const requests = samples(families, "certmgr_http_requests_total").map(({ labels, value }) =>
    `${labels.method} ${labels.route} ${labels.status} ${value}`
  );
  assert.deepEqual(requests.sort(), [
    "GET /api/* 4xx 1",
    "GET /api/plugins/certmgr/certificates/{id}/ 2xx 2",
    "GET /api/plugins/certmgr/certificates/{id}/ 4xx 1",
    "GET /sign-in/ 2xx 1",
    "GET other 4xx 1",
    "POST /graphql/ 2xx 1",
    "other /api/status/ 4xx 1",
  ]);
  const durations = samples(families, "certmgr_http_request_duration_seconds").filter(({ name, labels }) =>
    name.endsWith("_count") && labels.route === "/api/plugins/certmgr/certificates/{id}/"
  );
  assert.deepEqual(durations.map(({ value }) => value), [3]);
  assert.equal(value(families, "certmgr_http_requests_in_flight"), 1, "the scrape itself");
});

Deno.test("clients cannot create more series than the service has routes", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (let n = 0; n < 200; n++) {
    await client(`/api/plugins/certmgr/x${n}/`);
    await client(`/y${n}`);
    await client(`/api/plugins/certmgr/certificates/${n}/`, { method: `M${n}` });
    await client(`/graphql/viewer/${n}`);
  }
  const known = new Set([...operations.map(({ path }) => path), "/api/*", "/graphql/*", "/metrics", "other"]);
  const series = samples(await scrape(client), "certmgr_http_requests_total");
  assert.deepEqual(series.filter(({ labels }) => !known.has(labels.route as string)), []);
  assert.ok(series.length < 10, `There are ${series.length} series`);
});

Deno.test("certificates are counted by status, and those in use once by expiry", async () => {
  await using app = await testApp();
  const families = await scrape(await app.as("superuser"));
  for (const [status, n] of Object.entries(byLabel(families, "certmgr_certificates", "status"))) {
    assert.equal(n, await count(app, `status = '${status}'`), status);
  }
  const [now, today] = [app.clock.now(), Math.floor(app.clock.now() / 86_400_000)];
  const expected: Record<string, number> = {};
  const rows = await app.database.all<{ valid_to: number }>(
    sql`SELECT valid_to FROM certificates WHERE status NOT IN ('replaced', 'revoked')`,
  );
  for (const { valid_to } of rows) {
    const days = Math.floor(valid_to / 86_400_000) - today;
    const bound = [7, 14, 30, 90].find((limit) => days <= limit);
    const bucket = valid_to < now ? "expired" : bound === undefined ? "later" : `within_${bound}d`;
    expected[bucket] = (expected[bucket] ?? 0) + 1;
  }
  const found = byLabel(families, "certmgr_certificates_by_expiry", "bucket");
  assert.deepEqual(Object.keys(found), [
    "expired",
    "within_7d",
    "within_14d",
    "within_30d",
    "within_90d",
    "later",
  ]);
  assert.deepEqual(Object.fromEntries(Object.entries(found).filter(([, n]) => n > 0)), expected);
  assert.ok(Object.keys(expected).length > 2, "The seed has several buckets");
});

Deno.test("the outbox reports how many events wait, and for how long", async () => {
  await using app = await testApp();
  const { database, clock } = app;
  await database.write(async (tx) => {
    await tx.run(
      sql`INSERT INTO outbox (change_id, object_type, object_id, event, created)
        SELECT id, object_type, object_id, 'created', ${clock.now() - 90_000} FROM object_changes LIMIT 2`,
    );
  });
  const families = await scrape(await app.as("superuser"));
  assert.equal(value(families, "certmgr_outbox_events"), 2);
  assert.equal(value(families, "certmgr_outbox_oldest_seconds"), 90);
});

Deno.test("the age of an empty outbox is 0", async () => {
  await using app = await testApp();
  await app.database.write((tx) => tx.run(sql`UPDATE outbox SET state = 'done'`));
  const families = await scrape(await app.as("superuser"));
  assert.equal(value(families, "certmgr_outbox_events"), 0);
  assert.equal(value(families, "certmgr_outbox_oldest_seconds"), 0);
  assert.equal(value(families, "certmgr_webhook_overdue_seconds"), 0);
});

Deno.test("deliveries are counted by state, every state is present, and the age of the oldest due one is reported", async () => {
  await using app = await testApp();
  const { database, clock } = app;
  await database.write(async (tx) => {
    await tx.run(sql`DELETE FROM webhook_deliveries`);
    await tx.run(
      sql`INSERT INTO webhooks (id, name, payload_url, created, last_updated) VALUES (900, 'm', 'https://x.example', 0, 0)`,
    );
    for (const [id, due] of [[1, clock.now() - 30_000], [2, clock.now() + 5_000], [3, null]]) {
      await tx.run(
        sql`INSERT INTO webhook_deliveries (webhook_id, event_id, object_type, object_id, event, state, next_attempt,
            created, last_updated)
          VALUES (900, ${`e${id}`}, 'x', 1, 'created', ${due === null ? "dead" : "pending"}, ${due}, 0, 0)`,
      );
    }
  });
  const families = await scrape(await app.as("superuser"));
  assert.deepEqual(byLabel(families, "certmgr_webhook_deliveries", "state"), {
    pending: 2,
    delivered: 0,
    dead: 1,
  });
  assert.equal(value(families, "certmgr_webhook_overdue_seconds"), 30);
  await database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 0`));
  clock.advance(METRICS_MEMORY_MS);
  const later = await scrape(await app.as("superuser"));
  assert.equal(
    value(later, "certmgr_webhook_overdue_seconds"),
    0,
    "Nothing is due for one that is switched off",
  );
});

Deno.test("jobs report when they last started", async () => {
  await using app = await testApp();
  const ran = app.clock.now();
  await runDueJobs(() => app.ctx, { owner: "a test" });
  app.clock.advance(600_000);
  const families = await scrape(await app.as("superuser"));
  assert.deepEqual(
    byLabel(families, "certmgr_job_last_run_timestamp_seconds", "job"),
    Object.fromEntries(JOBS.map(({ name }) => [name, ran / 1000])),
  );
});

Deno.test("a sweep that a user starts counts as a run of the job, if it may change every certificate", async () => {
  await using app = await testApp();
  const last = async (): Promise<number | undefined> => {
    app.clock.advance(METRICS_MEMORY_MS);
    const families = await scrape(await app.as("superuser"));
    return byLabel(families, "certmgr_job_last_run_timestamp_seconds", "job")["expiry-sweep"];
  };
  const sweep = async (as: As): Promise<void> => {
    const response = await (await app.as(as))("/api/plugins/certmgr/certificates/expiry-sweep/", {
      method: "POST",
      body: {},
    });
    assert.equal(response.status, 200, await response.text());
  };
  await sweep(granted([{
    types: ["certmgr.certificate"],
    actions: ["view", "change", "bulk_operations"],
    constraints: { tenant__slug: "acme" },
  }]));
  assert.equal(await last(), undefined);
  const ran = app.clock.now();
  await sweep("superuser");
  assert.equal(await last(), ran / 1000);
});

Deno.test("frequent scrapes read the database once, and show new values after a while", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const active = async (): Promise<number | undefined> =>
    byLabel(await scrape(client), "certmgr_certificates", "status").active;
  const before = await active();
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET status = 'revoked' WHERE status = 'active'`)
  );
  const statements = app.database.statements;
  assert.equal(await active(), before);
  assert.equal(app.database.statements, statements);
  app.clock.advance(METRICS_MEMORY_MS);
  assert.equal(await active(), 0);
  // Values that were cached before the clock was set back are not used.
  app.clock.advance(-2 * METRICS_MEMORY_MS);
  await app.database.write((tx) => tx.run(sql`UPDATE certificates SET status = 'active'`));
  assert.notEqual(await active(), 0);
});

Deno.test("the statements of a scrape do not depend on the amount of data", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const cost = async (): Promise<number> => {
    app.clock.advance(METRICS_MEMORY_MS);
    const before = app.database.statements;
    await scrape(client);
    return app.database.statements - before;
  };
  await scrape(client);
  const few = await cost();
  await app.database.write((tx) =>
    tx.run(sql`INSERT INTO outbox (change_id, object_type, object_id, event, created)
      SELECT id, object_type, object_id, 'created', time FROM object_changes`)
  );
  // Five statements for the numbers, and one for the account.
  assert.deepEqual([few, await cost()], [10, 10]);
});

Deno.test("memory and start time of the process are reported if the entry point provides them", async () => {
  await using app = await testApp({
    processNumbers: () => ({ residentBytes: 7, heapBytes: 5, startedAt: 3_000, logLinesDropped: 4 }),
  });
  const families = await scrape(await app.as("superuser"));
  assert.equal(value(families, "process_resident_memory_bytes"), 7);
  assert.equal(value(families, "process_heap_bytes"), 5);
  assert.equal(value(families, "process_start_time_seconds"), 3);
  assert.equal(value(families, "certmgr_log_lines_dropped_total"), 4);
});

Deno.test("the log names the route of each request", async () => {
  await using app = await testApp();
  await (await app.as("superuser"))("/api/extras/tags/1/");
  assert.equal(app.log.find(({ event }) => event === "request")?.route, "/api/extras/tags/{id}/");
});

Deno.test("what authorities say, how late checks are, and failing lists are shown from indexes alone", async () => {
  await using app = await testApp();
  const now = app.clock.now();
  await app.database.write((tx) =>
    tx.runAll([
      sql`UPDATE certificates SET revocation_due = NULL, renewal_info_due = NULL`,
      sql`UPDATE certificates SET revocation_status = 'unavailable', revocation_due = ${now - 90_000},
        renewal_info_due = ${now - 30_000}, revocation_unanswered = ${now - 600_000} WHERE id = 1`,
      sql`UPDATE certificates SET revocation_status = 'revoked', revocation_due = 0 WHERE id IN (2, 3)`,
      sql`INSERT INTO revocation_lists (source_url, fetched_at, refresh_at, failures, created, last_updated)
        VALUES ('http://a.example/', 0, 0, 2, 0, 0), ('http://b.example/', 0, 0, 0, 0, 0)`,
    ])
  );
  const families = await scrape(await app.as("superuser"));
  assert.deepEqual(byLabel(families, "certmgr_certificates_by_revocation", "status"), {
    revoked: 2,
    unknown: 0,
    unavailable: 1,
  });
  const numbers = ["revocation_late_seconds", "renewal_info_late_seconds", "revocation_unanswered_seconds"]
    .concat("revocation_lists_failing").map((name) => value(families, `certmgr_${name}`));
  assert.deepEqual(numbers, [90, 30, 600, 1]);
});
