import assert from "node:assert/strict";
import { DAY_MS } from "../../../src/base/clock.ts";
import {
  brokenRules,
  lifetimeDays,
  readRulesFile,
  type RuledCertificate,
  rulesAt,
  SHIPPED_RULES,
} from "../../../src/domain/rules/mod.ts";
import type { Usage } from "../../../src/x509/mod.ts";

const rules = SHIPPED_RULES;

function lasting(
  days: number,
  usages: readonly Usage[] = ["server_auth"],
  publiclyTrusted: boolean | null = true,
): RuledCertificate {
  return { issuer: "C=DE, O=Any CA", usages, publiclyTrusted, validFrom: 0, validTo: days * DAY_MS - 1_000 };
}

function broken(date: string, ...certificate: Parameters<typeof lasting>): string[] {
  return brokenRules(lasting(...certificate), { rules, at: Date.parse(date) }).map(({ name }) => name);
}

Deno.test("the validity of public server certificates is limited by their date of issue, to the second", () => {
  for (
    const [date, days] of [
      ["2026-03-14T23:59:59Z", 398],
      ["2026-03-15T00:00:00Z", 200],
      ["2027-03-14T23:59:59Z", 200],
      ["2027-03-15T00:00:00Z", 100],
      ["2029-03-14T23:59:59Z", 100],
      ["2029-03-15T00:00:00Z", 47],
      ["2040-01-01T00:00:00Z", 47],
    ] as const
  ) {
    assert.deepEqual(broken(date, days), [], date);
    assert.deepEqual(broken(date, days + 1), ["br-server-validity"], date);
  }
});

Deno.test("a fraction of a day counts as a day, and the last second is included", () => {
  assert.equal(lifetimeDays({ validFrom: 0, validTo: DAY_MS - 1_000 }), 1);
  assert.equal(lifetimeDays({ validFrom: 0, validTo: DAY_MS }), 2);
});

Deno.test("rules apply to publicly trusted certificates of their usage, and never to authorities", () => {
  const at = "2026-04-01";
  assert.deepEqual(broken(at, 5_000, ["server_auth"], false), []);
  assert.deepEqual(broken(at, 5_000, ["server_auth"], null), []);
  assert.deepEqual(broken(at, 5_000, ["server_auth", "ca"]), []);
  assert.deepEqual(broken(at, 5_000, ["client_auth"]), []);
  assert.deepEqual(broken(at, 461, ["code_signing"]), ["code-signing-validity"]);
  assert.deepEqual(broken(at, 460, ["code_signing"]), []);
  assert.deepEqual(broken(at, 826, ["email_protection"]), ["smime-validity"]);
  assert.deepEqual(broken("2027-03-14", 90, ["server_auth", "client_auth"]), []);
  assert.deepEqual(broken("2027-03-15", 90, ["server_auth", "client_auth"]), ["public-client-auth"]);
});

Deno.test("a rule for some issuers applies to theirs alone, until one for all takes its place", () => {
  const both = lasting(90, ["server_auth", "client_auth"]);
  const brokenBy = (issuer: string, date: string): string[] =>
    brokenRules({ ...both, issuer }, { rules, at: Date.parse(date) }).map(({ effect }) => effect);
  for (
    const [issuer, date, name] of [
      ["C=US, O=Let's Encrypt, CN=R11", "2026-07-08", "Let's Encrypt"],
      ["CN=R11, O=Let's Encrypt", "2026-07-08", "Let's Encrypt"],
      ["O=Google Trust Services", "2026-04-13", "Google Trust Services"],
      ["C=US, O=DigiCert\\, Inc., CN=DigiCert G5", "2027-03-01", "DigiCert"],
    ] as const
  ) {
    const [before, after] = [brokenBy(issuer, `${date}T00:00:00Z`), brokenBy(issuer, "2027-03-15")];
    assert.deepEqual(before, [`${name} issues no certificates for client authentication.`]);
    assert.deepEqual(brokenBy(issuer, new Date(Date.parse(date) - 1_000).toISOString()), []);
    assert.deepEqual(after, ["Server certificates are not for client authentication as well."]);
  }
  for (
    const issuer of [
      "O=Let's Encrypt Fans",
      "CN=Let's Encrypt",
      "O=Not Let's Encrypt",
      "CN=x O=Let's Encrypt",
    ]
  ) {
    assert.deepEqual(brokenBy(issuer, "2026-12-01"), [], issuer);
  }
  assert.throws(
    () => readRulesFile(JSON.stringify([{ ...rules[0], organizations: ["Acme"] }])),
    /0\.organizations: Expected none for a rule with max_days/,
  );
});

Deno.test("before the first rule, nothing is limited", () => {
  assert.deepEqual(rulesAt(rules, Date.parse("2010-01-01")), []);
});

Deno.test("a file replaces the rules, and a malformed one names its first fault", () => {
  const own = readRulesFile(JSON.stringify([{ ...rules[0], max_days: 30 }]));
  assert.deepEqual(own.map(({ max_days }) => max_days), [30]);
  assert.throws(() => readRulesFile("[]"), /^Error: The file: /);
  assert.throws(
    () => readRulesFile(JSON.stringify([{ ...rules[0], from: "2026-13-01" }])),
    /0\.from: Expected a date/,
  );
  assert.throws(() => readRulesFile("nothing"), SyntaxError);
});
