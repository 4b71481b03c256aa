/** The list of checks: which ones it shows, and how it marks old results. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { bulkCheckCertificates, checkCertificate } from "../../src/domain/compliance/mod.ts";
import { clear, makePolicies } from "../domain/compliance/support.ts";
import { testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { seed } from "../support/seed.ts";
import { browserOf, textOf } from "./imports/browser.ts";

Deno.test("checks leave out those that the report does not count, until the switch or a certificate asks for them", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rowsOf = async (path: string): Promise<number> =>
    [...(await browser.get(path)).html.matchAll(
      /<a href="\/certificates\/\d+\/" class="object"/g,
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
    /<a href="[^"]*scope=all"[^>]*>\s*Include unused/,
  );
  assert.doesNotMatch(
    (await browser.get(`/checks/?certificate_id=${id}`)).html,
    /Include unused/,
  );
  assert.match(textOf((await browser.get(`/policies/${policy}/`)).html), /None fails/);
});

Deno.test("the name of a row leads to its certificate, the finding to the check, and tabs show their numbers with other filters", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [row] = await app.database.all<{ id: number; certificate_id: number }>(
    sql`SELECT id, certificate_id FROM compliance_checks WHERE result = 'fail' LIMIT 1`,
  );
  assert.ok(row);
  await app.database.write(async (tx) => {
    await tx.run(sql`UPDATE compliance_checks SET checked_value = 'expired' WHERE id = ${row.id}`);
    await tx.run(
      sql`UPDATE compliance_policies SET policy_type = 'chain_required'
        WHERE id = (SELECT policy_id FROM compliance_checks WHERE id = ${row.id})`,
    );
  });
  for (const query of ["", `?result=pass&show=all`, `?show=all&severity=critical`]) {
    const { html } = await browser.get(`/checks/${query}`);
    const [, tabs = ""] = /<nav class="choice" aria-label="Checks shown">(.*?)<\/nav>/s.exec(html) ?? [];
    const links = [...tabs.matchAll(/href="([^"]*)"[^>]*>([A-Z][a-z]+)<span class="count">(\d+)</g)];
    assert.deepEqual(links.map(([, , label]) => label), ["Failing", "All"], query);
    for (const [, path = "", , count] of links) {
      const rows = (await browser.get(path.replaceAll("&amp;", "&"))).html.matchAll(
        /<a href="\/certificates\/\d+\/" class="object"/g,
      );
      assert.equal([...rows].length, Number(count), path);
    }
  }
  const { html } = await browser.get("/checks/");
  assert.match(html, new RegExp(`<a href="/certificates/${row.certificate_id}/" class="object"`));
  assert.match(
    html,
    new RegExp(`<a class="wraps" href="/checks/${row.id}/">[^<]+</a>`),
  );
  assert.match(textOf((await browser.get("/checks/?severity=nonsense")).html), /Failing All/);
});

Deno.test("failing checks begin with the most severe ones of the certificates that expire next, without the word fail", async () => {
  await using app = await testApp();
  await clear(app);
  await makePolicies(app, [
    { name: "Note", policy_type: "san_required", severity: "info", parameters: { min_count: 2_000 } },
    { name: "Grave", policy_type: "min_key_size", severity: "critical", parameters: { min_bits: 60_000 } },
    { name: "Mild", policy_type: "san_required", parameters: { min_count: 2_000 } },
  ]);
  await bulkCheckCertificates({ ctx: app.ctx, input: { certificate_ids: Object.values(seed.certificates) } });
  const client = await app.as("superuser");
  const browser = await browserOf(app);
  const { results } = await callJson(
    client,
    "/api/plugins/certmgr/compliance-checks/?result=fail&ordering=severity_rank,certificate_valid_to",
  );
  const { results: known } = await callJson(
    client,
    "/api/plugins/certmgr/certificates/?archived=any&limit=100",
  );
  const expiryOf = (id: number): string => known.find((row: { id: number }) => row.id === id).valid_to;
  const keys = results.map((row: { severity: string; certificate: { id: number } }) =>
    `${["critical", "warning", "info"].indexOf(row.severity)} ${expiryOf(row.certificate.id)}`
  );
  assert.deepEqual(keys, keys.toSorted());
  const { html } = await browser.get("/checks/");
  const severities = [...html.matchAll(/<span class="badge \w+">(critical|warning|info)</g)].map(([, one]) =>
    one
  );
  assert.deepEqual([...new Set(severities)], ["critical", "warning", "info"]);
  assert.doesNotMatch(html, /class="badge[^"]*">fail</);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET valid_to = 1 WHERE id = ${seed.certificates.acmeWeb}`)
  );
  const first = await callJson(
    client,
    "/api/plugins/certmgr/compliance-checks/?ordering=certificate_valid_to&limit=1",
  );
  assert.equal(first.results[0].certificate.id, seed.certificates.acmeWeb, "The order follows the expiry");
});

Deno.test("a failed check says what was found, what is expected and what to do", async () => {
  await using app = await testApp();
  await clear(app);
  await makePolicies(app, [{
    name: "Strong",
    policy_type: "min_key_size",
    parameters: { min_ec_bits: 521 },
  }]);
  const { acmeWeb } = seed.certificates;
  const { checks } = await checkCertificate({ ctx: app.ctx, id: acmeWeb, input: {} });
  const { html } = await (await browserOf(app)).get(`/checks/${checks[0]?.id}/`);
  assert.match(
    textOf(html),
    /fails the policy “\s*Strong\s*”.* Found 256 bits Expected at least 521 bits Next step Renew it with a larger key\./,
  );
});

Deno.test("a failed check of a replaced certificate names its successor instead of the next step", async () => {
  await using app = await testApp();
  await clear(app);
  await makePolicies(app, [{
    name: "Key size",
    policy_type: "min_key_size",
    parameters: { min_ec_bits: 521 },
  }]);
  const { acmeWeb, globexWeb } = seed.certificates;
  const { checks } = await checkCertificate({ ctx: app.ctx, id: acmeWeb, input: {} });
  const set = (successor: number): Promise<unknown> =>
    app.database.write((tx) =>
      tx.run(
        sql`UPDATE certificates SET status = 'replaced', replaced_by_id = ${successor}, valid_to = 1 WHERE id = ${acmeWeb}`,
      )
    );
  const page = async (): Promise<string> =>
    (await (await browserOf(app)).get(`/checks/${checks[0]?.id}/`)).html;
  assert.match(textOf(await page()), /Next step Renew it with a larger key\./);
  await set(globexWeb);
  const named = await page();
  assert.match(named, new RegExp(`Replaced by</dt>\\s*<dd>\\s*<a href="/certificates/${globexWeb}/"`));
  assert.doesNotMatch(named, /\/renew\/|Next step/);
});

Deno.test("the page of a check names its certificate and its policy once each", async () => {
  await using app = await testApp();
  await clear(app);
  await makePolicies(app, [{
    name: "Numbat rule",
    policy_type: "min_key_size",
    parameters: { min_bits: 60_000 },
  }]);
  await bulkCheckCertificates({ ctx: app.ctx, input: { certificate_ids: [seed.certificates.acmeWeb] } });
  const [check] = await app.database.all<{ id: number }>(sql`SELECT id FROM compliance_checks`);
  const { html } = await (await browserOf(app)).get(`/checks/${check?.id}/`);
  const main = /<main.*?<section aria-labelledby="history"|<main.*<\/main>/s.exec(html)?.[0] ?? "";
  const times = (name: string): number => textOf(main).split(name).length - 1;
  assert.deepEqual([times("www.acme.example"), times("Numbat rule")], [1, 1]);
  assert.match(main, new RegExp(`<a href="/certificates/${seed.certificates.acmeWeb}/">The certificate</a>`));
});
