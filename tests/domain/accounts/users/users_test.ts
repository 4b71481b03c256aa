import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { verifyPassword } from "../../../../src/auth/mod.ts";
import {
  ALL_FIELDS,
  createObject,
  createObjects,
  deleteObject,
  getObject,
  listObjects,
  parseListQuery,
  updateObject,
} from "../../../../src/resource/mod.ts";
import { seedGroup, seedToken, seedUser } from "../../../support/accounts.ts";
import { testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";
import { processCpuMillis } from "../../../support/cpu_time.ts";
import { changeLog } from "../../../support/change_log.ts";
import { MAX_BULK_PASSWORDS, users } from "../../../../src/domain/accounts/users/resource.ts";

const PASSWORD = "correct horse battery";

Deno.test("a user is created, is read without the password, and signs in with it", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const group = await seedGroup(ctx, "staff");
  const made = await createObject({
    ctx,
    resource: users,
    input: {
      username: "Ann.Lee@example.com",
      password: PASSWORD,
      first_name: "Ann",
      email: "ann@example.com",
      groups: [{ name: "staff" }],
    },
  });
  assert.deepEqual(made, {
    id: made.id,
    url: `https://certmgr.example/api/users/users/${made.id}/`,
    display_url: `https://certmgr.example/users/${made.id}/`,
    display: "Ann.Lee@example.com",
    username: "Ann.Lee@example.com",
    first_name: "Ann",
    last_name: "",
    email: "ann@example.com",
    is_active: true,
    is_superuser: false,
    has_second_factor: false,
    groups: [{
      id: group,
      url: `https://certmgr.example/api/users/groups/${group}/`,
      display: "staff",
      name: "staff",
      description: "",
    }],
    last_login: null,
    date_joined: "2026-11-20T09:22:19Z",
    created: "2026-11-20T09:22:19Z",
    last_updated: "2026-11-20T09:22:19Z",
  });
  const { object } = await getObject({ ctx, resource: users, id: made.id as number, selection: ALL_FIELDS });
  assert.deepEqual(object, made);
  const [row] = await database.all<{ password_hash: string }>(sql`SELECT password_hash FROM users`);
  assert.equal(await verifyPassword(PASSWORD, row?.password_hash ?? null), true);
});

Deno.test("invalid usernames, passwords and e-mail addresses are refused by field", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await seedUser(ctx, "ann");
  const good = { username: "ben", password: PASSWORD };
  const table: [input: Record<string, unknown>, field: string, message: RegExp][] = [
    [{ password: PASSWORD }, "username", /required/],
    [{ username: "ben" }, "password", /required/],
    [{ ...good, username: "" }, "username", /blank/],
    [{ ...good, username: "ann" }, "username", /already exists/],
    [{ ...good, username: "ANN" }, "username", /already exists/],
    [{ ...good, username: "ben lee" }, "username", /letters, digits/],
    [{ ...good, username: "bеn" }, "username", /letters, digits/], // a Cyrillic letter
    [{ ...good, username: "ben\u0000" }, "username", /Null|letters/],
    [{ ...good, username: "b".repeat(151) }, "username", /no more than 150/],
    [{ ...good, username: 7 }, "username", /text/],
    [{ ...good, password: "short" }, "password", /at least 12/],
    [{ ...good, password: "x".repeat(129) }, "password", /no more than 128/],
    [{ ...good, password: null }, "password", /text/],
    [{ ...good, password: 123456789012 }, "password", /text/],
    [{ ...good, email: "ben" }, "email", /mail address/],
    [{ ...good, is_active: "maybe" }, "is_active", /true or false/],
    [{ ...good, groups: [99] }, "groups", /not found/],
    [{ ...good, groups: "staff" }, "groups", /list/],
  ];
  for (const [input, field, message] of table) {
    const refused = await refusal(createObject({ ctx, resource: users, input }));
    assert.equal(refused.code, "invalid", JSON.stringify(input));
    const errors = refused.public as Record<string, string[]>;
    assert.deepEqual(Object.keys(errors), [field], JSON.stringify(input));
    assert.match(errors[field]?.join() ?? "", message);
  }
  const [count] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM users`);
  assert.equal(count?.n, 1);
});

Deno.test("a bulk call hashes a bounded number of passwords, and none when anything is wrong", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const many = Array.from({ length: MAX_BULK_PASSWORDS + 1 }, (_, index) => ({
    username: `user${index}`,
    password: PASSWORD,
  }));
  const start = processCpuMillis();
  const refused = await refusal(createObjects({ ctx, resource: users, input: many }));
  assert.ok(processCpuMillis() - start < 5_000, "no hash was made");
  assert.match(JSON.stringify((refused.public as unknown[]).at(-1)), /at most 50 passwords/);
  const mixed = await refusal(createObjects({ ctx, resource: users, input: [many[0], { username: "!" }] }));
  assert.equal(mixed.code, "invalid");
});

Deno.test("the change log has no password and no hash, whichever operation wrote it", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const made = await createObject({ ctx, resource: users, input: { username: "ann", password: PASSWORD } });
  const other = "another horse battery";
  const id = made.id as number;
  await updateObject({ ctx, resource: users, id, input: { password: other }, mode: "patch" });
  await deleteObject({ ctx, resource: users, id });
  const changes = await changeLog(database);
  assert.deepEqual(changes.map((change) => change.action), ["create", "update", "delete"]);
  const text = JSON.stringify(changes);
  for (const secret of [PASSWORD, other, "scrypt", "password"]) assert.ok(!text.includes(secret), secret);
});

Deno.test("a deleted user's tokens are deleted; the change log keeps their groups and permissions", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const group = await seedGroup(ctx, "staff");
  const id = await seedUser(ctx, "ann", { groups: [group] });
  const token = await seedToken(ctx, { user: id, description: "script" });
  await deleteObject({ ctx, resource: users, id });
  const changes = (await changeLog(database)).filter(({ action }) => action === "delete");
  assert.deepEqual(changes.map((change) => [change.object_type, change.object_id]), [
    ["users.token", token.id],
    ["users.user", id],
  ]);
  assert.equal(JSON.parse(changes[0]?.prechange ?? "").description, "script");
  assert.deepEqual(JSON.parse(changes[1]?.prechange ?? "").groups, [group]);
  assert.deepEqual(await database.all(sql`SELECT * FROM user_groups`), []);
});

Deno.test("users are found by group, name and text; never by password", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const group = await seedGroup(ctx, "staff");
  await seedUser(ctx, "ann", { groups: [group] });
  await seedUser(ctx, "ben", { is_superuser: true });
  const find = async (query: string): Promise<unknown[]> => {
    const parsed = parseListQuery(ctx, { resource: users, params: new URLSearchParams(query) });
    return (await listObjects({ ctx, resource: users, query: parsed })).results.map((user) => user.username);
  };
  const table: [query: string, found: string[]][] = [
    ["", ["ann", "ben"]],
    ["groups=staff", ["ann"]],
    [`groups_id=${group}`, ["ann"]],
    ["username=ANN", ["ann"]],
    ["username__isw=b", ["ben"]],
    ["is_superuser=true", ["ben"]],
    ["q=nn", ["ann"]],
    ["ordering=-username", ["ben", "ann"]],
  ];
  for (const [query, found] of table) assert.deepEqual(await find(query), found, query);
  for (const query of ["password=x", "password_hash__isw=$", "permissions=1", "ordering=password_hash"]) {
    assert.equal((await refusal(find(query))).code, "invalid", query);
  }
});

Deno.test("a page of users takes as many statements as one user", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const group = await seedGroup(ctx, "staff");
  const count = async (): Promise<number> => {
    const query = parseListQuery(ctx, { resource: users, params: new URLSearchParams() });
    const before = database.statements;
    await listObjects({ ctx, resource: users, query });
    return database.statements - before;
  };
  await seedUser(ctx, "first", { groups: [group] });
  const one = await count();
  for (let index = 0; index < 30; index++) await seedUser(ctx, `user${index}`, { groups: [group] });
  await seedGroup(ctx, "another change");
  assert.equal(await count(), one);
});
