import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Actor, actorOf, authenticate, type Context, flushTokenUses } from "../../src/auth/mod.ts";
import { ACTOR_CACHE_ENTRIES, ACTOR_CACHE_MS, cachedAccount } from "../../src/auth/accounts.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { groups } from "../../src/domain/accounts/groups/resource.ts";
import { permissions } from "../../src/domain/accounts/permissions/resource.ts";
import { tokens } from "../../src/domain/accounts/tokens/resource.ts";
import { users } from "../../src/domain/accounts/users/resource.ts";
import { deleteObject, type Resource, updateObject } from "../../src/resource/mod.ts";
import { seedGrant, seedGroup, seedToken, seedUser } from "../support/accounts.ts";
import { testClock, testContext } from "../support/context.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { refusal } from "../support/refusals.ts";

/** Creates a user in a group with a grant, and caches the account of their token. */
async function scene(database: TestDatabase): Promise<{
  ctx: Context;
  ids: Record<"user" | "group" | "permission" | "token", number>;
  enter: () => Promise<Actor>;
}> {
  const ctx = testContext({ database });
  const group = await seedGroup(ctx, "staff");
  const user = await seedUser(ctx, "ann", { groups: [group] });
  const permission = await seedGrant(ctx, { types: ["tenancy.tenant"], actions: ["view"], groups: [group] });
  const { id: token, key } = await seedToken(ctx, { user });
  const enter = (): Promise<Actor> => authenticate(ctx, { authorization: `Token ${key}`, address: null });
  assert.ok(grantsTenants(await enter()));
  return { ctx, ids: { user, group, permission, token }, enter };
}

function grantsTenants(actor: Actor): boolean {
  return actor.grants.some((grant) => grant.objectTypes.includes("tenancy.tenant"));
}

Deno.test("a revocation in this process takes effect at the next request", async () => {
  const table: [
    what: string,
    resource: Resource,
    id: keyof Awaited<ReturnType<typeof scene>>["ids"],
    input?: object,
  ][] = [
    ["a deleted token", tokens, "token"],
    ["a disabled token", tokens, "token", { enabled: false }],
    ["an inactive user", users, "user", { is_active: false }],
    ["a deleted user", users, "user"],
    ["a user out of the group", users, "user", { groups: [] }],
    ["a deleted group", groups, "group"],
    ["a disabled permission", permissions, "permission", { enabled: false }],
    ["a permission on something else", permissions, "permission", { object_types: ["extras.tag"] }],
    ["a deleted permission", permissions, "permission"],
  ];
  for (const [what, resource, name, input] of table) {
    await using database = await testDatabase();
    const { ctx, ids, enter } = await scene(database);
    if (input === undefined) await deleteObject({ ctx, resource, id: ids[name] });
    else await updateObject({ ctx, resource, id: ids[name], input, mode: "patch" });
    const outcome = await enter().then(grantsTenants, (error) => error.code);
    assert.ok(outcome === false || outcome === "unauthenticated", what);
    await flushTokenUses(database);
  }
});

Deno.test("a revocation in another process takes effect within the lifetime of the cache", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const user = await seedUser(ctx, "ann");
  const { id, key } = await seedToken(ctx, { user });
  const enter = (): Promise<Actor> => authenticate(ctx, { authorization: `Token ${key}`, address: null });
  await enter();
  await flushTokenUses(database);
  const other = await openFileDatabase({ path: database.path });
  try {
    await other.write((tx) => tx.run(sql`DELETE FROM tokens WHERE id = ${id}`));
  } finally {
    other.close();
  }
  clock.advance(ACTOR_CACHE_MS - 1);
  assert.equal((await enter()).userId, user);
  clock.advance(1);
  assert.deepEqual((await refusal(enter)).public, { detail: "Invalid token" });
});

Deno.test("a token that expires while it is cached is refused from that time on", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const user = await seedUser(ctx, "ann");
  const { key } = await seedToken(ctx, { user, expires: "2026-11-20T09:22:20Z" });
  const enter = (): Promise<Actor> => authenticate(ctx, { authorization: `Token ${key}`, address: null });
  await enter();
  clock.advance(999);
  await enter();
  clock.advance(1);
  assert.deepEqual((await refusal(enter)).public, { detail: "Token expired" });
  await flushTokenUses(database);
});

Deno.test("a load that began before a change is not cached", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const user = await seedUser(ctx, "ann");
  const gate = Promise.withResolvers<void>();
  const stale = { isActive: true, actor: ctx.actor };
  const loading = cachedAccount(ctx, `user ${user}`, async () => {
    await gate.promise;
    return stale;
  });
  await updateObject({ ctx, resource: users, id: user, input: { is_active: false }, mode: "patch" });
  gate.resolve();
  assert.equal(await loading, stale);
  assert.equal(await actorOf(ctx, user), undefined);
});

Deno.test("the cache holds a bounded number of accounts", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const account = { isActive: true, actor: ctx.actor };
  let loads = 0;
  const ask = (name: string): Promise<unknown> =>
    cachedAccount(ctx, name, () => {
      loads++;
      return Promise.resolve(account);
    });
  for (let count = 0; count <= ACTOR_CACHE_ENTRIES; count++) await ask(`user ${count}`);
  await ask(`user ${ACTOR_CACHE_ENTRIES}`);
  assert.equal(loads, ACTOR_CACHE_ENTRIES + 1, "the newest is there");
  await ask("user 0");
  assert.equal(loads, ACTOR_CACHE_ENTRIES + 2, "the oldest has gone");
});

Deno.test("an actor by user id has the same permissions; missing and inactive users have none", async () => {
  await using database = await testDatabase();
  const { ctx, ids, enter } = await scene(database);
  const inactive = await seedUser(ctx, "ben", { is_active: false });
  const actor = await actorOf(ctx, ids.user);
  const { tokenId: _, tokenLimits: _limits, ...entered } = await enter();
  assert.deepEqual(actor, entered);
  assert.equal(await actorOf(ctx, inactive), undefined);
  assert.equal(await actorOf(ctx, 4711), undefined);
  await flushTokenUses(database);
});
