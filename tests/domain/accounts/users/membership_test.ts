import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { users } from "../../../../src/domain/accounts/users/resource.ts";
import { createObject, updateObject } from "../../../../src/resource/mod.ts";
import { seedGrant, seedGroup, seedUser } from "../../../support/accounts.ts";
import { contextOf, testContext } from "../../../support/context.ts";
import { type TestDatabase, testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";

/** Creates a manager of users who may view the groups `red` and `blue`, change `red`, and not view `secret`. */
async function scene(database: TestDatabase): Promise<{
  ctx: Context;
  groups: { red: number; blue: number; secret: number };
  manager: number;
  ann: number;
}> {
  const service = testContext({ database });
  const groups = {
    red: await seedGroup(service, "red"),
    blue: await seedGroup(service, "blue"),
    secret: await seedGroup(service, "secret"),
  };
  const manager = await seedUser(service, "manager");
  const ann = await seedUser(service, "ann", { groups: [groups.blue, groups.secret] });
  const held = { users: [manager] };
  await seedGrant(service, { types: ["users.user"], actions: ["view", "add", "change"], ...held });
  await seedGrant(service, {
    types: ["users.group"],
    actions: ["view"],
    constraints: { name__in: ["red", "blue"] },
    ...held,
  });
  await seedGrant(service, {
    types: ["users.group"],
    actions: ["change"],
    constraints: { name: "red" },
    ...held,
  });
  return { ctx: await contextOf(service, manager), groups, manager, ann };
}

async function groupsOf(database: TestDatabase, user: number): Promise<number[]> {
  const rows = await database.all<{ group_id: number }>(
    sql`SELECT group_id FROM user_groups WHERE user_id = ${user} ORDER BY 1`,
  );
  return rows.map((row) => row.group_id);
}

Deno.test("no caller can add a user, or themselves, to a group that they may not change", async () => {
  await using database = await testDatabase();
  const { ctx, groups, manager, ann } = await scene(database);
  const write = (id: number, list: unknown[]): Promise<unknown> =>
    updateObject({ ctx, resource: users, id, input: { groups: list }, mode: "patch" });
  const table: [what: string, attempt: () => Promise<unknown>, code: string][] = [
    ["themselves into another's group", () => write(manager, [groups.blue]), "forbidden"],
    [
      "themselves into their own group and another's",
      () => write(manager, [groups.red, groups.blue]),
      "forbidden",
    ],
    ["themselves into a hidden group", () => write(manager, [groups.secret]), "invalid"],
    ["a user out of another's group", () => write(ann, []), "forbidden"],
    ["a new user into another's group", () =>
      createObject({
        ctx,
        resource: users,
        input: { username: "eve", password: "correct horse battery", groups: [groups.blue] },
      }), "forbidden"],
  ];
  for (const [what, attempt, code] of table) {
    assert.equal((await refusal(attempt)).code, code, what);
    assert.deepEqual(await groupsOf(database, manager), [], what);
    assert.deepEqual(await groupsOf(database, ann), [groups.blue, groups.secret], what);
  }
});

Deno.test("a group that the caller may change is added and removed; one that they do not see stays", async () => {
  await using database = await testDatabase();
  const { ctx, groups, ann } = await scene(database);
  const write = async (list: unknown[]): Promise<unknown> => {
    const input = { groups: list };
    const user = await updateObject({ ctx, resource: users, id: ann, input, mode: "patch" });
    return user.groups?.map((group) => group.name);
  };
  assert.deepEqual(await write(["red", "blue"].map((name) => ({ name }))), ["blue", "red"]);
  assert.deepEqual(await groupsOf(database, ann), [groups.red, groups.blue, groups.secret]);
  assert.deepEqual(await write([groups.blue]), ["blue"]);
  assert.deepEqual(await groupsOf(database, ann), [groups.blue, groups.secret]);
});
