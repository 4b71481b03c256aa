import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { authenticate, flushTokenUses } from "../../src/auth/mod.ts";
import type { Database } from "../../src/db/mod.ts";
import { seedGrant, seedGroup, seedToken, seedUser } from "../support/accounts.ts";
import { NOW, testClock, testContext } from "../support/context.ts";
import { testDatabase } from "../support/database.ts";
import { refusal } from "../support/refusals.ts";

const MISSING = "Authentication credentials were not provided.";

Deno.test("each kind of invalid credentials has its own message", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const user = await seedUser(ctx, "ann");
  const gone = await seedUser(ctx, "ben", { is_active: false });
  const good = (await seedToken(ctx, { user })).key;
  const disabled = (await seedToken(ctx, { user, enabled: false })).key;
  const before = { ...ctx, clock: { now: () => NOW - 1 } };
  const expired = (await seedToken(before, { user, expires: "2026-11-20T09:22:19Z" })).key;
  const inactive = (await seedToken(ctx, { user: gone })).key;
  const table: [authorization: string | null, detail: string][] = [
    [null, MISSING],
    ["", MISSING],
    ["   ", MISSING],
    ["Basic YW5uOmFubg==", MISSING],
    [good, MISSING],
    [`Tokens ${good}`, MISSING],
    [`Token${good}`, MISSING],
    ["Token", "Invalid token"],
    ["Token ", "Invalid token"],
    ["Bearer", "Invalid token"],
    [`Token ${"A".repeat(40)}`, "Invalid token"],
    [`Token ${good.slice(1)}`, "Invalid token"],
    [`Token ${good}A`, "Invalid token"],
    [`Token ${good} ${good}`, "Invalid token"],
    [`Token ${good.toLowerCase()}`, "Invalid token"],
    [`Token ' OR 1=1 --`, "Invalid token"],
    [`Token ${"x".repeat(8_000)}`, "Invalid token"],
    [`Token ${disabled}`, "Invalid token"],
    [`Token ${expired}`, "Token expired"],
    [`Token ${inactive}`, "User inactive"],
  ];
  for (const [authorization, detail] of table) {
    const refused = await refusal(authenticate(ctx, { authorization, address: null }));
    assert.equal(refused.code, "unauthenticated", String(authorization));
    assert.deepEqual(refused.public, { detail }, String(authorization));
    assert.deepEqual(refused.headers, { "WWW-Authenticate": "Token" });
  }
});

Deno.test("the schemes Token and Bearer are accepted in upper and lower case", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const user = await seedUser(ctx, "ann");
  const { id, key } = await seedToken(ctx, { user, write_enabled: false, expires: "2026-11-20T09:22:20Z" });
  for (const scheme of ["Token", "token", "TOKEN", "Bearer", "bearer"]) {
    const actor = await authenticate(ctx, { authorization: `${scheme} ${key}`, address: null });
    assert.equal(actor.userId, user);
    assert.equal(actor.username, "ann");
    assert.equal(actor.isSuperuser, false);
    assert.equal(actor.mayWrite, false);
    assert.equal(actor.tokenId, id);
  }
  await flushTokenUses(database);
});

Deno.test("a token with allowed addresses is refused from other and from unknown addresses", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const user = await seedUser(ctx, "ann");
  const { key } = await seedToken(ctx, { user, allowed_ips: ["192.0.2.0/24", "2001:db8::1"] });
  const authorization = `Token ${key}`;
  for (const address of ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1"]) {
    assert.equal((await authenticate(ctx, { authorization, address })).userId, user);
  }
  for (const address of ["192.0.3.7", "2001:db8::2", "unknown", "", null]) {
    const refused = await refusal(authenticate(ctx, { authorization, address }));
    assert.equal(refused.code, "forbidden", String(address));
    assert.deepEqual(refused.public, {
      detail: "Source IP is not permitted to authenticate using this token.",
    });
  }
  await flushTokenUses(database);
});

Deno.test("an actor has the enabled grants of the user and the user's groups, each once, in one statement", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const staff = await seedGroup(ctx, "staff");
  const others = await seedGroup(ctx, "others");
  const user = await seedUser(ctx, "ann", { groups: [staff] });
  const constraints = { tenant__name: "acme" };
  const types = ["certmgr.certificate"];
  await seedGrant(ctx, { types, actions: ["view"], constraints, users: [user], groups: [staff] });
  await seedGrant(ctx, { types, actions: ["change"], groups: [staff] });
  await seedGrant(ctx, { types, actions: ["delete"], groups: [others] });
  await seedGrant(ctx, { types, actions: ["add"], users: [user], enabled: false });
  const { key } = await seedToken(ctx, { user });
  const before = database.statements;
  const actor = await authenticate(ctx, { authorization: `Token ${key}`, address: null });
  assert.deepEqual(actor.grants.filter((grant) => grant.objectTypes.includes("certmgr.certificate")), [
    { objectTypes: types, actions: ["view"], constraints },
    { objectTypes: types, actions: ["change"], constraints: null },
  ]);
  await flushTokenUses(database);
  assert.equal(database.statements - before, 2, "the account, and the note of the use");
  await authenticate(ctx, { authorization: `Token ${key}`, address: null });
  assert.equal(database.statements - before, 2, "from memory");
});

Deno.test("the use of a token is recorded once a minute, without a change record", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const user = await seedUser(ctx, "ann");
  const { id, key } = await seedToken(ctx, { user });
  const changes = await countChanges();
  const steps: [advance: number, lastUsed: number][] = [
    [0, NOW],
    [10_000, NOW],
    [49_999, NOW],
    [1, NOW + 60_000],
    [60_000, NOW + 120_000],
  ];
  for (const [advance, lastUsed] of steps) {
    clock.advance(advance);
    await authenticate(ctx, { authorization: `Token ${key}`, address: null });
    await flushTokenUses(database);
    const [row] = await database.all(sql`SELECT last_used, last_updated FROM tokens WHERE id = ${id}`);
    assert.deepEqual({ ...row }, { last_used: lastUsed, last_updated: NOW });
  }
  assert.equal(await countChanges(), changes);

  async function countChanges(): Promise<number> {
    const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM object_changes`);
    return row?.n ?? 0;
  }
});

Deno.test("a request succeeds although the use of its token cannot be recorded", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const user = await seedUser(ctx, "ann");
  const { key } = await seedToken(ctx, { user });
  const broken: Database = {
    kind: "file",
    statements: 0,
    all: (query) => database.all(query),
    batch: (queries) => database.batch(queries),
    write: () => Promise.reject(new Error("disk full")),
    close: () => {},
  };
  const actor = await authenticate({ ...ctx, database: broken }, {
    authorization: `Token ${key}`,
    address: null,
  });
  assert.equal(actor.userId, user);
  await flushTokenUses(broken);
});
