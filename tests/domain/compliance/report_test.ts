/** The report: numbers, restrictions, parameters, its table, and the trend. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { contextOf } from "../../support/context.ts";
import { DAY_MS } from "../../../src/base/clock.ts";
import { bulkCheckCertificates, storeDailyScore } from "../../../src/domain/compliance/mod.ts";
import { MAX_FILTER_VALUES } from "../../../src/filters/mod.ts";
import { seedUser } from "../../support/accounts.ts";
import { auditor, granted, stranger } from "../../support/actors.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { refusal } from "../../support/refusals.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { storeCertificates } from "./many.ts";
import { CERTIFICATE, CHECK, clear, makePolicies, POLICY, REPORT, viewerOf } from "./support.ts";

/**
 * Runs four policies on all certificates: key sizes (critical), days to expiry (warning), names (info), and one that is
 * disabled after its run.
 */
async function runAll(app: TestApp): Promise<void> {
  await clear(app);
  const ids = await makePolicies(app, [
    { name: "Keys", policy_type: "min_key_size", severity: "critical" },
    { name: "Days", policy_type: "expiry_warning" },
    { name: "Names", policy_type: "san_required", severity: "info", tenant: { slug: "acme" } },
    { name: "Off", policy_type: "chain_required" },
  ]);
  const certificate_ids = Object.values(seed.certificates);
  await bulkCheckCertificates({ ctx: app.ctx, input: { certificate_ids } });
  await app.database.write((tx) =>
    tx.run(sql`UPDATE compliance_policies SET enabled = 0 WHERE id = ${ids[3]}`)
  );
}

function report(title: string, query: string, expected: Partial<Scenario>): void {
  scenario(`compliance-report/ ${title}`, {
    as: "superuser",
    get: `${REPORT}?status=any&${query}`,
    before: runAll,
    status: 200,
    ...expected,
  });
}

type Sum = { total_checks: number; passed: number; failed: number; compliance_score: number };

/** Returns `[name, passed, failed]` of each part; null if it has no name. */
function parts(list: readonly (Sum & Record<string, unknown>)[]): unknown[] {
  return list.map(({ passed, failed, severity, policy, tenant, certificate }) => {
    const named = (policy ?? tenant ?? certificate) as Record<string, unknown> | null | undefined;
    return [severity ?? named?.id ?? null, passed, failed];
  });
}

/** Returns `[name, passed, failed]` of each owner. */
function ownerParts(list: readonly (Sum & { owner: { name: string } | null })[]): unknown[] {
  return list.map(({ owner, passed, failed }) => [owner?.name ?? null, passed, failed]);
}

report("counts by severity, policy, tenant and owner, lists the worst; disabled policies do not count", "", {
  json: (body) => {
    const { by_severity, by_policy, by_tenant, by_owner, failing_certificates, ...rest } = body;
    assert.deepEqual(rest, {
      generated_at: "2026-06-15T12:00:00Z",
      total_checks: 29,
      passed: 19,
      failed: 10,
      compliance_score: 65.5,
      certificates_checked: 12,
      certificates_failing: 7,
      trend: [],
    });
    assert.deepEqual(parts(by_severity), [["critical", 10, 2], ["warning", 7, 5], ["info", 2, 3]]);
    assert.deepEqual(by_severity[1].compliance_score, 58.3);
    assert.deepEqual(by_policy.map((one: { policy: { name: string } }) => one.policy.name), [
      "Days",
      "Names",
      "Keys",
    ]);
    assert.deepEqual(by_policy[0].policy.policy_type, "expiry_warning");
    assert.deepEqual(parts(by_tenant), [
      [seed.tenants.acme, 8, 7],
      [seed.tenants.globex, 6, 2],
      [null, 5, 1],
    ]);
    assert.deepEqual(ownerParts(by_owner), [["Network team", 7, 7], [null, 9, 3], ["Web team", 3, 0]]);
    assert.equal(failing_certificates.count, 7);
    assert.deepEqual(parts(failing_certificates.results), [
      [3, 0, 3],
      [10, 1, 1],
      [4, 1, 2],
      [2, 2, 1],
      [7, 1, 1],
      [8, 1, 1],
      [5, 2, 1],
    ]);
    const { critical, warning, info, certificate } = failing_certificates.results[0];
    assert.deepEqual([critical, warning, info, certificate.common_name], [1, 1, 1, "old.acme.example"]);
  },
});
report("counts a disabled policy when it is named", "policy=Off", {
  json: (body) => assert.equal(body.total_checks, 12),
});
report("of no results scores 100", "severity=info&tenant_id=2", {
  json: (body) => {
    assert.deepEqual([body.total_checks, body.compliance_score], [0, 100]);
    assert.deepEqual([body.by_policy, body.by_tenant, body.by_owner, body.failing_certificates], [
      [],
      [],
      [],
      {
        count: 0,
        results: [],
      },
    ]);
    assert.deepEqual(parts(body.by_severity), [["critical", 0, 0], ["warning", 0, 0], ["info", 0, 0]]);
  },
});
for (
  const [query, total, failed, certificates] of [
    ["severity=critical", 12, 2, [3, 10]],
    ["severity=critical&severity=info", 17, 5, [3, 10]],
    ["tenant_id=1", 15, 7, [3, 4, 2, 5]],
    ["tenant_id=null", 6, 1, [10]],
    ["tenant_id=1&severity=warning", 5, 3, [2, 3, 4]],
    ["policy_type=min_key_size", 12, 2, [3, 10]],
    ["certificate_id=3", 3, 3, [3]],
    ["result=fail", 10, 10, [3, 10]],
    ["limit=2", 29, 10, [3, 10]],
    ["limit=2&offset=5", 29, 10, [8, 5]],
    ["offset=50", 29, 10, []],
  ] as const
) {
  report(`with ${query}`, query, {
    json: (body) => {
      assert.deepEqual([body.total_checks, body.failed], [total, failed]);
      const ids = parts(body.failing_certificates.results).map((row) => (row as unknown[])[0]);
      assert.deepEqual(ids.slice(0, certificates.length || 1), certificates);
    },
  });
}
report("names all invalid parameters at once", "tenant_id=x&severity=bad&limit=-1&format=xml&nonsense=1", {
  status: 400,
  json: (errors) =>
    assert.deepEqual(Object.keys(errors).sort(), ["format", "limit", "nonsense", "severity", "tenant_id"]),
});
report("has no ordering and no cursor", "ordering=id", {
  status: 400,
  json: (errors) => assert.deepEqual(Object.keys(errors), ["ordering"]),
});
report("is exported as one table", "format=csv&tenant_id=1&limit=2", {
  type: "text/csv; charset=utf-8",
  answers: { "content-disposition": /^attachment; filename="compliance-report\.csv"/ },
  contains: [
    "section,id,name,total_checks,passed,failed,compliance_score,valid_to,tenant,owner,failed_policies\r\n" +
    "overall,,,15,8,7,53.3,,,,\r\n" +
    "severity,,critical,5,4,1,80,,,,\r\nseverity,,warning,5,2,3,40,,,,\r\nseverity,,info,5,2,3,40,,,,\r\n",
    "tenant,1,Acme Corp,15,8,7,53.3,,,,\r\n" +
    "owner,2,Network team,12,5,7,41.7,,,,\r\nowner,1,Web team,3,3,0,100,,,,\r\n" +
    "certificate,3,old.acme.example,3,0,3,0,2026-06-14T23:59:59Z,Acme Corp,Network team,Days; Keys; Names\r\n" +
    "certificate,4,shop.acme.example,3,1,2,33.3,2026-07-15T00:00:00Z,Acme Corp,Network team,Days; Names\r\n",
  ],
});

report("shows everything to the audit role", "", {
  as: auditor(),
  json: (body) => assert.deepEqual([body.total_checks, body.trend], [29, []]),
});
report("counts only certificates that the caller may view", "", {
  as: viewerOf("acme"),
  excludes: ["globex", "shared.example"],
  json: (body) => {
    assert.deepEqual([body.total_checks, body.failed, body.certificates_checked], [15, 7, 5]);
    assert.deepEqual(parts(body.by_tenant), [[seed.tenants.acme, 8, 7]]);
    assert.equal(body.trend, null);
  },
});
report("names no policy and no tenant that the caller may not view", "", {
  as: granted([{ types: [CHECK, CERTIFICATE], actions: ["view"] }]),
  excludes: ["Keys", "Acme Corp"],
  json: (body) => {
    assert.deepEqual(parts(body.by_policy), [[null, 19, 10]]);
    assert.deepEqual(parts(body.by_tenant), [[null, 19, 10]]);
    assert.deepEqual(ownerParts(body.by_owner), [[null, 19, 10]]);
  },
});
report("finds nothing by a tenant that the caller may not view", "tenant_id=1", {
  as: granted([{ types: [CHECK, CERTIFICATE], actions: ["view"] }]),
  json: (body) => assert.equal(body.total_checks, 0),
});
for (
  const [who, as] of [
    ["a user without permissions", stranger()],
    [
      "a user who may do everything except view results",
      granted([
        { types: [CERTIFICATE, POLICY], actions: ["view", "manage_compliance", "bulk_operations"] },
        { types: [CHECK], actions: ["add", "change", "delete"] },
      ]),
    ],
  ] as const
) {
  report(`answers 403 to ${who}`, "", { as, status: 403 });
}

Deno.test("the trend holds the last 90 days, one score a day, the newest of each, for callers who see everything", async () => {
  await using app = await testApp();
  await runAll(app);
  const today = app.clock.now();
  const trend = async (client: Awaited<ReturnType<TestApp["as"]>>) =>
    (await (await client(REPORT)).json()).trend;
  const all = await app.as("superuser");
  const first = await storeDailyScore(app);
  assert.deepEqual(first, {
    date: "2026-06-15",
    total_checks: 24,
    passed: 15,
    failed: 9,
    compliance_score: 62.5,
  });
  assert.deepEqual(await trend(all), [first]);
  await app.database.write((tx) => tx.run(sql`DELETE FROM compliance_checks WHERE result = 'fail'`));
  const again = await storeDailyScore(app);
  assert.deepEqual(await trend(all), [{ ...again, compliance_score: 100, failed: 0 }]);
  app.clock.advance(89 * DAY_MS);
  const last = await storeDailyScore(app);
  assert.deepEqual(await trend(all), [again, last]);
  assert.equal(last.date, "2026-09-12");
  app.clock.advance(1 * DAY_MS);
  assert.deepEqual(await trend(all), [last]);
  assert.equal(app.clock.now(), today + 90 * DAY_MS);
  assert.equal(await trend(await app.as(viewerOf("acme"))), null);
});

report("counts an owner only for callers who may view the contact and its assignment", "", {
  as: granted([
    { types: [CHECK, CERTIFICATE, "tenancy.tenant", "tenancy.contactassignment"], actions: ["view"] },
    { types: ["tenancy.contact"], actions: ["view"], constraints: { name: "Web team" } },
  ]),
  excludes: ["Network team"],
  json: (body) => {
    const parts = ownerParts(body.by_owner) as [string | null, number, number][];
    assert.deepEqual(parts.map(([name]) => name).sort(), [null, "Web team"].sort());
    assert.deepEqual(parts.reduce((sum, [, passed, failed]) => sum + passed + failed, 0), 29);
  },
});
for (
  const [query, total, failed] of [["owner=2", 14, 7], ["owner=1", 3, 0], ["has_owner=false", 12, 3]] as const
) {
  report(`with ${query}`, query, {
    json: (body) => assert.deepEqual([body.total_checks, body.failed], [total, failed]),
  });
}
report("refuses an owner that is not a number", "owner=ann", {
  status: 400,
  json: (errors) => assert.deepEqual(Object.keys(errors), ["owner"]),
});

Deno.test("a report takes nine statements besides the permissions, however many results there are", async () => {
  await using app = await testApp();
  await runAll(app);
  const ask = async (query: string): Promise<number> => {
    const client = await app.as("superuser");
    await client(`${REPORT}?${query}`);
    const before = app.database.statements;
    await client(`${REPORT}?${query}`);
    return app.database.statements - before;
  };
  const [all, few, none] = [
    await ask("status=any"),
    await ask("certificate_id=3"),
    await ask("severity=info&tenant_id=2"),
  ];
  assert.ok(all <= 12, `${all}`);
  assert.deepEqual([few, none], [all, all]);
});

Deno.test("the daily score is stored only by reports of the service and of superusers", async () => {
  await using app = await testApp();
  const ctx = await contextOf(app.ctx, await seedUser(app.ctx, "ann"));
  assert.equal((await refusal(storeDailyScore({ ctx }))).code, "forbidden");
  assert.deepEqual(await app.database.all(sql`SELECT * FROM compliance_scores`), []);
});

Deno.test("the file names the failed policies of more certificates than a filter may have values", async () => {
  await using app = await testApp({ settings: { maxPageSize: 2 * MAX_FILTER_VALUES } });
  await clear(app);
  await app.database.write((tx) =>
    tx.run(
      sql`INSERT INTO compliance_policies (name, policy_type, created, last_updated)
      VALUES ('Chains', 'chain_required', 0, 0)`,
    )
  );
  const ids = [seed.certificates.acmeWeb, ...await storeCertificates(app, MAX_FILTER_VALUES)];
  await app.database.write((tx) =>
    tx.run(
      sql`INSERT INTO compliance_checks (certificate_id, policy_id, result, severity, checked_at, created, last_updated,
        certificate_valid_to)
      SELECT value, (SELECT id FROM compliance_policies), 'fail', 'warning', 0, 0, 0, 0
      FROM json_each(${JSON.stringify(ids)})`,
    )
  );
  const response = await (await app.as("superuser"))(`${REPORT}?format=csv&limit=0`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(text.match(/^certificate,.*Z,.*,Chains\r$/gm)?.length, ids.length);
});
