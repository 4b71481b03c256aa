/** Results of runs, and who may view them. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { compliance_checks } from "../../../src/db/schema/mod.ts";
import { bulkCheckCertificates, checkCertificate } from "../../../src/domain/compliance/mod.ts";
import { OBJECT_TYPES } from "../../../src/auth/mod.ts";
import { granted } from "../../support/actors.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { storeCertificates } from "./many.ts";
import { BULK, CERTIFICATE, CHECK, clear, makePolicies, TEN, viewerOf } from "./support.ts";

const { acmeWeb, acmeExpired, globexWeb } = seed.certificates;

interface StoredCheck {
  id: number;
  certificate_id: number;
  policy_id: number;
  result: string;
  checked_at: number;
  created: number;
  last_updated: number;
}

async function stored({ database }: TestApp): Promise<StoredCheck[]> {
  return await database.all<StoredCheck>(
    sql`SELECT * FROM ${compliance_checks} ORDER BY certificate_id, policy_id`,
  );
}

Deno.test("a run refreshes the result of each certificate and policy: the same row, a new time, the new result", async () => {
  await using app = await testApp();
  await clear(app);
  const [policy] = await makePolicies(app, [TEN[0] ?? {}]);
  const run = () => checkCertificate({ ctx: app.ctx, id: acmeExpired, input: {} });
  const first = await run();
  app.clock.advance(5_000);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET key_size = 4096 WHERE id = ${acmeExpired}`)
  );
  const second = await run();
  const [row, ...others] = await stored(app);
  assert.equal(others.length, 0);
  assert.deepEqual([first.checks[0]?.id, first.checks[0]?.result], [row?.id, "fail"]);
  assert.deepEqual([second.checks[0]?.id, second.checks[0]?.result], [row?.id, "pass"]);
  assert.deepEqual([row?.policy_id, row?.result], [policy, "pass"]);
  assert.equal((row?.checked_at ?? 0) - (row?.created ?? 0), 5_000);
});

Deno.test("two runs at the same time are two versions", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const read = async () => (await client(`${PATHS.checks}${seed.checks.failed}/`)).headers.get("etag");
  const tags = [await read()];
  for (let run = 0; run < 2; run++) {
    await client(certificate(acmeExpired, "compliance-check/"), { method: "POST" });
    tags.push(await read());
  }
  assert.equal(new Set(tags).size, 3, String(tags));
});

Deno.test("the results of the response are those that the resource shows", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const run = await client(certificate(acmeExpired, "compliance-check/"), { method: "POST" });
  const { checks: [given] } = await run.json();
  assert.deepEqual(given, await (await client(`${PATHS.checks}${given.id}/`)).json());
});

Deno.test("a run deletes results that are no longer in the scope of their policy, and no others", async () => {
  await using app = await testApp();
  await clear(app);
  const [scoped, other] = await makePolicies(app, [{ policy_type: "chain_required" }, {
    policy_type: "san_required",
  }]) as [number, number];
  const certificate_ids = [acmeWeb, globexWeb];
  const run = (policy_ids: number[]) =>
    bulkCheckCertificates({ ctx: app.ctx, input: { certificate_ids, policy_ids } });
  await run([scoped, other]);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE compliance_policies SET tenant_id = ${seed.tenants.acme} WHERE id = ${scoped}`)
  );
  const pairs = async () => (await stored(app)).map((row) => [row.certificate_id, row.policy_id]);
  await run([other]);
  assert.equal((await pairs()).length, 4);
  assert.equal((await run([scoped])).overall_passed + (await run([scoped])).overall_failed, 1);
  assert.deepEqual(await pairs(), [[acmeWeb, scoped], [acmeWeb, other], [globexWeb, other]]);
});

Deno.test("results are deleted with their certificate, without change records", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const [before] = await app.database.all<{ n: number }>(sql`SELECT count(*) AS n FROM object_changes`);
  assert.equal((await client(certificate(acmeExpired), { method: "DELETE" })).status, 204);
  const changes = await app.database.all<{ object_type: string }>(
    sql`SELECT object_type FROM object_changes ORDER BY id LIMIT -1 OFFSET ${before?.n}`,
  );
  assert.deepEqual(changes.map((one) => one.object_type), [CERTIFICATE]);
  assert.deepEqual((await stored(app)).map((row) => row.id), [seed.checks.passed]);
});

Deno.test("runs take as many statements for one certificate as for ten and for a hundred", async () => {
  await using app = await testApp();
  await clear(app);
  await makePolicies(app, TEN);
  const ids = await storeCertificates(app, 100);
  const cost = async (work: () => Promise<unknown>): Promise<number> => {
    const before = app.database.statements;
    await work();
    return app.database.statements - before;
  };
  const bulk = (count: number) => () =>
    bulkCheckCertificates({ ctx: app.ctx, input: { certificate_ids: ids.slice(0, count) } });
  for (const round of ["new", "refreshed"]) {
    const costs = [await cost(bulk(1)), await cost(bulk(10)), await cost(bulk(100))];
    assert.deepEqual(costs, [4, 4, 4], round);
  }
  const one = await cost(() => checkCertificate({ ctx: app.ctx, id: ids[0] as number, input: {} }));
  assert.equal(one, 4);
  assert.equal((await stored(app)).length, 1_000);
  const client = await app.as("superuser");
  const page = (limit: number) =>
    cost(async () => await (await client(`${PATHS.checks}?limit=${limit}`)).text());
  // Each is a first request, because a repeated one also reads the time of the next expiry.
  await page(1);
  assert.equal(await page(100), await page(2));
  const reported = async () =>
    await (await client("/api/plugins/certmgr/compliance-report/?limit=1000")).json();
  const whole = await cost(reported);
  await app.database.write((tx) =>
    tx.run(sql`DELETE FROM compliance_checks WHERE certificate_id > ${ids[0]}`)
  );
  assert.equal(await cost(reported), whole);
});

Deno.test("a bulk run checks each certificate as a single run does", async () => {
  await using app = await testApp();
  await clear(app);
  await makePolicies(app, TEN);
  const certificate_ids = Object.values(seed.certificates);
  const { reports } = await bulkCheckCertificates({ ctx: app.ctx, input: { certificate_ids } });
  const results = async () =>
    (await stored(app)).map(({ certificate_id, policy_id, result }) =>
      `${certificate_id} ${policy_id} ${result}`
    );
  const inBulk = await results();
  for (const [index, id] of certificate_ids.entries()) {
    const { checks: _, ...single } = await checkCertificate({ ctx: app.ctx, id, input: {} });
    assert.deepEqual(single, reports[index]);
  }
  assert.deepEqual(await results(), inBulk);
});

Deno.test("a run checks names, chains and days as they are stored", async () => {
  await using app = await testApp();
  await clear(app);
  await makePolicies(app, [
    { policy_type: "wildcard_forbidden" },
    { policy_type: "chain_required" },
    { policy_type: "expiry_warning" },
    { policy_type: "san_required", parameters: { min_count: 2 } },
  ]);
  const [plain] = await storeCertificates(app, 1, { sans: ["*.stored.example"], valid_to: "2026-07-16" });
  const results = async (id: number) =>
    (await checkCertificate({ ctx: app.ctx, id, input: {} })).checks.map((check) => check.result);
  assert.deepEqual(await results(plain as number), ["fail", "fail", "pass", "fail"]);
  assert.deepEqual(await results(acmeWeb), ["pass", "pass", "pass", "pass"]);
  app.clock.advance(86_400_000);
  assert.deepEqual(await results(plain as number), ["fail", "fail", "fail", "fail"]);
});

scenario("A run records no change and no event", {
  as: "superuser",
  post: BULK,
  body: { certificate_ids: [acmeWeb, acmeExpired] },
  status: 200,
  changes: [],
});

const SEEN = [seed.checks.passed, seed.checks.failed];
/** Moves the second seeded result to another tenant's certificate. */
async function moveFailureToGlobex({ database }: TestApp): Promise<void> {
  await database.write((tx) =>
    tx.run(sql`UPDATE compliance_checks SET certificate_id = ${globexWeb} WHERE id = ${seed.checks.failed}`)
  );
}
function listOf(expected: readonly number[]): (body: { count: number; results: { id: number }[] }) => void {
  return ({ count, results }) =>
    assert.deepEqual([count, results.map((row) => row.id)], [expected.length, expected]);
}

scenario(
  "compliance-checks/ shows the results of certificates that the caller may view, and counts no others",
  {
    as: viewerOf("acme"),
    get: PATHS.checks,
    before: moveFailureToGlobex,
    status: 200,
    excludes: ["globex"],
    json: listOf([seed.checks.passed]),
  },
);
scenario("compliance-checks/{id}/ of a hidden certificate answers the ordinary 404", {
  as: viewerOf("acme"),
  get: `${PATHS.checks}${seed.checks.failed}/`,
  before: moveFailureToGlobex,
  status: 404,
  equals: { detail: "Not found." },
});
scenario("compliance-checks/ is empty for callers who may view no certificates", {
  as: granted([{ types: [CHECK], actions: ["view"] }]),
  get: PATHS.checks,
  status: 200,
  json: listOf([]),
});
scenario(
  "compliance-checks/ applies constraints of its own permission as well, also across the relation to the certificate",
  {
    as: granted([
      { types: OBJECT_TYPES.filter((type) => type !== CHECK), actions: ["view"] },
      {
        types: [CHECK],
        actions: ["view"],
        constraints: [{ certificate__tenant__slug: "acme", result: "fail" }, { severity: "info" }],
      },
    ]),
    get: PATHS.checks,
    status: 200,
    json: listOf([seed.checks.failed]),
  },
);
scenario("compliance-checks/ names no policy that the caller may not view", {
  as: granted([{ types: [CHECK, CERTIFICATE], actions: ["view"] }]),
  get: PATHS.checks,
  status: 200,
  excludes: ["Long keys"],
  json: ({ results }) => assert.equal(results[0].policy, null),
});
for (
  const [query, expected] of [
    ["", SEEN],
    ["result=fail", [seed.checks.failed]],
    ["severity=critical", SEEN],
    ["severity=info", []],
    [`certificate_id=${acmeWeb}`, [seed.checks.passed]],
    ["policy_id=1", SEEN],
    ["policy_id=2", []],
    ["policy=Long keys", SEEN],
    ["policy_type=min_key_size", SEEN],
    ["policy_type=chain_required&policy_type=san_required", []],
    ["checked_at__gte=2026-06-15T12:00:00Z", SEEN],
    ["checked_at__lt=2026-06-15", []],
    ["certificate__tenant=acme&result=pass", [seed.checks.passed]],
    ["q=1024", [seed.checks.failed]],
  ] as const
) {
  scenario(`compliance-checks/?${query} finds ${expected.length}`, {
    as: "superuser",
    get: `${PATHS.checks}?${query}`,
    status: 200,
    json: listOf(expected),
  });
}
scenario("compliance-checks/ refuses an unknown policy type", {
  as: "superuser",
  get: `${PATHS.checks}?policy_type=key_size`,
  status: 400,
  contains: ["policy_type", "Select a valid choice"],
});
scenario("Counts of results are current, though runs store no change records", {
  as: "superuser",
  get: `${PATHS.checks}?result=fail&limit=1`,
  before: async (app) => {
    const client = await app.as(viewerOf("acme"));
    assert.equal((await (await client(`${PATHS.checks}?result=fail&limit=1`)).json()).count, 1);
    const superuser = granted([{ types: OBJECT_TYPES, actions: ["view"] }], { username: "other" });
    const all = await app.as(superuser);
    assert.equal((await (await all(`${PATHS.checks}?result=fail&limit=1`)).json()).count, 1);
    await clear(app);
    assert.equal((await (await all(`${PATHS.checks}?result=fail&limit=1`)).json()).count, 0);
  },
  status: 200,
  json: listOf([]),
});
