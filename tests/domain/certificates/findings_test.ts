/** A certificate that is malformed but readable is stored with its findings, which every interface shows. */

import assert from "node:assert/strict";
import { type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { PATHS } from "../../support/paths.ts";
import { browserOf } from "../../web/imports/browser.ts";
import { derWriter, TestCa } from "../../support/test_ca/mod.ts";

const { ascii, oid, sequence, set, tlv, utf8 } = derWriter;
const root = await TestCa.root({ cn: "Findings Root", key: "ed25519" });
const plain = await root.issue({ cn: "plain.example", key: "ed25519" });
const early = await root.issue({
  cn: "early.example",
  key: "ed25519",
  notBefore: tlv(0x18, ascii("00000101000000Z")),
});
const inverted = await root.issue({
  cn: "inverted.example",
  key: "ed25519",
  notBefore: "2026-06-01T00:00:00Z",
  notAfter: "2026-05-01T00:00:00Z",
});
const empty = await root.issue({
  subject: sequence(set(), set(sequence(oid("2.5.4.3"), utf8("empty.example")))),
  key: "ed25519",
});
const ALL = [plain, early, inverted, empty];
const YEAR_ZERO = {
  code: "year_zero",
  message: "notBefore is in the year 0000",
  section: "RFC 5280 §4.1.2.5.2",
};

/** Imports all of them with their root, and returns the ids in the order of {@link ALL}. */
async function imported(app: TestApp): Promise<number[]> {
  const client = await app.as("superuser");
  const ids: number[] = [];
  for (const { pem } of ALL) {
    const { id } = await callJson(client, `${PATHS.certificates}import/`, "POST", {
      pem_content: `${pem}\n${root.pem}`,
    });
    ids.push(id);
  }
  return ids;
}

Deno.test("an import stores malformed but readable certificates with code, message and section", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await imported(app);
  const codes = async (id: number): Promise<string[]> =>
    (await callJson(client, `${PATHS.certificates}${id}/`)).findings.map((found: { code: string }) =>
      found.code
    );
  assert.deepEqual(await Promise.all(ids.map(codes)), [
    [],
    ["time_encoding", "year_zero"],
    ["validity_inverted"],
    ["empty_rdn"],
  ]);
  const { findings, valid_from } = await callJson(client, `${PATHS.certificates}${ids[1]}/`);
  assert.deepEqual(findings[1], YEAR_ZERO);
  assert.equal(valid_from, "0000-01-01T00:00:00Z");
});

Deno.test("certificates are found by the codes of their findings", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const [plainId, earlyId, invertedId, emptyId] = await imported(app);
  const found = async (query: string): Promise<number[]> => {
    const { count, results } = await callJson(
      client,
      `${PATHS.certificates}?limit=0&fields=id&ordering=id&${query}`,
    );
    assert.equal(count, results.length);
    return results.map(({ id }: { id: number }) => id);
  };
  assert.deepEqual(await found("finding=year_zero"), [earlyId]);
  assert.deepEqual(await found("finding=year_zero&finding=empty_rdn"), [earlyId, emptyId]);
  assert.deepEqual(await found("has_findings=true"), [earlyId, invertedId, emptyId]);
  const without = await found("has_findings=false");
  assert(without.includes(plainId!) && !without.includes(earlyId!));
  const response = await client(`${PATHS.certificates}?finding=year_zeros`);
  assert.equal(response.status, 400);
  assert.match(await response.text(), /“year_zero”, /);
  await callJson(client, `${PATHS.certificates}${earlyId}/`, "PATCH", { pem_content: plain.pem });
  assert.deepEqual(await found("finding=year_zero"), [], "another PEM has other findings");
  await callJson(client, `${PATHS.certificates}${emptyId}/`, "PATCH", { pem_content: "" });
  assert.deepEqual(await found("has_findings=true"), [invertedId]);
  await callJson(client, `${PATHS.certificates}${invertedId}/`, "DELETE");
  assert.deepEqual(await found("has_findings=true"), []);
});

Deno.test("findings are in GraphQL, in exports and on the page, and nobody can write them", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const [, id] = await imported(app);
  const { data } = await callJson(client, "/graphql/", "POST", {
    query: `{ certificate_list(filters: { finding: "year_zero" }) { id findings } }`,
  });
  assert.deepEqual(data.certificate_list[0].findings[1], YEAR_ZERO);
  for (const [format, expected] of [["json", '"year_zero: notBefore'], ["csv", "year_zero: notBefore"]]) {
    const exported = await client(
      `${PATHS.certificates}export/?format=${format}&fields=id,findings&id=${id}`,
    );
    assert.match(await exported.text(), new RegExp(expected!));
  }
  const { html } = await (await browserOf(app)).get(`/certificates/${id}/`);
  assert.match(
    html,
    /href="\/certificates\/\?finding=year_zero">year zero<\/a>: <bdi>notBefore is in the year 0000/,
  );
  const patched = await callJson(client, `${PATHS.certificates}${id}/`, "PATCH", { findings: [] });
  assert.equal(patched.findings.length, 2);
});

Deno.test("a certificate that expires before it becomes valid can be edited; others cannot be changed into such a one", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const [plainId, , id] = await imported(app);
  const path = `${PATHS.certificates}${id}/`;
  await callJson(client, path, "PATCH", { private_key_location: "vault" });
  const { url: _, ...body } = await callJson(client, path);
  const same = { ...body, tags: [], tenant: null, issuing_ca: null, replaced_by: null };
  await callJson(client, path, "PUT", same);
  for (
    const [path, validity] of [
      [`${PATHS.certificates}${id}/`, { valid_to: "2026-04-01T00:00:00Z" }],
      [`${PATHS.certificates}${plainId}/`, { valid_to: "2020-01-01T00:00:00Z" }],
    ] as const
  ) {
    const response = await client(path, { method: "PATCH", body: validity });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /valid_to must not be before valid_from/);
  }
});

Deno.test("the validation of a chain reports the findings of its certificates", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await imported(app);
  const results = await Promise.all(
    ids.map((id) => callJson(client, `${PATHS.certificates}${id}/validate-chain/`, "POST")),
  );
  assert.deepEqual(results.map(({ status }) => status), ["valid", "valid", "expired", "invalid_signature"]);
  assert.match(
    results[1].warnings.join("\n"),
    /year_zero: Certificate 1 .*year 0000 \(RFC 5280 §4\.1\.2\.5\.2\)/,
  );
  assert.match(results[2].warnings.join("\n"), /validity_inverted: Certificate 1/);
  assert.match(results[3].errors.join("\n"), /malformed_certificate: Certificate 1 .*empty relative/);
});

Deno.test("a policy of the type no_findings fails certificates with codes that it does not allow", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await imported(app);
  const policies: number[] = [];
  for (const parameters of [{}, { allowed_codes: ["time_encoding", "year_zero"] }]) {
    const { id } = await callJson(client, PATHS.policies, "POST", {
      name: `No findings ${policies.length}`,
      policy_type: "no_findings",
      parameters,
    });
    policies.push(id);
  }
  const refused = await client(PATHS.policies, {
    method: "POST",
    body: { name: "Wrong", policy_type: "no_findings", parameters: { allowed_codes: ["zero_year"] } },
  });
  assert.match(await refused.text(), /zero_year/);
  assert.equal(refused.status, 400);
  await callJson(client, `${PATHS.certificates}bulk-compliance-check/`, "POST", {
    certificate_ids: ids,
    policy_ids: policies,
  });
  const { results } = await callJson(
    client,
    `${PATHS.checks}?limit=0&ordering=id&policy_id=${policies[0]}&policy_id=${policies[1]}`,
  );
  type Check = { result: string; certificate: { id: number }; policy: { id: number } };
  const resultOf = (certificate: number, policy: number): string | undefined =>
    (results as Check[]).find((one) => one.certificate.id === certificate && one.policy.id === policy)
      ?.result;
  assert.deepEqual(ids.map((id) => resultOf(id, policies[0]!)), ["pass", "fail", "fail", "fail"]);
  assert.deepEqual(ids.map((id) => resultOf(id, policies[1]!)), ["pass", "pass", "fail", "fail"]);
});
