/** The filter `breaks_rule` selects the certificates for which the rule says so, at every date. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { ValidityRule } from "../../../src/auth/mod.ts";
import { brokenRules, SHIPPED_RULES } from "../../../src/domain/rules/mod.ts";
import { DAY_MS } from "../../../src/base/clock.ts";
import { testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";

const PATH = "/api/plugins/certmgr/certificates/?limit=1000&fields=id";
const ISSUERS = ["C=US, O=Let's Encrypt, CN=R11", "O=DigiCert\\, Inc.", "O=DigiCert Inc, C=US", "CN=Other"];
const DATES = [
  "2026-03-14",
  "2026-03-15",
  "2026-07-08",
  "2027-03-01",
  "2027-03-14",
  "2027-03-15",
  "2029-03-15",
  "2030-01-01",
];
const NAMES = [
  "br-server-validity",
  "code-signing-validity",
  "smime-validity",
  "public-client-auth",
] as const;
/** Lifetimes at both sides of each limit, by the second; the last second is included. */
const LIFETIMES = [47, 100, 200, 398, 460, 825].flatMap((days) => [days * DAY_MS - 1_000, days * DAY_MS]);
const USAGES = [
  ["server_auth"],
  ["server_auth", "client_auth"],
  ["client_auth"],
  ["code_signing"],
  ["email_protection"],
  ["server_auth", "ca"],
] as const;

Deno.test("a rule is broken by exactly the certificates that could not be issued again", async () => {
  await using app = await testApp();
  await app.ctx.database.write(async (tx) => {
    const rows = await tx.all<{ id: number; valid_from: number }>(
      sql`SELECT id, valid_from FROM certificates`,
    );
    for (const [index, { id, valid_from }] of rows.entries()) {
      const usages = JSON.stringify(USAGES[index % USAGES.length]);
      const validTo = valid_from + (LIFETIMES[(index * 7) % LIFETIMES.length] ?? 0);
      await tx.run(sql`UPDATE certificates SET usages = ${usages}, valid_to = ${validTo},
        publicly_trusted = ${[1, 1, 1, 0, null][index % 5]}, issuer = ${
        ISSUERS[index % 4]
      }, status = 'active' WHERE id = ${id}`);
    }
  });
  const rows = await app.ctx.database.all<
    {
      id: number;
      issuer: string;
      valid_from: number;
      valid_to: number;
      usages: string;
      publicly_trusted: number | null;
    }
  >(sql`SELECT id, issuer, valid_from, valid_to, usages, publicly_trusted FROM certificates`);
  const client = await app.as("superuser");
  let found = 0;
  for (const date of DATES) {
    for (const name of NAMES) {
      const expected = rows.filter((row) =>
        brokenRules({
          issuer: row.issuer,
          usages: JSON.parse(row.usages),
          validFrom: row.valid_from,
          validTo: row.valid_to,
          publiclyTrusted: row.publicly_trusted === null ? null : row.publicly_trusted === 1,
        }, { rules: SHIPPED_RULES, at: Date.parse(date) }).some((rule) => rule.name === name)
      ).map(({ id }) => id);
      const { results } = await callJson(client, `${PATH}&breaks_rule=${name}&rule_date=${date}`);
      const ids = results.map(({ id }: { id: number }) => id);
      assert.deepEqual(
        ids.sort((a: number, b: number) => a - b),
        expected.sort((a, b) => a - b),
        `${name} ${date}`,
      );
      found += ids.length;
    }
  }
  assert.ok(found > 10, `${found}`);
  const query =
    `{ certificate_list(filters: {breaks_rule: "br-server-validity", rule_date: "2030-01-01"}) { id } }`;
  const { data, errors } = await (await client("/graphql/", { method: "POST", body: { query } })).json();
  assert.deepEqual(errors, undefined);
  const { count } = await callJson(client, `${PATH}&breaks_rule=br-server-validity&rule_date=2030-01-01`);
  assert.equal(data.certificate_list.length, count);
});

Deno.test("what breaks a rule needs a known rule and a date", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (
    const [query, field] of [
      ["breaks_rule=br", "breaks_rule"],
      ["breaks_rule=smime-validity&rule_date=soon", "rule_date"],
    ] as const
  ) {
    const response = await client(`${PATH}&${query}`);
    assert.deepEqual([response.status, Object.keys(await response.json())], [400, [field]], query);
  }
  const { count } = await callJson(client, `${PATH}&rule_date=2030-01-01`);
  assert.equal(count, (await callJson(client, PATH)).count);
});

Deno.test("rules of a file are known by their names, others are refused", async () => {
  const days = (name: string, max_days: number | null): ValidityRule => ({
    name,
    applies_to: "server_auth",
    from: "2020-01-01",
    max_days,
    effect: "",
    source: "",
  });
  const rules = [days("own-lifetime", 10), days("own-other", null), days("br-dcv-reuse", 1)];
  await using app = await testApp({ settings: { rules } });
  await app.ctx.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET usages = '["server_auth"]', publicly_trusted = 1, status = 'active'`)
  );
  const client = await app.as("superuser");
  const count = async (name: string): Promise<number> =>
    (await callJson(client, `${PATH}&breaks_rule=${name}`)).count;
  assert.ok(await count("own-lifetime") > 0);
  assert.equal(await count("own-other"), 0);
  assert.equal(await count("br-dcv-reuse"), 0);
  assert.equal(await count("br-server-validity"), 0);
  const refused = await client(`${PATH}&breaks_rule=own-unknown`);
  assert.equal(refused.status, 400);
  assert.deepEqual(Object.keys(await refused.json()), ["breaks_rule"]);
});
