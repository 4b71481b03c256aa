/** The first sentence of a certificate's page is its most urgent fact, and the steps follow from it. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../src/base/clock.ts";
import { chainState } from "../../src/web/pages/certificates/mod.ts";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { TEST_NOW, TestCa } from "../support/test_ca/mod.ts";
import { type Browser, browserOf, textOf } from "./imports/browser.ts";

const day = (days: number): string => new Date(TEST_NOW + days * DAY_MS).toISOString();
const root = await TestCa.root({ cn: "Headline Root" });
const old = await root.intermediate({ cn: "Old Server CA", notAfter: day(-18) });
const issuing = await root.intermediate({ cn: "Server CA" });
const rejected = await old.issue({ cn: "rejected.example", notAfter: day(300) });
const fine = await issuing.issue({ cn: "fine.example", notAfter: day(300) });
const early = await issuing.issue({ cn: "early.example", notBefore: day(4), notAfter: day(200) });

/** The parts of the page: tone, first sentence, all sentences with steps, and the actions. */
interface Page {
  readonly tone: string;
  readonly headline: string;
  readonly summary: string;
  readonly actions: string;
  readonly html: string;
}

async function pageOf(browser: Browser, path: string): Promise<Page> {
  const { html } = await browser.get(path);
  const [, tone = "", summary = ""] = /<div class="summary ([a-z]+)">(.*?)<\/div>/s.exec(html) ?? [];
  const [, headline = ""] = /<strong>(.*?)<\/strong>/s.exec(summary) ?? [];
  const [, actions = ""] = /<h1.*?<\/h1>(.*?)<div class="summary/s.exec(html) ?? [];
  return { tone, headline: textOf(headline).trim(), summary: textOf(summary), actions, html };
}

/** Stores a certificate with its chain, validates it, and returns the path of its page. */
async function store(browser: Browser, pem: string, status = "active"): Promise<string> {
  const { location, html } = await browser.post("/certificates/new/", { pem_content: pem, status });
  assert.ok(location, textOf(html));
  await browser.post(`${location}validate/`, {});
  return location;
}

Deno.test("a chain that clients reject comes before the expiry, and is named after the certificate at fault", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const path = await store(browser, `${rejected.pem}${old.pem}${root.pem}`);
  const { tone, headline, summary, html } = await pageOf(browser, path);
  assert.deepEqual([tone, headline], ["bad", "Clients reject it: Old Server CA expired 18 days ago."]);
  assert.match(summary, /Expires in 300 days\..*Next: Renew it: clients reject its chain/);
  assert.match(textOf(html), /an expired certificate: Old Server CA expired on/);
  assert.doesNotMatch(textOf(html), /Certificate \d/);
  const validated = await browser.post(`${path}validate/`, {});
  assert.match(textOf((await browser.get(validated.location)).html), /certificate: Old Server CA expired on/);
  // In the list there is no room for the name.
  assert.match((await browser.get("/certificates/")).html, /<span class="badge bad">issuer expired<\/span>/);
  await make(app, PATHS.policies, [{ name: "Chains", policy_type: "chain_required", severity: "critical" }]);
  await browser.post(`${path}check/`, {});
  const { html: checked } = await browser.get(path);
  assert.match(
    textOf(checked.slice(checked.indexOf('id="checks"'))),
    /The chain is not valid: Old Server CA expired 18 days ago\./,
  );
  // The expiry of the certificate itself is the reason from then on.
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET valid_to = ${
        app.clock.now() - DAY_MS
      } WHERE common_name = 'rejected.example'`,
    )
  );
  const expired = await pageOf(browser, path);
  assert.match(expired.headline, /^Expired 1 day ago/);
  assert.match(expired.summary, /Old Server CA expired 18 days ago\./);
  // The preview of an import names it, too.
  const again = await old.issue({ cn: "again.example", notAfter: day(300) });
  const preview = await browser.post("/certificates/add/", { content: `${again.pem}${old.pem}${root.pem}` });
  assert.match(textOf(preview.html), /an expired certificate: Old Server CA expired on 2026-05-28/);
});

Deno.test("a certificate that is not valid yet waits: nothing is red, no check is to be fixed, and it replaces the current one", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const path = await store(browser, `${early.pem}${issuing.pem}${root.pem}`, "pending");
  const alone = await pageOf(browser, path);
  assert.deepEqual([alone.tone, alone.headline], [
    "plain",
    `Pending: valid from ${day(4).slice(0, 10)} , in 4 days.`,
  ]);
  assert.match(alone.actions, /<li>\s*<a href="[^"]*renew\/">Renew<\/a>/);
  assert.doesNotMatch(alone.actions, /role="button" href="[^"]*renew/);
  await make(app, PATHS.policies, [{ name: "Chains", policy_type: "chain_required", severity: "critical" }]);
  await browser.post(`${path}check/`, {});
  await storeCertificates(app, [
    metadata(1, { common_name: "early.example", sans: ["early.example"] }),
  ]);
  const { summary, actions, html } = await pageOf(browser, path);
  const checks = html.slice(html.indexOf('id="checks"'));
  assert.match(textOf(checks), /Chains fails until/);
  assert.doesNotMatch(summary, /Fix|Fails \d|Renew/);
  assert.match(summary, /Next: Replace the certificate with the same names that expires on .* by this one/);
  assert.match(
    actions,
    /role="button" href="\/certificates\/\d+\/renew\/">.*Replace the current certificate/s,
  );
});

Deno.test("the page of a revoked certificate has the day of the revocation and the owner, and nothing on it reassures", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const browser = await browserOf(app);
  const path = await store(browser, `${fine.pem}${issuing.pem}${root.pem}`);
  const id = Number(path.split("/").at(-2));
  await make(app, PATHS.policies, [{ name: "Chains", policy_type: "chain_required", severity: "critical" }]);
  await make(app, PATHS.assignments, [{
    certificate: id,
    assigned_object_type: "dcim.device",
    assigned_object_id: seed.devices.edge,
  }]);
  await browser.post(`${path}check/`, {});
  await callJson(client, `${PATHS.certificates}${id}/`, "PATCH", { status: "revoked" });
  app.clock.advance(3 * DAY_MS);
  const { tone, headline, html } = await pageOf(await browserOf(app), path);
  assert.deepEqual([tone, headline], ["bad", "Revoked 3 days ago and still assigned."]);
  assert.match(html, /<details class="box past">/);
  assert.match(textOf(html), /passed; revoked since 20\d\d-\d\d-\d\d/);
  assert.match(textOf(html), /signatures valid, certificate revoked/);
  assert.doesNotMatch(html, /<span class="badge good">valid</);
  assert.match(html, /<div class="card neutral">/);
  for (const [chain, words] of [["self_signed", "self signed"], ["incomplete", "incomplete"]] as const) {
    assert.deepEqual(chainState(chain, { status: "revoked", expiry_status: "expired" }), {
      value: chain,
      reason: "revoked",
    }, words);
  }
});

Deno.test("a certificate that not all of its endpoints serve says at how many it is served, in the banner and above the table", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [current, replaced] = await storeCertificates(app, [
    metadata(1, { common_name: "deployed.example", valid_to: day(300), acme_auto_renewal: true }),
    metadata(2, { common_name: "deployed.example", valid_to: day(20) }),
  ]);
  const { acme, globex } = seed.endpoints;
  await app.database.write(async (tx) => {
    await tx.run(sql`UPDATE endpoints SET certificate_id = NULL, expected_certificate_id = NULL`);
    await tx.run(
      sql`UPDATE certificates SET status = 'replaced', replaced_by_id = ${current} WHERE id = ${replaced}`,
    );
    await tx.run(
      sql`UPDATE endpoints SET certificate_id = ${replaced}, state = 'superseded' WHERE id = ${globex}`,
    );
    await tx.run(
      sql`UPDATE endpoints SET certificate_id = ${current}, state = 'name_mismatch' WHERE id = ${acme}`,
    );
  });
  const { tone, headline, summary, html } = await pageOf(browser, `/certificates/${current}/`);
  assert.equal(tone, "bad");
  assert.match(
    headline,
    /^Served at 0 of 1 expected endpoint ?; also found at www\.acme\.example:443 \(name mismatch\) ?\.$/,
  );
  assert.match(summary, /Expires in 300 days\..*Next: Serve it at 1 endpoint .*Fix www\.acme\.example:443/);
  assert.doesNotMatch(summary, /Nothing|Problem at|endpoints? has a problem/);
  assert.match(html, /<span class="badge warn">served at 0 of 1 expected</);
  // A user without other steps is not asked to do nothing, either.
  const types = ["certmgr.certificate", "certmgr.endpoint"];
  const viewer = await browserOf(app, granted([{ types, actions: ["view"] }]));
  const next = async (): Promise<string> => (await pageOf(viewer, `/certificates/${current}/`)).summary;
  assert.match(await next(), /Next: Serve it at 1 endpoint/);
  assert.doesNotMatch(await next(), /Nothing/);
  await app.database.write((tx) => tx.run(sql`UPDATE endpoints SET certificate_id = NULL, state = 'ok'`));
  assert.match(await next(), /Next: Nothing: it is renewed automatically before/);
});

Deno.test("the main button is the first step, and the renewal is a secondary one unless it is that step", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [id] = await storeCertificates(app, [
    metadata(1, { common_name: "steps.example", valid_to: day(20) }),
  ]);
  const path = `/certificates/${id}/`;
  const buttons = async (): Promise<string[]> => {
    const { actions } = await pageOf(browser, path);
    const found = actions.matchAll(/<a role="button"( class="secondary")? href="([^"]*)">(.*?)<\/a>/gs);
    return [...found].map(([, secondary, href, text]) =>
      `${secondary === undefined ? "" : "secondary "}${textOf(text ?? "").trim()} ${href}`
    ).filter((one) => !one.includes("edit/"));
  };
  const set = async (values: Record<string, string | number>): Promise<void> => {
    for (const [name, value] of Object.entries(values)) {
      await app.database.write((tx) =>
        tx.run(sql`UPDATE certificates SET ${sql.identifier(name)} = ${value} WHERE id = ${id}`)
      );
    }
  };
  assert.deepEqual(await buttons(), [`Renew ${path}renew/`]);
  await set({ valid_to: TEST_NOW + 300 * DAY_MS });
  const owner = `/contact-assignments/new/?object_type=certmgr.certificate&amp;object_id=${id}`;
  assert.deepEqual(await buttons(), [`Assign an owner ${owner}`, `secondary Renew ${path}renew/`]);
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE endpoints SET certificate_id = ${id}, state = 'name_mismatch' WHERE id = ${seed.endpoints.acme}`,
    )
  );
  assert.deepEqual(await buttons(), [
    `Fix the endpoint /endpoints/${seed.endpoints.acme}/`,
    `secondary Renew ${path}renew/`,
  ]);
  await set({ status: "revoked" });
  assert.deepEqual(await buttons(), [`Replace now ${path}renew/`]);
});

Deno.test("a fault of the chain or a failed check comes before an expiry that is not near", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const path = await store(browser, fine.pem);
  const { tone, headline, summary } = await pageOf(browser, path);
  assert.deepEqual([tone, headline], ["warn", "Issuer certificates missing."]);
  assert.match(summary, /Expires in 300 days\./);
  assert.equal(summary.match(/Issuer certificates missing/g)?.length, 1);
  const whole = await issuing.issue({ cn: "whole.example", notAfter: day(300) });
  const other = await store(browser, `${whole.pem}${issuing.pem}${root.pem}`);
  assert.deepEqual((await pageOf(browser, other)).headline, "Expires in 300 days.");
  await make(app, PATHS.policies, [{
    name: "Many names",
    policy_type: "san_required",
    severity: "critical",
    parameters: { min_count: 2_000 },
  }]);
  await browser.post(`${other}check/`, {});
  const failing = await pageOf(browser, other);
  assert.equal(failing.tone, "warn");
  assert.match(failing.headline, /^Fails 1 of \d+ polic/);
  assert.match(failing.summary, /Expires in 300 days\./);
  assert.equal(failing.summary.match(/Fails 1/g)?.length, 1);
});
