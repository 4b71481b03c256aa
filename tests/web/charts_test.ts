/** Each bar, part and point of a chart links to a list with as many objects as it counts, for each kind of user. */

import assert from "node:assert/strict";
import { Compliance } from "../../src/web/pages/dashboard/dashboard.tsx";
import { sql } from "drizzle-orm";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { bulkAssign } from "../../src/domain/assignments/mod.ts";
import { DAY_MS, HOUR_MS, startOfDay } from "../../src/base/clock.ts";
import { bulkCheckCertificates, type CheckCounts, storeDailyScore } from "../../src/domain/compliance/mod.ts";
import { SHIPPED_RULES } from "../../src/domain/rules/mod.ts";
import { worstFirst } from "../../src/web/pages/compliance/score_bars.tsx";
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
}

for (const [who, actor] of READERS) {
  Deno.test(`the forecast leads to the certificates that it counts, and the dashboard agrees, for ${who}`, async () => {
    await using app = await testApp();
    await app.database.write((tx) =>
      tx.run(sql`UPDATE certificates SET publicly_trusted = 1, usages = '["server_auth","client_auth"]'`)
    );
    const client = await app.as(actor);
    const browser = await browserOf(app, actor);
    const rates = /Renewals per month on average: [^.]*\./;
    const { 0: sentence } = rates.exec(await pageOf(browser, "/")) ?? [""];
    let seen = 0;
    for (const query of ["", "?by=tenant", "?by=issuer&status=active"]) {
      const html = await pageOf(browser, `/forecast/${query}`);
      const counted = [
        ...html.matchAll(/<a href="(\/certificates\/[^"]*)"><title>[^<]*: ([\d,]+)</g),
        ...html.matchAll(/<td class="number"><a href="(\/certificates\/[^"]*breaks_rule[^"]*)">([\d,]+)</g),
      ];
      seen += counted.filter(([, , count]) => count !== "0").length;
      for (const [, href = "", count = ""] of counted) {
        assert.equal(await countOf(client, href), Number(count.replaceAll(",", "")), `${query}: ${href}`);
      }
      if (query !== "?by=issuer&status=active") assert.equal(rates.exec(html)?.[0], sentence, query);
    }
    assert.ok(seen > 5, `${seen}`);
    const csv = await pageOf(browser, "/forecast/download/?by=tenant");
    assert.match(csv, /^section,id,name,due,renewals,manual\r\nmonth,,2026-/);
  });
}

Deno.test("the page of the forecast leaves out the rules of a file that no filter knows", async () => {
  const rules = [...SHIPPED_RULES, { ...SHIPPED_RULES[0]!, name: "own-rule", max_days: null }];
  await using app = await testApp({ settings: { rules } });
  const html = await pageOf(await browserOf(app, CHIEF), "/forecast/");
  assert.match(html, /What could not be issued again/);
});

Deno.test("the page of an authority counts its certificates by state, distrusted ones and those in incidents", async () => {
  await using app = await testApp();
  const client = await app.as(CHIEF);
  const [authority] = await app.database.all<{ id: number; n: number }>(
    sql`SELECT issuing_ca_id AS id, count(*) AS n FROM certificates WHERE issuing_ca_id IS NOT NULL
      GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
  );
  const id = authority?.id;
  const path = `/certificates/?issuing_ca_id=${id}`;
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET chain_errors = '["distrusted"]', chain_status = 'invalid_signature'
      WHERE id = (SELECT min(id) FROM certificates WHERE issuing_ca_id = ${id} AND status = 'active')`)
  );
  const created = await client("/api/plugins/certmgr/incidents/", {
    method: "POST",
    body: { name: "Reissue", kind: "ca_revocation", criteria: { filter: `issuing_ca_id=${id}` } },
  });
  assert.equal(created.status, 201, await created.text());
  const html = await pageOf(await browserOf(app), `/authorities/${id}/`);
  const line = /All certificates: (.*?)<\/p>/s.exec(html)?.[1] ?? "";
  const found = [...line.matchAll(/<a href="([^"]*)" class="underlined">(\d+) ([^<]*)</g)];
  assert.ok(found.some(([, , , label]) => label?.includes("Reissue")) && line.includes("distrusted"), line);
  for (const [, href = "", count, label] of found) {
    assert.equal(await countOf(client, href), Number(count), `${label} at ${href}`);
  }
  assert.ok(found.every(([, href]) => href?.startsWith(path.split("=")[0] ?? "")), line);
});

Deno.test("a trend ends with the score of its page, also before the score of the day is stored", async () => {
  await using app = await testApp();
  await runPolicies(app);
  app.clock.advance(DAY_MS);
  const browser = await browserOf(app);
  const today = new Date(app.clock.now()).toISOString().slice(0, 10);
  const scoreOf = (html: string): string => /<strong>([\d.]+) %<\/strong>/.exec(html)?.[1] ?? "";
  const lastOf = (html: string): string =>
    new RegExp(`Compliance score from [^"]* to ([\\d.]+) % on ${today}"`).exec(html)?.[1] ?? "";
  const scores = async (): Promise<string[]> => {
    const found = [];
    for (
      const path of ["/compliance/", "/"]
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
  assert.doesNotMatch(await pageOf(browser, "/compliance/?severity=critical"), /Compliance score from/);
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

Deno.test("bars are ordered by the share of failures that they show", () => {
  const sum = (failed: number, total: number): CheckCounts => ({
    total_checks: total,
    passed: total - failed,
    failed,
    compliance_score: 100 - (100 * failed) / total,
  });
  const sums = [sum(16, 250), sum(3, 4), sum(30, 240), sum(1, 8), sum(0, 9)];
  const shares = worstFirst(sums);
  assert.deepEqual(shares.map(({ failed }) => failed), [3, 30, 1, 16, 0]);
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

Deno.test("the certificates without a current result are those that were never checked, and changed ones", async () => {
  await using app = await testApp();
  await runPolicies(app);
  const browser = await browserOf(app);
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
