/** Many large names in one request: a limit, checked before anything is stored, and pauses between the statements. */

import assert from "node:assert/strict";
import { MAX_WRITTEN_CHARS, USUAL_NAME_CHARS } from "../../src/base/limits.ts";
import { type Client, testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";

/** Objects whose names have the maximum number of characters together, with issuers and the brackets of lists. */
const COUNT = 32;
const PART = USUAL_NAME_CHARS + MAX_WRITTEN_CHARS / COUNT;

/** Returns bodies of `PART` characters each; the first one has `more` additional ones. */
function bodies(count: number, more = 0): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => {
    const body = metadata(1_000 + index);
    const rest = String(body.issuer).length + JSON.stringify(body.sans ?? []).length;
    const length = PART - rest + (index === 0 ? more : 0);
    return { ...body, common_name: `n${index}.`.padEnd(length, "x") };
  });
}

async function numberOf(client: Client): Promise<number> {
  const response = await client(`${PATHS.certificates}?limit=1&fields=id`);
  return (await response.json()).count;
}

Deno.test("a request whose names together exceed the limit is refused and stores nothing; at the limit it is accepted", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const before = await numberOf(client);
  const refused = await client(PATHS.certificates, { method: "POST", body: bodies(COUNT, 1) });
  assert.equal(refused.status, 413);
  assert.match(
    (await refused.json()).detail,
    new RegExp(
      `common_name.* have ${MAX_WRITTEN_CHARS + 1} characters.* at most ${MAX_WRITTEN_CHARS}\\. Send fewer`,
    ),
  );
  assert.equal(await numberOf(client), before);
  const stored = await client(PATHS.certificates, { method: "POST", body: bodies(COUNT) });
  assert.equal(stored.status, 201, stored.ok ? "" : await stored.text());
  const long = Array.from(
    { length: COUNT + 1 },
    (_, index) => ({ comments: 1, sans: ["x".repeat(PART)], index }),
  );
  const unread = await client(PATHS.certificates, { method: "POST", body: long });
  assert.equal(unread.status, 413, "the size counts before anything else is wrong");
  const ids = (await stored.json()).map(({ id }: { id: number }) => id);
  const change = (length: number): Promise<Response> =>
    client(PATHS.certificates, {
      method: "PATCH",
      body: ids.map((id: number, index: number) => ({ id, common_name: `m${index}.`.padEnd(length, "y") })),
    });
  const names = await change(PART);
  assert.equal(names.status, 200, names.ok ? "" : await names.text());
  await names.body?.cancel();
  assert.equal((await change(PART + 1)).status, 413);
});

Deno.test("an import whose names are too large together is refused", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const before = await numberOf(client);
  const path = `${PATHS.certificates}bulk-data-import/`;
  const refused = await client(path, { method: "POST", body: { content: JSON.stringify(bodies(COUNT, 1)) } });
  assert.equal(refused.status, 413, await refused.text());
  assert.equal(await numberOf(client), before);
});

Deno.test("large names are stored in separate statements, so that other requests run in between", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const statementsOf = async (body: unknown): Promise<number> => {
    const before = app.database.statements;
    const response = await client(PATHS.certificates, { method: "POST", body });
    assert.equal(response.status, 201, response.ok ? "" : await response.text());
    await response.body?.cancel();
    return app.database.statements - before;
  };
  const small = Array.from({ length: COUNT }, (_, index) => metadata(index));
  await statementsOf(metadata(999)); // fills caches
  const usual = await statementsOf(small);
  // Two names of 32 KiB are more than one statement writes; change records have each name twice.
  const more = await statementsOf(bodies(COUNT)) - usual;
  assert(more >= COUNT - 1 + 2, `${more} more statements`);
});
