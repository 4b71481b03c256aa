/** The long texts of a page or of a bulk write are measured before they are read. */

import assert from "node:assert/strict";
import { MAX_LONG_TEXT_BYTES } from "../../src/base/limits.ts";
import { sql } from "drizzle-orm";
import { type TestApp, testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { metadata, storeCertificates } from "../support/stored.ts";

const FIT = 16;
const CHARS = MAX_LONG_TEXT_BYTES / FIT;

/** Stores as many chains as fit exactly, and one certificate with a chain of one byte. */
async function storeChains(app: TestApp): Promise<number[]> {
  const ids = await storeCertificates(
    app,
    Array.from(
      { length: FIT + 1 },
      (_, index) => metadata(index, { valid_to: "2026-01-02T00:00:00Z" }),
    ),
  );
  for (const [index, id] of ids.entries()) {
    // Two bytes per character: the limit counts bytes.
    const text = index === FIT ? "x" : "é".repeat(CHARS / 2);
    await app.database.write((tx) =>
      tx.runAll([
        sql`INSERT INTO issuer_chains (sha256, content) VALUES (${text}, ${text}) ON CONFLICT DO NOTHING`,
        sql`INSERT INTO certificate_issuer_chains (certificate_id, chain_id)
          SELECT ${id}, id FROM issuer_chains WHERE content = ${text}`,
      ])
    );
  }
  return ids;
}

/** Checks that a request with all ids is refused, and that it succeeds without the last one. */
async function bothSides(
  ids: readonly number[],
  send: (ids: readonly number[]) => Promise<Response>,
): Promise<void> {
  const refused = await send(ids);
  const { detail } = await refused.json();
  assert.equal(refused.status, 413, detail);
  assert.match(
    detail,
    new RegExp(
      `issuer_chain.*${MAX_LONG_TEXT_BYTES + 1} bytes.*${MAX_LONG_TEXT_BYTES}\\. `,
    ),
  );
  const accepted = await send(ids.slice(0, FIT));
  assert(
    accepted.ok,
    `${accepted.status} ${accepted.ok ? "" : await accepted.text()}`,
  );
  await accepted.body?.cancel();
}

Deno.test("a page or bulk write whose long texts exceed the budget answers 413, one at the limit succeeds", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await storeChains(app);
  const filter = (some: readonly number[]) => some.map((id) => `id=${id}`).join("&");
  const list = `${PATHS.certificates}?fields=id,issuer_chain`;
  for (const way of ["", "&start=1", "&ordering=-common_name"]) {
    await bothSides(ids, (some) => client(`${list}${way}&${filter(some)}`));
  }
  const paged = await client(`${list}&start=1&limit=${FIT}&${filter(ids)}`);
  assert.equal(
    (await paged.json()).results.length,
    FIT,
    "the row behind a page does not count",
  );
  const brief = await client(`${PATHS.certificates}?${filter(ids)}`);
  assert.equal(
    (await brief.json()).results.length,
    FIT + 1,
    "pages without long texts are not limited",
  );
  const none = await client(`${list}&id=999999`);
  assert.deepEqual((await none.json()).results, []);
  const body = (some: readonly number[], rest: object = {}) => some.map((id) => ({ id, ...rest }));
  await bothSides(
    ids,
    (some) =>
      client(PATHS.certificates, {
        method: "PATCH",
        body: body(some, { common_name: "new" }),
      }),
  );
  await bothSides(
    ids,
    (some) =>
      client(`${PATHS.certificates}bulk-status-update/`, {
        method: "POST",
        body: { ids: some, status: "revoked" },
      }),
  );
  await bothSides(
    ids,
    (some) => client(PATHS.certificates, { method: "DELETE", body: body(some) }),
  );
});

Deno.test("GraphQL lists and nested objects obey the budget of long texts", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await storeChains(app);
  await storeReplacements(app, ids);
  const ask = async (
    query: string,
  ): Promise<{ errors?: { message: string }[] }> =>
    await (await client("/graphql/", { method: "POST", body: { query } }))
      .json();
  for (const selection of ["issuer_chain", "replaced_by { issuer_chain }"]) {
    for (const [count, passes] of [[FIT + 1, false], [FIT, true]] as const) {
      const query = `{ certificate_list(filters: {id: [${ids.slice(0, count)}]}) { id ${selection} } }`;
      const { errors } = await ask(query);
      assert.equal(
        errors === undefined,
        passes,
        JSON.stringify(errors)?.slice(0, 300),
      );
      if (!passes) {
        assert.match(errors?.[0]?.message ?? "", /issuer_chain.* bytes/);
      }
    }
  }
});

Deno.test("all lists of a GraphQL request share one budget of long texts, whatever refers to them", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await storeChains(app);
  const half = FIT / 2;
  const list = (some: readonly number[], selection = "issuer_chain") =>
    `certificate_list(filters: {id: [${some}]}) { id ${selection} }`;
  const ask = async (query: string) => {
    const response = await client("/graphql/", { method: "POST", body: { query } });
    return await response.json() as {
      data?: Record<string, unknown>;
      errors?: { message: string; path: string[] }[];
    };
  };
  const fitting = await ask(`{ a: ${list(ids.slice(0, half))} b: ${list(ids.slice(half, FIT))} }`);
  assert.equal(fitting.errors, undefined, JSON.stringify(fitting.errors));
  const aliases = Array.from({ length: 10 }, (_, index) => `a${index}: ${list(ids.slice(0, half))}`);
  const { errors = [] } = await ask(`{ ${aliases.join(" ")} none: ${list([], "id")} }`);
  assert.deepEqual(errors[0]?.path, ["a2"]);
  assert.match(errors[0]?.message ?? "", new RegExp(`${half * 3 * CHARS} bytes together`));
  // One text that all rows refer to is read once, but written for each of them.
  await app.database.write((tx) => tx.run(sql`UPDATE certificates SET replaced_by_id = ${ids[0]}`));
  const shared = (count: number) => ask(`{ ${list(ids.slice(0, count), "replaced_by { issuer_chain }")} }`);
  assert.equal((await shared(FIT)).errors, undefined);
  assert.match((await shared(FIT + 1)).errors?.[0]?.message ?? "", /bytes together/);
});

/** Makes each certificate its own replacement, so that a nested level reads the same texts. */
async function storeReplacements(
  app: TestApp,
  ids: readonly number[],
): Promise<void> {
  await app.database.write((tx) =>
    tx.runAll(
      ids.map((id) => sql`UPDATE certificates SET replaced_by_id = ${id} WHERE id = ${id}`),
    )
  );
}

Deno.test("the expiry sweep changes all certificates, also where their long texts exceed the budget", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids = await storeChains(app);
  const response = await client(`${PATHS.certificates}expiry-sweep/`, {
    method: "POST",
    body: {},
  });
  assert.equal(response.status, 200, await response.clone().text());
  assert((await response.json()).expired_count >= ids.length);
});

/** Stores certificates whose common names have this number of characters. */
async function storeNames(app: TestApp, count: number, chars: number): Promise<void> {
  const ids = await storeCertificates(app, Array.from({ length: count }, (_, index) => metadata(index)));
  const name = "n".repeat(chars);
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET common_name = ${name} || id WHERE id IN (SELECT value FROM json_each(${
        JSON.stringify(ids)
      }))`,
    )
  );
}

Deno.test("pages whose names are too large together are refused, in every form of a list", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await storeNames(app, 300, 64_000);
  for (const query of ["", "brief=true&", "start=1&", "ordering=-issuer&", "fields=id,display&"]) {
    const refused = await client(`${PATHS.certificates}?${query}limit=300`);
    const { detail } = await refused.json();
    assert.equal(refused.status, 413, detail);
    assert.match(detail, /common_name.*Request fewer rows/);
    const fitting = await client(`${PATHS.certificates}?${query}limit=200`);
    assert.equal(fitting.status, 200);
    await fitting.body?.cancel();
    const without = await client(`${PATHS.certificates}?fields=id,status&limit=300`);
    assert.equal((await without.json()).results.length, 300);
  }
  const ask = async (body: string) => {
    const response = await client("/graphql/", { method: "POST", body: { query: `{ ${body} }` } });
    return (await response.json()).errors?.[0]?.message ?? "";
  };
  const list = (limit: number) => `certificate_list(pagination: {limit: ${limit}}) { common_name }`;
  assert.match(await ask(list(300)), /common_name/);
  assert.equal(await ask(list(200)), "");
  assert.match(
    await ask(Array.from({ length: 4 }, (_, index) => `a${index}: ${list(100)}`).join(" ")),
    /common_name/,
  );
});
