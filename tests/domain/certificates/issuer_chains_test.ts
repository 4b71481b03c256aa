/** Each chain is stored once, and certificates show their original text. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { shareStoredChains } from "../../../src/domain/certificates/status/mod.ts";
import type { Database } from "../../../src/db/mod.ts";
import { type Client, type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { PATHS } from "../../support/paths.ts";
import { lastChange } from "../../support/store.ts";
import { metadata, storeCertificates } from "../../support/stored.ts";
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

/** Stores chains like an earlier release, separately for each certificate; every fourth certificate has none. */
async function storeEarlier(app: TestApp, count: number): Promise<Map<number, string>> {
  const ids = await storeCertificates(app, Array.from({ length: count }, (_, index) => metadata(index)));
  const chains = new Map(
    ids.map((id, index) => [id, ["", "first chain", "second é", `chain ${id}`][index % 4]!]),
  );
  await app.database.write((tx) =>
    tx.runAll([
      ...[...chains].map(([id, text]) =>
        sql`INSERT INTO certificate_texts (certificate_id, issuer_chain) VALUES (${id}, ${text})`
      ),
      sql`INSERT INTO unshared_issuer_chains VALUES (${ids[0]}, ${ids.at(-1)})`,
    ])
  );
  return chains;
}

async function shown(client: Client, ids: Iterable<number>): Promise<Map<number, string>> {
  const query = [...ids].map((id) => `id=${id}`).join("&");
  const { results } = await callJson(client, `${PATHS.certificates}?limit=0&fields=id,issuer_chain&${query}`);
  return new Map(results.map((one: { id: number; issuer_chain: string }) => [one.id, one.issuer_chain]));
}

Deno.test("chains stored by earlier releases are shown unchanged, before and after a job moves them", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const chains = await storeEarlier(app, 250);
  const shared = await texts(app.database);
  assert.deepEqual(await shown(client, chains.keys()), chains);

  const stopping = new AbortController();
  const stopped: Database = new Proxy(app.database, {
    get(target, name): unknown {
      const value = Reflect.get(target, name);
      if (name !== "write") return typeof value === "function" ? value.bind(target) : value;
      return (...work: Parameters<typeof target.write>) => {
        stopping.abort();
        return target.write(...work);
      };
    },
  });
  const ctx = { ...app.ctx, database: stopped };
  assert.deepEqual(await shareStoredChains({ ctx, signal: stopping.signal }), { chains_moved: 75 });
  assert.deepEqual(await shown(client, chains.keys()), chains, "half of them are moved");

  const [, replaced, emptied] = [...chains.keys()].slice(-4) as [number, number, number, number];
  await callJson(client, `${PATHS.certificates}${replaced}/`, "PATCH", { issuer_chain: "another" });
  await callJson(client, `${PATHS.certificates}${emptied}/`, "PATCH", { issuer_chain: "" });
  chains.set(replaced, "another").set(emptied, "");
  assert.deepEqual(await shown(client, chains.keys()), chains, "what is written later counts");

  const last = await lastChange(app.database);
  await shareStoredChains({ ctx: app.ctx });
  assert.deepEqual(await shown(client, chains.keys()), chains);
  assert.equal(await lastChange(app.database), last, "moving a text is no change");
  assert.deepEqual(
    (await texts(app.database)).filter((one) => !shared.includes(one)).sort(),
    [...new Set(chains.values())].filter((text) => text !== "").sort(),
  );
  const [left] = await app.database.all<{ texts: number; open: number }>(
    sql`SELECT (SELECT count(*) FROM certificate_texts WHERE issuer_chain <> '') AS texts,
          (SELECT count(*) FROM unshared_issuer_chains) AS open`,
  );
  assert.deepEqual(left, { texts: 0, open: 0 });
  assert.deepEqual(await shareStoredChains({ ctx: app.ctx }), { chains_moved: 0 });
});
