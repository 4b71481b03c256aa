import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { groups } from "../../../../src/domain/accounts/groups/resource.ts";
import { ALL_FIELDS, createObject, deleteObject, getObject } from "../../../../src/resource/mod.ts";
import { seedGrant, seedGroup, seedUser } from "../../../support/accounts.ts";
import { contextOf, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";
import { changeLog } from "../../../support/change_log.ts";

Deno.test("a group counts the members that the caller may see", async () => {
  await using database = await testDatabase();
  const service = testContext({ database });
  const group = await seedGroup(service, "staff");
  const ann = await seedUser(service, "ann", { groups: [group] });
  const ben = await seedUser(service, "ben", { groups: [group] });
  const eve = await seedUser(service, "eve");
  await seedGrant(service, { types: ["users.group"], actions: ["view"], users: [ann, ben, eve] });
  const view = { types: ["users.user"], actions: ["view"] };
  await seedGrant(service, { ...view, constraints: { username__in: ["ann", "ben"] }, users: [ben] });
  const count = async (user: number): Promise<unknown> => {
    const ctx = await contextOf(service, user);
    return (await getObject({ ctx, resource: groups, id: group, selection: ALL_FIELDS })).object.user_count;
  };
  assert.equal(await count(ben), 2);
  assert.equal(await count(ann), 1, "themselves");
  assert.equal(await count(eve), 0);
});

Deno.test("a deleted group loses its members and permissions; the change log keeps both", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const group = await seedGroup(ctx, "staff");
  const ann = await seedUser(ctx, "ann", { groups: [group] });
  const grant = await seedGrant(ctx, { types: ["extras.tag"], actions: ["view"], groups: [group] });
  await deleteObject({ ctx, resource: groups, id: group });
  const change = (await changeLog(database)).find(({ object_type, action }) =>
    object_type === "users.group" && action === "delete"
  );
  const { users, permissions } = JSON.parse(change?.prechange ?? "");
  assert.deepEqual({ users, permissions }, { users: [ann], permissions: [grant] });
  assert.deepEqual(await database.all(sql`SELECT * FROM user_groups`), []);
  assert.deepEqual(await database.all(sql`SELECT * FROM object_permission_groups`), []);
});

Deno.test("the name of a group is unique", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  await seedGroup(ctx, "staff");
  const refused = await refusal(createObject({ ctx, resource: groups, input: { name: "staff" } }));
  assert.deepEqual(refused.public, { name: ["group with this name already exists."] });
});
