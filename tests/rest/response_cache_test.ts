/**
 * Unchanged data are not read again: lists and exports answer 304, or from the cache, until anything that they show
 * changes.
 */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { flushTokenUses } from "../../src/auth/mod.ts";
import { DAY_MS } from "../../src/base/clock.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import {
  MAX_CACHED_RESPONSE_BYTES,
  MAX_CACHED_RESPONSES,
  RESPONSE_CACHE_BYTES,
  ResponseCache,
} from "../../src/resource/read/response_cache.ts";
import { granted, stranger } from "../support/actors.ts";
import { type Client, type TestApp, testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";

const LIST = `${PATHS.certificates}?limit=50`;

/** Returns the entity tag of a list, after the use of the token was stored. */
async function tagOf(app: TestApp, client: Client, path = LIST): Promise<string> {
  await client(path);
  await flushTokenUses(app.database);
  const response = await client(path);
  const tag = response.headers.get("etag") ?? "";
  await response.body?.cancel();
  assert.match(tag, /^W\/"[^"]+"$/);
  return tag;
}

/** Requests a list with its entity tag; 304 means that nothing has changed. */
async function asksAgain(client: Client, tag: string, path = LIST): Promise<number> {
  const response = await client(path, { headers: { "if-none-match": tag } });
  const text = await response.text();
  assert.equal(text === "", response.status === 304);
  return response.status;
}

Deno.test("A list that has not changed answers 304 without a statement, also for HEAD and for a later use of the token", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const tag = await tagOf(app, client);
  const before = app.database.statements;
  assert.equal(await asksAgain(client, tag), 304);
  assert.equal(await asksAgain(client, `"other", ${tag}`), 304);
  const head = await client(LIST, { method: "HEAD", headers: { "if-none-match": tag } });
  assert.equal(head.status, 304);
  assert.equal(app.database.statements, before);
  // After two minutes the account is loaded again, and the use of the token is stored again.
  app.clock.advance(120_000);
  assert.equal(await asksAgain(client, tag), 304);
  await flushTokenUses(app.database);
  assert.equal(await asksAgain(client, tag), 304);
  assert.equal(await asksAgain(client, 'W/"another"'), 200);
});

Deno.test("A 304 does not hide that a parameter is invalid or that a permission is missing", async () => {
  await using app = await testApp();
  const tag = await tagOf(app, await app.as("superuser"));
  assert.equal(await asksAgain(await app.as("superuser"), tag, `${PATHS.certificates}?limit=x`), 400);
  assert.equal(await asksAgain(await app.as(stranger()), "*"), 403);
});

const CHANGES: Readonly<Record<string, (app: TestApp) => Promise<void>>> = {
  "a change of an object": async (app) => {
    const client = await app.as("superuser");
    const path = `${PATHS.tenants}${seed.tenants.acme}/`;
    assert.equal((await client(path, { method: "PATCH", body: { description: "new" } })).status, 200);
  },
  "a commit of another process": async ({ database }) => {
    const other = await openFileDatabase({ path: database.path });
    await other.write((tx) => tx.run(sql`UPDATE certificates SET chain_validated_at = 1 WHERE id = 1`));
    other.close();
  },
  "a stored validation, which is not recorded": async ({ database }) => {
    await database.write((tx) => tx.run(sql`UPDATE certificates SET chain_validated_at = 1 WHERE id = 1`));
  },
  "an expiry": async (app) => {
    app.clock.advance(60_000);
    await Promise.resolve();
  },
  "the next day": async (app) => {
    app.clock.advance(DAY_MS);
    await Promise.resolve();
  },
};

for (const [what, change] of Object.entries(CHANGES)) {
  Deno.test(`The entity tag of a list changes with ${what}`, async () => {
    await using app = await testApp();
    const valid_to = new Date(TEST_NOW + 30_000).toISOString();
    await storeCertificates(app, [metadata(1, { valid_to })]);
    const client = await app.as("superuser");
    const tag = await tagOf(app, client);
    await change(app);
    assert.equal(await asksAgain(client, tag), 200);
  });
}

Deno.test("Callers with other permissions, and other URLs of the service, have other entity tags", async () => {
  await using app = await testApp();
  const superuser = await app.as("superuser");
  const reader = await app.as(granted([{ types: ["certmgr.certificate"], actions: ["view"] }]));
  const tag = await tagOf(app, superuser);
  assert.equal(await asksAgain(reader, tag), 200);
  assert.equal(await asksAgain(superuser, tag, `https://other.example${LIST}`), 200);
  assert.equal(await asksAgain(superuser, tag), 304);
});

Deno.test("A commit that does not concern a list keeps its entity tag", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const tag = await tagOf(app, client);
  await storeCertificates(app, [metadata(1)]);
  assert.equal(await asksAgain(client, tag), 200);
  const first = `${PATHS.certificates}?limit=3&start=1`;
  const other = await tagOf(app, client, first);
  await storeCertificates(app, [metadata(2)]);
  assert.equal(await asksAgain(client, other, first), 304);
});

Deno.test("The entity tag of a list that shows the use of tokens changes with a use", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const path = "/api/users/tokens/";
  const tag = await tagOf(app, client, path);
  assert.equal(await asksAgain(client, tag, path), 304);
  app.clock.advance(120_000);
  await client(LIST);
  await flushTokenUses(app.database);
  assert.equal(await asksAgain(client, tag, path), 200);
});

/** Repeats the request until the response is cached, and returns it. */
async function keptText(app: TestApp, client: Client): Promise<string> {
  const texts: string[] = [];
  for (let round = 0; round < 4; round++) {
    const before = app.database.statements;
    texts.push(await (await client(LIST)).text());
    if (round > 0) await flushTokenUses(app.database);
    if (round === 3) assert.equal(app.database.statements, before);
  }
  assert.deepEqual(texts, texts.map(() => texts[0]));
  return texts[0] as string;
}

Deno.test("A repeated list is answered with the same bytes and no statement, for the same caller only", async () => {
  await using app = await testApp();
  const superuser = await app.as("superuser");
  const all = JSON.parse(await keptText(app, superuser));
  const own = granted([{ types: ["certmgr.certificate"], actions: ["view"], constraints: { id: 2 } }]);
  const some = JSON.parse(await (await (await app.as(own))(LIST)).text());
  assert.deepEqual(some.results.map(({ id }: { id: number }) => id), [2]);
  assert(all.results.length > 1);
  const head = await superuser(LIST, { method: "HEAD" });
  assert.equal(await head.text(), "");
});

for (const [what, change] of Object.entries(CHANGES)) {
  Deno.test(`A cached list is read again after ${what}`, async () => {
    await using app = await testApp();
    const valid_to = new Date(TEST_NOW + 30_000).toISOString();
    await storeCertificates(app, [metadata(1, { valid_to })]);
    const client = await app.as("superuser");
    await keptText(app, client);
    await change(app);
    const now = await (await client(LIST)).json();
    const other = await (await client(`${LIST}&exclude=other`)).json();
    assert.deepEqual([now.count, now.results], [other.count, other.results]);
  });
}

Deno.test("Cached responses have a size limit for each and for all", () => {
  const responses = new ResponseCache();
  const keep = (key: string, size: number): number | undefined => {
    responses.store(key, { etag: "e", bytes: new Uint8Array(size) });
    return responses.get(key)?.bytes?.length;
  };
  assert.deepEqual([keep("a", 5), keep("b", MAX_CACHED_RESPONSE_BYTES + 1)], [5, undefined]);
  const size = Math.floor(RESPONSE_CACHE_BYTES / 10);
  const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`);
  for (const key of keys) {
    assert.equal(keep(key, size), size);
    responses.get("key 0");
  }
  const left = keys.filter((key) => responses.get(key) !== undefined);
  assert.deepEqual(left, ["key 0", ...keys.slice(-8)]);
  for (let index = 0; index < MAX_CACHED_RESPONSES; index++) keep(`short ${index}`, 1);
  assert.deepEqual(keys.filter((key) => responses.get(key) !== undefined), []);
});
