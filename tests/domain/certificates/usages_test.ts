/** What certificates are for: fields, filters, and policies that leave out authorities. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { PATHS } from "../../support/paths.ts";
import { TestCa } from "../../support/test_ca/mod.ts";
import { clear, makePolicies } from "../compliance/support.ts";

Deno.test("a PEM decides usages, kind and algorithms, and filters find them", async () => {
  await using app = await testApp();
  await clear(app);
  const client = await app.as("superuser");
  const root = await TestCa.root({ cn: "Usage Root" });
  const server = await root.issue({
    cn: "server.example",
    extendedKeyUsage: ["serverAuth"],
  });
  const mixed = await root.issue({
    cn: "client.example",
    extendedKeyUsage: ["clientAuth", "emailProtection"],
  });
  const ids: number[] = [];
  for (const pem_content of [root.pem, server.pem, mixed.pem]) {
    const stored = await callJson(client, `${PATHS.certificates}import/`, "POST", { pem_content });
    ids.push(stored.id);
  }
  const plain = await callJson(client, PATHS.certificates, "POST", {
    common_name: "plain.example",
    serial_number: "77",
    issuer: "CN=Nobody",
    valid_from: "2026-01-01",
    valid_to: "2027-01-01",
    fingerprint_sha256: "7".repeat(64),
    algorithm: "rsa",
  });
  const shown = async (id: number | undefined): Promise<unknown> => {
    const { usages, kind, key_algorithm, signature_algorithm } = await callJson(
      client,
      `${PATHS.certificates}${id}/`,
    );
    return [usages, kind, key_algorithm, signature_algorithm];
  };
  assert.deepEqual(await shown(ids[0]), [["ca"], "ca", "P-256", "ecdsa-with-SHA256"]);
  assert.deepEqual(await shown(ids[1]), [["server_auth"], "server", "P-256", "ecdsa-with-SHA256"]);
  assert.deepEqual(await shown(ids[2]), [
    ["client_auth", "email_protection"],
    "client",
    "P-256",
    "ecdsa-with-SHA256",
  ]);
  assert.deepEqual(await shown(plain.id), [[], "server", "", ""]);

  const listed = async (query: string): Promise<number[]> => {
    const { results } = await callJson(client, `${PATHS.certificates}?limit=0&key_algorithm=P-256&${query}`);
    return results.map((row: { id: number }) => row.id).filter((id: number) => ids.includes(id));
  };
  assert.deepEqual(await listed("usage=ca"), [ids[0]]);
  assert.deepEqual(await listed("usage=server_auth&usage=email_protection"), [ids[1], ids[2]]);
  assert.deepEqual(await listed("usage__n=ca"), [ids[1], ids[2]]);
  assert.deepEqual(await listed("kind=ca&kind=client"), [ids[0], ids[2]]);
  assert.deepEqual(await listed("signature_algorithm=ecdsa-with-SHA384"), []);
  const refused = await client(`${PATHS.certificates}?usage=root`);
  assert.equal(refused.status, 400);
  assert.match((await refused.json()).usage[0], /Select a valid choice .*“ca”.*not “root”/);

  await makePolicies(app, [{ policy_type: "san_required" }]);
  const path = `${PATHS.certificates}bulk-compliance-check/`;
  const checked = await callJson(client, path, "POST", { certificate_ids: ids });
  assert.deepEqual(
    checked.reports.map((
      report: { certificate_id: number; total_checks: number },
    ) => [report.certificate_id, report.total_checks]),
    [[ids[0], 0], [ids[1], 1], [ids[2], 1]],
    "policies leave out authorities",
  );
  const unchecked = await callJson(client, `${PATHS.certificates}?unchecked=true&limit=0`);
  assert(
    !unchecked.results.some(({ id }: { id: number }) => id === ids[0]),
    "an authority is not waiting for a check",
  );
});

Deno.test("post-quantum keys are ML-DSA, SLH-DSA and composites, in answers and in the filter alike", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const names: readonly [name: string, isPostQuantum: boolean][] = [
    ["ML-DSA-65", true],
    ["HashML-DSA-87-SHA512", true],
    ["SLH-DSA-SHA2-128s", true],
    ["MLDSA65-Ed25519-SHA512", true],
    ["P-256", false],
    ["RSA", false],
    ["HSS/LMS", false],
    ["", false],
  ];
  const { results } = await callJson(client, `${PATHS.certificates}?limit=1&status=active`);
  const id = results[0].id;
  for (const [name, isPostQuantum] of names) {
    await app.database.write((tx) =>
      tx.run(sql`UPDATE certificates SET key_algorithm = ${name} WHERE id = ${id}`)
    );
    assert.equal((await callJson(client, `${PATHS.certificates}${id}/`)).post_quantum, isPostQuantum, name);
    for (const value of [true, false]) {
      const listed = await callJson(client, `${PATHS.certificates}?id=${id}&post_quantum=${value}`);
      assert.equal(listed.results.length === 1, value === isPostQuantum, `${name} ${value}`);
    }
  }
});
