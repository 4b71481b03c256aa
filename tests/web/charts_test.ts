/** Each bar, part and point of a chart links to a list with as many objects as it counts, for each kind of user. */

import assert from "node:assert/strict";
import { Compliance } from "../../src/web/pages/dashboard/compliance_card.tsx";
import { sql } from "drizzle-orm";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { bulkAssign } from "../../src/domain/assignments/mod.ts";
import { DAY_MS, HOUR_MS, startOfDay } from "../../src/base/clock.ts";
import { bulkCheckCertificates, type CheckCounts, storeDailyScore } from "../../src/domain/compliance/mod.ts";
import { worstFirst } from "../../src/web/pages/compliance/score_bars.tsx";
import { Sparkline } from "../../src/web/pages/compliance/sparkline.tsx";
import { type Actor, auditor, granted, within } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { type Browser, browserOf, CHIEF } from "./imports/browser.ts";
import { countOf } from "./list_counts.ts";

/** Returns a user who may view everything except most tenants, contacts and policies. */
function restrictedUser(): Actor {
  const limited = [
    "tenancy.tenant",
    "tenancy.contact",
    "certmgr.compliancepolicy",
    "certmgr.certificateauthority",
  ];
  return granted([
    { types: OBJECT_TYPES.filter((type) => !limited.includes(type)), actions: ["view"] },
    ...limited.map((type) => ({ types: [type], actions: ["view"], constraints: { id: 1 } })),
  ], { username: "half-blind" });
}

const READERS: readonly (readonly [who: string, actor: Actor])[] = [
  ["an administrator", CHIEF],
  ["somebody who may view everything", auditor()],
  ["somebody who sees one tenant, contact, policy and authority", restrictedUser()],
  [
    "somebody who sees the certificates of one tenant",
    within("certmgr.certificate", ["view"], { tenant__slug: "acme" }),
  ],
];

/** Runs the policies on all certificates, on two days. */
async function runPolicies(app: TestApp): Promise<void> {
  await storeDailyScore(app);
  app.clock.advance(DAY_MS);
  await bulkCheckCertificates({ ctx: app.ctx, input: { certificate_ids: Object.values(seed.certificates) } });
  await storeDailyScore(app);
}

async function pageOf(browser: Browser, path: string): Promise<string> {
  const { status, html } = await browser.get(path);
  assert.equal(status, 200, path);
  return html;
}

for (const [who, actor] of READERS) {
  Deno.test(`each bar of the compliance report leads to the checks that it counts, for ${who}`, async () => {
    await using app = await testApp();
    await runPolicies(app);
    const client = await app.as(actor);
    const browser = await browserOf(app, actor);
    let seen = 0;
    for (
      const query of [
        "",
        "?by=owner",
        "?status=any&by=owner",
        "?severity=critical",
        "?has_owner=false&status=active",
      ]
    ) {
      const html = await pageOf(browser, `/compliance/${query}`);
      const bars = [
        ...html.matchAll(
          /<a href="(\/checks\/[^"]*)"><span class="share-name">.*?<span class="faint">([^<]*)<\/span>/gs,
        ),
      ];
      seen += bars.length;
      for (const [, href = "", words = ""] of bars) {
        const expected = Number(/^(?:all )?([\d,]+)/.exec(words)?.[1]?.replaceAll(",", ""));
        assert.equal(await countOf(client, href), expected, `${query}: ${words} at ${href}`);
      }
    }
    assert.ok(seen >= 10, `${seen} bars`);
  });

  Deno.test(`each part of the weeks leads to the certificates that it counts, for ${who}`, async () => {
    await using app = await testApp();
    const client = await app.as(actor);
    const browser = await browserOf(app, actor);
    for (const path of ["/", "/?by=issuer"]) {
      const html = await pageOf(browser, path);
      const parts = [...html.matchAll(/<a href="([^"]*)"[^>]*aria-label="([^"]*): (\d+)"/g)]
        .filter(([, href = ""]) => href.startsWith("/certificates/"));
      assert.ok(parts.some(([, , label = ""]) => label.includes(", ")), "There are parts");
      for (const [, href = "", label = "", count] of parts) {
        assert.equal(await countOf(client, href), Number(count), `${path}: ${label} at ${href}`);
      }
      const table = /<table><thead><tr><th scope="col">Week from.*?<\/table>/s.exec(html)?.[0] ?? "";
      for (const [, href = "", count] of table.matchAll(/<td class="number"><a href="([^"]*)">(\d+)</g)) {
        assert.equal(await countOf(client, href), Number(count), `${path}: the table at ${href}`);
      }
    }
  });
}

Deno.test("each day of a trend leads to the checks that failed on it", async () => {
  await using app = await testApp();
  await runPolicies(app);
  const client = await app.as(CHIEF);
  const browser = await browserOf(app);
  // A day keeps the failures of certificates that are not in use any more, and of policies that are disabled later.
  await app.database.write(async (tx) => {
    const failing = sql`SELECT certificate_id FROM compliance_checks WHERE result = 'fail'`;
    await tx.run(sql`UPDATE certificates SET status = 'replaced' WHERE id = (${failing} LIMIT 1)`);
    await tx.run(
      sql`UPDATE certificates SET archived = 1 WHERE id = (SELECT max(certificate_id) FROM (${failing}))`,
    );
  });
  const [policy] = await app.database.all<{ id: number }>(
    sql`SELECT policy_id AS id FROM compliance_policy_scores`,
  );
  for (const path of ["/compliance/", `/compliance/?policy_id=${policy?.id}`]) {
    const html = await pageOf(browser, path);
    const days = [
      ...html.matchAll(
        /<a href="(\/checks\/[^"]*)"[^>]*><title>[^<]*, (\d+) of \d+ checks failed</g,
      ),
    ];
    assert.deepEqual(days.map(([, href]) => href?.includes("failing_on")), [true, false], path);
    for (const [, href = "", count] of days) {
      assert.equal(await countOf(client, href), Number(count), `${path}: ${href}`);
    }
  }
});

Deno.test("a trend ends with the score of its page, also before the score of the day is stored", async () => {
  await using app = await testApp();
  await runPolicies(app);
  app.clock.advance(DAY_MS);
  const browser = await browserOf(app);
  const today = new Date(app.clock.now()).toISOString().slice(0, 10);
  const [policy] = await app.database.all<{ id: number }>(
    sql`SELECT policy_id AS id FROM compliance_policy_scores`,
  );
  const scoreOf = (html: string): string => /<strong>([\d.]+) %<\/strong>/.exec(html)?.[1] ?? "";
  const lastOf = (html: string): string =>
    new RegExp(`Compliance score from [^"]* to ([\\d.]+) % on ${today}"`).exec(html)?.[1] ?? "";
  const scores = async (): Promise<string[]> => {
    const found = [];
    for (
      const path of ["/compliance/", `/compliance/?policy_id=${policy?.id}`, `/policies/${policy?.id}/`, "/"]
    ) {
      const html = await pageOf(browser, path);
      const score = scoreOf(path === "/" ? html.slice(html.indexOf('<h2 id="compliance">')) : html);
      assert.equal(Number(lastOf(html)), Number(score), path);
      found.push(score);
    }
    return found;
  };
  const before = await scores();
  await storeDailyScore(app);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE compliance_checks SET result = iif(result = 'pass', 'fail', 'pass')`)
  );
  app.clock.advance(2 * 60_000);
  assert.notDeepEqual(await scores(), before);
  assert.match(
    await pageOf(browser, "/compliance/?severity=critical"),
    new RegExp(`to ([\\d.]+) % on ${today}"`),
    "with other filters, the trend is the stored one",
  );
});

Deno.test("failures are divided by tenant or by owner; bars show the share that failed, the largest first", async () => {
  await using app = await testApp();
  await runPolicies(app);
  const browser = await browserOf(app);
  for (const [query, name] of [["?status=any", "tenant"], ["?status=any&by=owner", "owner"]] as const) {
    const html = await pageOf(browser, `/compliance/${query}`);
    const card = html.split('aria-labelledby="divided"')[1]?.split("</section>")[0] ?? "";
    assert.match(card, new RegExp(`<h2 id="divided">Failures by ${name}</h2>`));
    const bars = [
      ...card.matchAll(
        /<span class="faint">(\d+) of (\d+) failed<\/span>.*?<rect class="bar bad" width="([\d.]+)"/gs,
      ),
    ].map((bar) => bar.slice(1).map(Number));
    const shares = bars.map(([failed = 0, total = 0]) => failed / total * 100);
    assert.ok(bars.length > 1, name);
    assert.ok(new Set(bars.map(([, total]) => total)).size > 1, "Shares differ from numbers");
    assert.deepEqual(bars.map(([, , width]) => width), shares, name);
    assert.deepEqual(shares, shares.toSorted((a, b) => b - a), name);
    assert.ok(!/compliance\/(?:download|check)\/[^"]*by=/.test(html), "files and runs have all divisions");
  }
});

Deno.test("bars are ordered by the share of failures that they show, and a sparkline rises with the failures", () => {
  const sum = (failed: number, total: number): CheckCounts => ({
    total_checks: total,
    passed: total - failed,
    failed,
    compliance_score: 100 - (100 * failed) / total,
  });
  const sums = [sum(16, 250), sum(3, 4), sum(30, 240), sum(1, 8), sum(0, 9)];
  const shares = worstFirst(sums);
  assert.deepEqual(shares.map(({ failed }) => failed), [3, 30, 1, 16, 0]);
  const days = [["2026-11-01", 90], ["2026-11-02", 70]] as const;
  const drawn = String(Sparkline({
    days: days.map(([date, compliance_score]) => ({ date, compliance_score })),
    path: "/",
    label: "Keys",
  }));
  assert.match(drawn, /Failures of Keys: from 10\.0 % on 2026-11-01 to 30\.0 % on 2026-11-02/);
  assert.match(drawn, /aria-hidden="true"><span>10\.0 %<\/span><span>30\.0 %<\/span>/);
  const [, before = 0, after = 0] = /points="[\d.]+,([\d.]+) [\d.]+,([\d.]+)"/.exec(drawn)?.map(Number) ?? [];
  assert(after < before, "more failures are higher");
});

Deno.test("each number of the compliance report leads to the objects that it counts", async () => {
  await using app = await testApp();
  await runPolicies(app);
  const { acmeExpired, globexWeb, acmeWeb } = seed.certificates;
  await bulkAssign({
    ctx: app.ctx,
    input: {
      certificate_ids: [acmeExpired, globexWeb],
      assigned_object_type: "dcim.device",
      assigned_object_id: seed.devices.edge,
    },
  });
  await app.database.write(async (tx) => {
    await tx.run(sql`UPDATE certificates SET status = 'revoked' WHERE id = ${globexWeb}`);
    await tx.run(sql`DELETE FROM compliance_checks WHERE certificate_id = ${acmeWeb}`);
  });
  const client = await app.as(CHIEF);
  const browser = await browserOf(app);
  for (const query of ["", "?tenant_id=1", "?status=any", "?policy_id=1"]) {
    const html = await pageOf(browser, `/compliance/${query}`);
    const number = (text: string): number => Number(text.replaceAll(",", ""));
    const [, scorePath = "", total = ""] =
      /<a class="card tile plain" href="([^"]*)">.*?<span class="tile-note">[\d,]+ of ([\d,]+) checks/s.exec(
        html,
      ) ?? [];
    assert.equal(await countOf(client, scorePath), number(total), `${query}: all checks`);
    const [, open = "", unchecked = ""] =
      /href="([^"]*unchecked[^"]*)"><span class="tile-title">Not checked<\/span><strong>([\d,]+)/.exec(
        html,
      ) ?? [];
    assert.equal(await countOf(client, open), number(unchecked), `${query}: not checked`);
    assert.match(
      html,
      /tile-note">(?:\d+ never)?(?:, )?(?:\d+ changed since)?; next check tomorrow at 00:00 UTC/,
      query,
    );
    const kinds = [...html.matchAll(/<a href="([^"]*)">([\d,]+) (expired|revoked)<\/a>/g)];
    for (const [, href = "", count = "", kind] of kinds) {
      assert.equal(await countOf(client, href), number(count), `${query}: ${kind}`);
    }
    if (query === "") {
      assert.match(html, /1 expired and 1 revoked certificates are still assigned or served/);
    }
  }
});

Deno.test("the dashboard does not call certificates OK only because they expire later", async () => {
  await using app = await testApp();
  const html = await pageOf(await browserOf(app), "/");
  assert.match(
    html,
    /<span class="tile-title">Later<\/span><strong>[\d,]+<\/strong>.{0,80}expire in more than 30 days/s,
  );
  assert.doesNotMatch(html, />OK</);
});

Deno.test("the report says whether the next check of unchecked certificates is today or tomorrow", async () => {
  await using app = await testApp({ settings: { evaluationTime: 15 * HOUR_MS } });
  const browser = await browserOf(app);
  for (
    const [hours, text] of [[14, "next check at 15:00 UTC"], [
      15,
      "next check tomorrow at 15:00 UTC",
    ]] as const
  ) {
    app.clock.advance(startOfDay(app.clock.now()) + hours * HOUR_MS - app.clock.now());
    assert.ok((await pageOf(browser, "/compliance/?status=any")).includes(text), text);
  }
});

Deno.test("the report checks the certificates that it counts as unchecked, with its filters", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const openIn = async (query: string): Promise<number> => {
    const html = await pageOf(browser, `/compliance/${query}`);
    return Number(/Not checked<\/span><strong>([\d,]+)/.exec(html)?.[1]);
  };
  const [all, acme] = [await openIn(""), await openIn("?tenant_id=1")];
  assert.ok(acme > 0 && all > acme, `${all}, ${acme}`);
  await browser.post("/compliance/check/?tenant_id=1", {});
  assert.deepEqual([await openIn(""), await openIn("?tenant_id=1")], [all - acme, 0]);
  assert.match((await browser.get("/compliance/")).html, /Check \d+ unchecked/);
  await browser.post("/compliance/check/", {});
  assert.equal(await openIn(""), 0);
  assert.doesNotMatch((await browser.get("/compliance/")).html, /Check \d+ unchecked/);
});

Deno.test("the certificates without a current result are those that were never checked, and changed ones", async () => {
  await using app = await testApp();
  await runPolicies(app);
  const browser = await browserOf(app);
  await browser.post("/compliance/check/", {});
  app.clock.advance(1_000);
  const some = sql`SELECT DISTINCT certificate_id FROM compliance_checks AS k
    JOIN certificates AS c ON c.id = k.certificate_id WHERE c.status = 'active' ORDER BY 1`;
  await app.database.write(async (tx) => {
    await tx.run(sql`UPDATE certificates SET last_updated = ${app.clock.now()}
      WHERE id IN (SELECT * FROM (${some} LIMIT 3))`);
    await tx.run(
      sql`DELETE FROM compliance_checks WHERE certificate_id IN (SELECT * FROM (${some} LIMIT 1))`,
    );
  });
  const tile = /Not checked<\/span><strong>3<\/strong><span class="tile-note">1 never, 2 changed since;/;
  assert.match(await pageOf(browser, "/compliance/"), tile);
});

Deno.test("the version to print has all failing certificates with all their policies, and no links to further ones", async () => {
  await using app = await testApp();
  await runPolicies(app);
  const names = Array.from({ length: 6 }, (_, index) => `printed policy ${index}`);
  await app.database.write((tx) =>
    tx.runAll([
      sql`INSERT INTO compliance_policies (name, description, policy_type, parameters, severity, enabled, created, last_updated)
        SELECT value, '', 'naming_convention', '{}', 'critical', 1, 0, 0 FROM json_each(${
        JSON.stringify(names)
      })`,
      sql`INSERT INTO compliance_checks (certificate_id, certificate_valid_to, policy_id, result, severity, checked_at, created, last_updated)
        SELECT c.id, c.valid_to, p.id, 'fail', 'critical', 0, 0, 0 FROM certificates AS c CROSS JOIN compliance_policies AS p
        WHERE c.status = 'active' AND p.name LIKE 'printed policy %'`,
    ])
  );
  const browser = await browserOf(app);
  const screen = await pageOf(browser, "/compliance/?limit=1");
  assert.match(
    screen,
    /<a role="button" class="secondary print-link" href="\/compliance\/\?print=true">Print</,
  );
  assert.match(screen, /\+ \d+ more/);
  const html = await pageOf(browser, "/compliance/?print=true");
  const table = html.split('<h2 id="failing">')[1] ?? "";
  const count = Number(/Failing<\/span><strong>(\d+)/.exec(html)?.[1]);
  assert.ok(count > 1);
  assert.equal(table.match(/<tr>/g)?.length, 1 + count);
  for (const name of names) assert.ok(table.includes(name), name);
  assert.doesNotMatch(table, /more|rel="next"|undefined|print-only/);
  assert.doesNotMatch(html, /failing_on=|class="filter-form/);
});

Deno.test("the report names hidden tenants, owners and policies nowhere", async () => {
  await using app = await testApp();
  await runPolicies(app);
  const html = await pageOf(await browserOf(app, restrictedUser()), "/compliance/?status=any");
  for (const name of ["Globex", "Initech"]) assert.ok(!html.includes(name), name);
});

Deno.test("the dashboard has no link without a text while there is no trend yet", () => {
  for (const days of [0, 1, 2, 3]) {
    const trend = Array.from({ length: days }, (_, index) => ({
      date: `2026-06-1${index}`,
      compliance_score: 90,
      current: false,
    }));
    const compliance = { score: 90, total_checks: 10, failing: 1, trend };
    const html = String(Compliance({ overview: { compliance } as never }));
    assert.doesNotMatch(html, /<a [^>]*>\s*<\/a>/, `${days} days`);
    assert.equal(html.includes("#trend"), days > 1);
  }
});
