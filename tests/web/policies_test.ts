/** The pages of policies: what they require, their results, and the action that checks certificates. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../src/base/clock.ts";
import {
  bulkCheckCertificates,
  POLICY_TYPES,
  type PolicyType,
  storeDailyScore,
} from "../../src/domain/compliance/mod.ts";
import { requirementOf } from "../../src/web/pages/compliance/rule_texts.ts";
import { granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { seed } from "../support/seed.ts";
import { clear, makePolicies, viewerOf } from "../domain/compliance/support.ts";
import { browserOf, textOf } from "./imports/browser.ts";
import { countOf } from "./list_counts.ts";

const REQUIREMENTS: Readonly<
  Record<PolicyType, readonly [parameters: Record<string, unknown>, text: string][]>
> = {
  min_key_size: [
    [{}, "Keys must have at least 2,048 bits, elliptic-curve keys at least 256."],
    [
      { min_bits: 3072, min_ec_bits: 384 },
      "Keys must have at least 3,072 bits, elliptic-curve keys at least 384.",
    ],
  ],
  max_validity_days: [[{ max_days: 1 }, "Certificates must be valid for at most 1 day."]],
  algorithm_allowed: [[{ algorithms: ["rsa", "ed25519"] }, "Keys and signatures must be RSA or Ed25519."]],
  algorithm_forbidden: [[{ algorithms: ["rsa"] }, "Keys and signatures must not be RSA."]],
  expiry_warning: [[{}, "Certificates must be renewed more than 30 days before they expire."]],
  chain_required: [[{}, "Certificates must have a complete chain, which must be valid."]],
  san_required: [
    [{}, "Certificates must have at least one subject alternative name."],
    [{ min_count: 2 }, "Certificates must have at least 2 subject alternative names."],
  ],
  wildcard_forbidden: [[{}, "Names must not contain a wildcard."]],
  issuer_allowed: [
    [{ issuers: ["Acme", "R3"] }, "The name of the issuer must contain “Acme” or “R3”."],
    [
      { issuers: ["A", "B", "C", "D", "E", "F"] },
      "The name of the issuer must contain “A”, “B”, “C”, “D” or 2 others.",
    ],
  ],
  issuer_forbidden: [[{ issuers: ["Acme"] }, "The name of the issuer must not contain “Acme”."]],
  no_findings: [
    [{}, "Certificates must have no findings."],
    [{ allowed_codes: ["negative_serial"] }, "Certificates must have no findings"],
  ],
  usage_allowed: [[
    { usages: ["server_auth", "ca"] },
    "Certificates may be used only for server auth or ca.",
  ]],
  usage_forbidden: [
    [{ usages: ["client_auth"] }, "Publicly trusted certificates must not be usable for client auth."],
    [{ usages: ["any"], publicly_trusted_only: false }, "Certificates must not be usable for any."],
  ],
  signature_forbidden: [[{ algorithms: ["sha1"] }, "Signatures must not be sha1."]],
  not_distrusted: [[{}, "No key, certificate or root on the path may be distrusted."]],
  rules_in_force: [[
    {},
    "Publicly trusted certificates must keep the rules of the day on which they were issued.",
  ]],
  scts_present: [
    [{}, "Publicly trusted server certificates must have at least 2 signed timestamps."],
    [{ min: 3 }, "Publicly trusted server certificates must have at least 3 signed timestamps."],
  ],
  not_revoked: [[{}, "A check in the last 7 days must say that the certificate is not revoked."]],
};

Deno.test("each type of policy says what it requires with its parameters", () => {
  assert.deepEqual(Object.keys(REQUIREMENTS), [...POLICY_TYPES]);
  for (const policy_type of POLICY_TYPES) {
    for (const [parameters, text] of REQUIREMENTS[policy_type]) {
      const actual = requirementOf({ policy_type, parameters });
      assert.ok(actual.startsWith(text), `${policy_type}: ${actual}`);
    }
  }
});

/** Runs two policies on all certificates, on two days, and returns their ids. */
async function runTwo(app: TestApp): Promise<number[]> {
  await clear(app);
  const ids = await makePolicies(app, [
    { name: "Soon", policy_type: "expiry_warning", severity: "critical", description: "Rules of the house" },
    { name: "Off", policy_type: "chain_required", tenant: { slug: "acme" }, enabled: false },
  ]);
  const run = () =>
    bulkCheckCertificates({
      ctx: app.ctx,
      input: { certificate_ids: Object.values(seed.certificates), policy_ids: ids },
    });
  await run();
  await storeDailyScore(app);
  app.clock.advance(DAY_MS);
  await run();
  await storeDailyScore(app);
  return ids;
}

Deno.test("a policy says what it requires, and each of its numbers leads to the objects that it counts", async () => {
  await using app = await testApp();
  const [soon, off] = await runTwo(app);
  const client = await app.as("superuser");
  const browser = await browserOf(app);
  const { html } = await browser.get(`/policies/${soon}/`);
  const text = textOf(html);
  assert.match(
    text,
    /critical Certificates must be renewed more than 30 days before they expire\. Rules of the house/,
  );
  const links = [
    ...html.matchAll(/<a href="([^"]*)">([\d,]+)(?: of ([\d,]+))? (certificates? pass|fails?)/g),
  ];
  assert.equal(links.length, 2);
  for (const [, href = "", part, total] of links) {
    assert.equal(await countOf(client, href), Number(total ?? part), href);
  }
  assert.doesNotMatch(html, /unchecked_by=\d+">/);

  await app.database.write((tx) =>
    tx.run(sql`DELETE FROM compliance_checks WHERE certificate_id = ${seed.certificates.acmeWeb}`)
  );
  const [, open = "", count] = /<a href="([^"]*unchecked_by[^"]*)">(\d+) certificate/.exec(
    (await browser.get(`/policies/${soon}/`)).html,
  ) ?? [];
  assert.equal(await countOf(client, open), Number(count));
  assert.match(textOf((await browser.get(`/policies/${off}/`)).html), /Tenant Acme Corp/);
});

Deno.test("the list of policies shows what they require, and how many certificates fail", async () => {
  await using app = await testApp();
  await runTwo(app);
  const client = await app.as("superuser");
  const { html } = await (await browserOf(app)).get("/policies/");
  const shares = [...html.matchAll(/<a href="(\/checks\/[^"]*)">(?:all )?(\d+)/g)];
  assert.equal(shares.length, 2);
  for (const [, href = "", count] of shares) assert.equal(await countOf(client, href), Number(count), href);
  assert.match(textOf(html), /Certificates must have a complete chain.*disabled/);
});

Deno.test("a user sees the results of the certificates that they may view, and no trend", async () => {
  await using app = await testApp();
  const [soon] = await runTwo(app);
  const { html } = await (await browserOf(app, viewerOf("acme"))).get(`/policies/${soon}/`);
  assert.doesNotMatch(html, /globex/);
  assert.doesNotMatch(html, /id="trend"/);
  assert.doesNotMatch(html, /\/check\/"/);
});

Deno.test("Check now runs the policy on certificates in use, first on those without a current result", async () => {
  await using app = await testApp();
  const [soon] = await runTwo(app);
  const client = await app.as("superuser");
  const browser = await browserOf(app);
  const { acmeWeb } = seed.certificates;
  await app.database.write((tx) =>
    tx.run(sql`DELETE FROM compliance_checks WHERE certificate_id = ${acmeWeb} AND policy_id = ${soon}`)
  );
  app.clock.advance(1_000);
  const answer = await browser.post(`/policies/${soon}/check/`);
  assert.equal(answer.location, `/policies/${soon}/`);
  const inUse = await callJson(
    client,
    "/api/plugins/certmgr/certificates/?in_use=true&limit=1",
  );
  const [run] = await app.database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM compliance_checks WHERE policy_id = ${soon} AND checked_at = ${app.clock.now()}`,
  );
  assert.equal(run?.n, inUse.count);
  const blind = await browserOf(app, granted([{ types: ["certmgr.compliancepolicy"], actions: ["view"] }]));
  const refused = await blind.post(`/policies/${soon}/check/`);
  assert.ok([303, 403].includes(refused.status), `${refused.status}`);
  assert.equal(
    (await browser.post("/policies/999/check/")).status,
    404,
    "nothing is said about its certificates",
  );
});
