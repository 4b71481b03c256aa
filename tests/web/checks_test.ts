/** The list of checks: which ones it shows, and how it marks old results. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testApp } from "../support/app.ts";
import { browserOf, textOf } from "./imports/browser.ts";

Deno.test("checks leave out those that the report does not count, until the switch or a certificate asks for them", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rowsOf = async (path: string): Promise<number> =>
    [...(await browser.get(path)).html.matchAll(
      /<a href="\/checks\/\d+\/" class="object"/g,
    )].length;
  const [check] = await app.database.all<
    { certificate_id: number; policy_id: number; checks: number }
  >(sql`
    SELECT certificate_id, policy_id, (SELECT count(*) FROM compliance_checks) AS checks
    FROM compliance_checks WHERE result = 'fail' LIMIT 1`);
  assert.ok(check);
  const { certificate_id: id, policy_id: policy, checks } = check;
  assert.equal(await rowsOf("/checks/?show=all"), checks);
  await app.database.write((tx) => tx.run(sql`UPDATE certificates SET status = 'replaced' WHERE id = ${id}`));
  const [own] = await app.database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM compliance_checks WHERE certificate_id = ${id}`,
  );
  const left = checks - (own?.n ?? 0);
  assert.equal(await rowsOf("/checks/?show=all"), left);
  assert.equal(await rowsOf("/checks/?show=all&scope=all"), checks);
  assert.equal(await rowsOf(`/checks/?certificate_id=${id}`), own?.n);
  assert.match(
    (await browser.get("/checks/")).html,
    /<a href="[^"]*scope=all"[^>]*>\s*Replaced too/,
  );
  assert.doesNotMatch(
    (await browser.get(`/checks/?certificate_id=${id}`)).html,
    /Replaced too/,
  );
  assert.match(
    textOf((await browser.get(`/policies/${policy}/`)).html),
    /Failures 0/,
  );
});

Deno.test("a result of an earlier day, or of before its certificate changed, reads as outdated", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const set = (checkedAt: string, changed: number): Promise<unknown> =>
    app.database.write(async (tx) => {
      await tx.run(
        sql`UPDATE compliance_checks SET checked_at = ${Date.parse(checkedAt)}, message = 'Too short.'`,
      );
      await tx.run(sql`UPDATE certificates SET last_updated = ${changed}`);
    });
  const now = app.clock.now();
  const day = (age: number): string => new Date(now - age * 86_400_000).toISOString();
  await set(day(39), 0);
  const old = await browser.get("/checks/?show=all");
  assert.match(
    textOf(old.html),
    new RegExp(`On ${day(39).slice(0, 10)}\\s*: Too short\\. .*39 days ago`),
  );
  await set(day(0), 0);
  assert.doesNotMatch(
    (await browser.get("/checks/?show=all")).html,
    /Outdated|On \d{4}/,
  );
  await set(day(0), now + 1_000);
  assert.match(
    textOf((await browser.get("/checks/?show=all")).html),
    /Long keys outdated/,
  );
  const [, id] = /href="\/checks\/(\d+)\/" class="object"/.exec(old.html) ?? [];
  assert.match(
    (await browser.get(`/checks/${id}/`)).html,
    /action="\/certificates\/\d+\/check\/"/,
  );
});
