/** The number of enabled webhooks is limited, in every way to enable one. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Context } from "../../../src/auth/mod.ts";
import { webhooks } from "../../../src/domain/webhooks/mod.ts";
import { createObject, createObjects, updateObject, updateObjects } from "../../../src/resource/mod.ts";
import { testContext } from "../../support/context.ts";
import { testDatabase } from "../../support/database.ts";
import { refusal } from "../../support/refusals.ts";
import { MAX_WEBHOOKS } from "../../../src/domain/webhooks/resource.ts";

const BEYOND = { enabled: ["At most 100 webhooks can be enabled. Disable or delete one first."] };

function inputs(count: number, fields: Record<string, unknown> = {}): Record<string, unknown>[] {
  return Array.from({ length: count }, () => ({
    name: crypto.randomUUID(),
    object_types: ["certmgr.certificate"],
    events: ["created"],
    payload_url: "https://hooks.example/",
    ...fields,
  }));
}

async function create(ctx: Context, count: number, fields?: Record<string, unknown>): Promise<number[]> {
  const made = await createObjects({ ctx, resource: webhooks, input: inputs(count, fields) });
  return made.map(({ id }) => id as number);
}

async function countEnabled({ database }: Context): Promise<number | undefined> {
  const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM webhooks WHERE enabled = 1`);
  return row?.n;
}

Deno.test("the last webhook within the limit is created, the next one answers 400", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await create(ctx, MAX_WEBHOOKS - 1);
  const refused = await refusal(create(ctx, 2));
  assert.equal(refused.code, "invalid");
  assert.deepEqual(refused.public, [{}, BEYOND]);
  assert.equal(await countEnabled(ctx), MAX_WEBHOOKS - 1);
  await create(ctx, 1);
  assert.deepEqual((await refusal(create(ctx, 1))).public, [BEYOND]);
  await create(ctx, 1, { enabled: false });
});

Deno.test("a webhook is enabled only within the limit, also by a new URL and instead of another one", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const [first] = await create(ctx, MAX_WEBHOOKS) as [number];
  const [idle, gone] = await create(ctx, 2, { enabled: false }) as [number, number];
  await database.write((tx) => tx.run(sql`UPDATE webhooks SET disabled_reason = '410' WHERE id = ${gone}`));
  const change = (id: number, input: unknown) => () =>
    updateObject({ ctx, resource: webhooks, id, input, mode: "patch" });
  const moved = change(gone, { payload_url: "https://other.example/" });
  for (const attempt of [change(idle, { enabled: true }), moved]) {
    assert.deepEqual((await refusal(attempt)).public, BEYOND);
  }
  await change(first, { enabled: true, name: "still enabled" })();
  await change(idle, { name: "still disabled" })();
  const swap = [{ id: idle, enabled: true }, { id: first, enabled: false }];
  await updateObjects({ ctx, resource: webhooks, input: swap, mode: "patch" });
  assert.equal(await countEnabled(ctx), MAX_WEBHOOKS);
  await change(idle, { enabled: false })();
  await moved();
  assert.equal(await countEnabled(ctx), MAX_WEBHOOKS);
});

Deno.test("concurrent requests do not exceed the limit together", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await create(ctx, MAX_WEBHOOKS - 3);
  const results = await Promise.allSettled(
    inputs(8).map((input) => createObject({ ctx, resource: webhooks, input })),
  );
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 3);
  assert.equal(await countEnabled(ctx), MAX_WEBHOOKS);
});
