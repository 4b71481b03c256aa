import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { authenticate, flushTokenUses, hashKey } from "../../../../src/auth/mod.ts";
import { tokens } from "../../../../src/domain/accounts/tokens/mod.ts";
import {
  ALL_FIELDS,
  createObject,
  deleteObject,
  getObject,
  listObjects,
  parseListQuery,
  updateObject,
} from "../../../../src/resource/mod.ts";
import { seedToken, seedUser } from "../../../support/accounts.ts";
import { contextOf, testClock, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";

Deno.test("a token is the caller's own, and shows its key in the reply that makes it, then never again", async () => {
  await using database = await testDatabase();
  const service = testContext({ database });
  const ann = await seedUser(service, "ann");
  const ctx = await contextOf(service, ann);
  const made = await createObject({ ctx, resource: tokens, input: { description: "script" } });
  const key = made.key as string;
  assert.match(key, /^[A-Za-z0-9]{40}$/);
  const { id } = made;
  assert.deepEqual(made, {
    id,
    url: `https://certmgr.example/api/users/tokens/${id}/`,
    display_url: `https://certmgr.example/tokens/${id}/`,
    display: `${key.slice(0, 8)}…`,
    user: {
      id: ann,
      url: `https://certmgr.example/api/users/users/${ann}/`,
      display: "ann",
      username: "ann",
    },
    key,
    key_prefix: key.slice(0, 8),
    description: "script",
    enabled: true,
    write_enabled: true,
    expires: null,
    allowed_ips: [],
    last_used: null,
    created: "2026-11-20T09:22:19Z",
    last_updated: "2026-11-20T09:22:19Z",
  });
  const { object } = await getObject({ ctx, resource: tokens, id: id as number, selection: ALL_FIELDS });
  assert.deepEqual(object, { ...made, key: null });
  const patch = { ctx, resource: tokens, id: id as number, mode: "patch" as const };
  assert.equal((await updateObject({ ...patch, input: { enabled: false } })).key, null);
});

Deno.test("keys are made by the service, each of its own, and kept as a hash only", async () => {
  await using database = await testDatabase();
  const service = testContext({ database });
  const ctx = await contextOf(service, await seedUser(service, "ann"));
  const given = "A".repeat(40);
  const made = [
    await createObject({ ctx, resource: tokens, input: { key: given, key_prefix: "x" } }),
    await createObject({ ctx, resource: tokens, input: {} }),
  ];
  const keys = made.map((token) => token.key as string);
  assert.equal(new Set([...keys, given]).size, 3);
  const rows = await database.all<{ key_hash: string }>(sql`SELECT * FROM tokens ORDER BY id`);
  assert.deepEqual(rows.map((row) => row.key_hash), keys.map(hashKey));
  await deleteObject({ ctx, resource: tokens, id: made[0]?.id as number });
  const stored = JSON.stringify([rows, await database.all(sql`SELECT * FROM object_changes`)]);
  const log = JSON.stringify(await database.all(sql`SELECT * FROM object_changes`));
  for (const key of keys) {
    assert.ok(!stored.includes(key), "the key is nowhere");
    assert.ok(!log.includes(hashKey(key)), "its hash is not in the change log");
  }
});

Deno.test("the key cannot be discovered through filters, orderings or selections", async () => {
  await using database = await testDatabase();
  const service = testContext({ database });
  const user = await seedUser(service, "ann");
  const { key } = await seedToken(service, { user });
  const ctx = await contextOf(service, user);
  for (const query of [`key=${key}`, `key_hash=${hashKey(key)}`, "key_hash__isw=a", "ordering=key_hash"]) {
    const call = (): Promise<unknown> =>
      Promise.resolve(parseListQuery(tokens, new URLSearchParams(query), ctx));
    assert.equal((await refusal(async () => await call())).code, "invalid", query);
  }
  const query = parseListQuery(tokens, new URLSearchParams("fields=id,key"), ctx);
  const { results } = await listObjects({ ctx, resource: tokens, query });
  assert.deepEqual(results.map((token) => token.key), [null]);
});

Deno.test("allowed addresses are checked and kept in their usual spelling", async () => {
  await using database = await testDatabase();
  const service = testContext({ database });
  const ctx = await contextOf(service, await seedUser(service, "ann"));
  const make = (allowed_ips: unknown): Promise<Record<string, unknown>> =>
    createObject({ ctx, resource: tokens, input: { allowed_ips } });
  const good: [given: unknown, kept: string[]][] = [
    [[], []],
    [null, []],
    [["192.0.2.7", " 2001:DB8::/32 ", "::ffff:10.0.0.0/104"], ["192.0.2.7", "2001:db8::/32", "10.0.0.0/8"]],
  ];
  for (const [given, kept] of good) assert.deepEqual((await make(given)).allowed_ips, kept);
  const bad: [given: unknown, message: RegExp][] = [
    ["192.0.2.7", /Expected a list/],
    [["192.0.2.7", "office"], /^1: Expected an IP address or a network .*, not "office"\.$/],
    [["10.0.0.1/8"], /first address of the network, 10\.0\.0\.0\/8/],
    [[7], /Expected an IP address/],
    [Array.from({ length: 101 }, () => "192.0.2.7"), /no more than 100/],
  ];
  for (const [given, message] of bad) {
    const refused = await refusal(make(given));
    const { allowed_ips } = refused.public as { allowed_ips: string[] };
    assert.match(allowed_ips.join(), message);
  }
});

Deno.test("a token that is moved to other addresses is refused from the old ones at once", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const { id, key } = await seedToken(ctx, { user: await seedUser(ctx, "ann") });
  const enter = (): Promise<unknown> =>
    authenticate(ctx, { authorization: `Token ${key}`, address: "192.0.2.7" });
  await enter();
  const input = { allowed_ips: ["198.51.100.0/24"] };
  await updateObject({ ctx, resource: tokens, id, input, mode: "patch" });
  assert.equal((await refusal(enter)).code, "forbidden");
  await flushTokenUses(database);
});

Deno.test("an end that is not in the future is refused, unless it is the one that the token has", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const user = await seedUser(ctx, "ann");
  const own = await contextOf(ctx, user);
  const create = (expires: string | null): Promise<Record<string, unknown>> =>
    createObject({ ctx: own, resource: tokens, input: { expires } });
  const change = (
    id: number,
    expires: string | null,
    mode: "patch" | "replace" = "patch",
  ): Promise<unknown> => updateObject({ ctx: own, resource: tokens, id, input: { user, expires }, mode });
  const wrong = (at: string): unknown => ({ expires: [`Expected a time in the future, not "${at}".`] });
  const [now, next] = ["2026-11-20T09:22:19Z", "2026-11-20T09:22:20Z"];
  const { id } = await create(next) as { id: number };
  for (const past of [now, "1970-01-01T00:00:00Z"]) {
    assert.deepEqual((await refusal(create(past))).public, wrong(past));
    for (const mode of ["patch", "replace"] as const) {
      assert.deepEqual((await refusal(change(id, past, mode))).public, wrong(past));
    }
  }
  clock.advance(60_000);
  await change(id, next);
  await change(id, next, "replace");
  assert.deepEqual((await refusal(change(id, now))).public, wrong(now));
  await change(id, "2026-11-21");
  await change(id, null);
});
