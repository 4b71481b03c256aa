/** Each chain is stored once, and certificates show their original text. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Database } from "../../../src/db/mod.ts";
import { type Client, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { PATHS } from "../../support/paths.ts";
import { TestCa } from "../../support/test_ca/mod.ts";

const root = await TestCa.root({ cn: "Chain Root", key: "ed25519" });
const issuing = await root.intermediate({ cn: "Chain CA", key: "ed25519" });
const leaves = await Promise.all(
  ["one", "two", "three"].map((name) => issuing.issue({ cn: `${name}.chains.example`, key: "ed25519" })),
);

async function texts(database: Database): Promise<string[]> {
  const rows = await database.all<{ content: string }>(sql`SELECT content FROM issuer_chains ORDER BY id`);
  return rows.map(({ content }) => content);
}

async function chainOf(client: Client, id: number | undefined): Promise<string> {
  return (await callJson(client, `${PATHS.certificates}${id}/`)).issuer_chain;
}

async function importAll(client: Client): Promise<number[]> {
  const body = leaves.map(({ pem }) => ({ pem_content: pem + issuing.pem + root.pem }));
  const { certificates } = await callJson(client, `${PATHS.certificates}bulk-import/`, "POST", body);
  return certificates.map(({ id }: { id: number }) => id);
}

Deno.test("certificates with the same chain share one text, which is deleted with the last of them", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const before = await texts(app.database);
  const own = async (): Promise<string[]> =>
    (await texts(app.database)).filter((one) => !before.includes(one));
  const ids = await importAll(client);
  const chain = issuing.pem + root.pem;
  assert.deepEqual(await Promise.all(ids.map((id) => chainOf(client, id))), [chain, chain, chain]);
  assert.deepEqual(await own(), [chain]);

  const path = (index: number): string => `${PATHS.certificates}${ids[index]}/`;
  const patched = await callJson(client, path(0), "PATCH", { issuer_chain: issuing.pem });
  assert.equal(patched.issuer_chain, issuing.pem);
  assert.deepEqual(await own(), [chain, issuing.pem]);
  assert.equal((await callJson(client, path(0), "PATCH", { issuer_chain: "" })).issuer_chain, "");
  assert.deepEqual(await own(), [chain], "a text that no certificate has is deleted");
  await callJson(client, path(1), "DELETE");
  assert.deepEqual(await own(), [chain]);
  assert.equal(await chainOf(client, ids[2]), chain);
  await callJson(client, path(2), "DELETE");
  assert.deepEqual(await own(), []);
  assert.deepEqual(await texts(app.database), before);
});

Deno.test("a refused import stores no chain", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const before = await texts(app.database);
  const [first] = leaves;
  const body = [first, first].map((leaf) => ({ pem_content: leaf!.pem + root.pem }));
  const response = await client(`${PATHS.certificates}bulk-import/`, { method: "POST", body });
  assert.equal(response.status, 400, await response.text());
  assert.deepEqual(await texts(app.database), before);
});
