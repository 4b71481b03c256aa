import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { permissions } from "../../../../src/domain/accounts/permissions/resource.ts";
import { users } from "../../../../src/domain/accounts/users/resource.ts";
import { createObject, updateObject } from "../../../../src/resource/mod.ts";
import { seedGrant, seedUser } from "../../../support/accounts.ts";
import { contextOf, testContext } from "../../../support/context.ts";
import { type TestDatabase, testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";

const ADMIN = { types: ["users.objectpermission"], actions: ["view", "add", "change"] };
const CERTIFICATES = ["certmgr.certificate"];
const ACME = { tenant__name: "acme" };

/** Creates a user who administers the permissions whose names begin with "acme", and has some permissions. */
async function scene(database: TestDatabase): Promise<{ service: Context; ctx: Context; ann: number }> {
  const service = testContext({ database });
  const ann = await seedUser(service, "ann");
  const held = { users: [ann] };
  await seedGrant(service, { ...ADMIN, constraints: { name__startswith: "acme" }, ...held });
  await seedGrant(service, { types: CERTIFICATES, actions: ["view", "change"], constraints: ACME, ...held });
  await seedGrant(service, { types: ["extras.tag"], actions: ["view"], ...held });
  return { service, ctx: await contextOf(service, ann), ann };
}

Deno.test("a partial administrator can grant only their own permissions, within their own constraints", async () => {
  await using database = await testDatabase();
  const { ctx } = await scene(database);
  const make = (object_types: string[], actions: string[], constraints: unknown = null) => () =>
    createObject({
      ctx,
      resource: permissions,
      input: { name: "acme's", object_types, actions, constraints },
    });
  const refused: [what: string, attempt: () => Promise<unknown>][] = [
    ["an action that they do not hold", make(CERTIFICATES, ["delete"], ACME)],
    ["no constraints", make(CERTIFICATES, ["view"])],
    ["empty constraints", make(CERTIFICATES, ["view"], {})],
    ["other constraints", make(CERTIFICATES, ["view"], { tenant__name: "globex" })],
    ["more alternatives", make(CERTIFICATES, ["view"], [ACME, { tenant__name: "globex" }])],
    ["a type that they do not hold", make(["users.user"], ["change"])],
    ["themselves administrator of all permissions", make(["users.objectpermission"], ["change"])],
    ["one type too many", make(["extras.tag", "tenancy.tenant"], ["view"])],
  ];
  for (const [what, attempt] of refused) assert.equal((await refusal(attempt)).code, "forbidden", what);
  const [count] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM object_permissions`);
  assert.equal(count?.n, 3);
  await make(CERTIFICATES, ["view", "change"], ACME)();
  await make(["extras.tag"], ["view"], { name: "x" })();
});

Deno.test("a partial administrator can neither widen a permission nor move it outside their constraints", async () => {
  await using database = await testDatabase();
  const { service, ctx, ann } = await scene(database);
  const wide = (await createObject({
    ctx: service,
    resource: permissions,
    input: { name: "acme: all", object_types: ["tenancy.tenant"], actions: ["delete"] },
  })).id as number;
  const own = (await createObject({
    ctx,
    resource: permissions,
    input: { name: "acme: tags", object_types: ["extras.tag"], actions: ["view"] },
  })).id as number;
  const patch = (id: number, input: object) => () =>
    updateObject({ ctx, resource: permissions, id, input, mode: "patch" });
  const table: [what: string, attempt: () => Promise<unknown>][] = [
    ["to hold a wide one themselves", patch(wide, { users: [ann] })],
    ["to add an action", patch(own, { actions: ["view", "delete"] })],
    ["to swap the type", patch(own, { object_types: ["tenancy.tenant"] })],
    ["to rename it beyond their rows", patch(own, { name: "globex: tags" })],
  ];
  for (const [what, attempt] of table) assert.equal((await refusal(attempt)).code, "forbidden", what);
  await patch(own, { users: [ann], description: "checked" })();
});

Deno.test("an administrator of all permissions grants anything except superuser status", async () => {
  await using database = await testDatabase();
  const service = testContext({ database });
  const ann = await seedUser(service, "ann");
  await seedGrant(service, { ...ADMIN, users: [ann] });
  const input = {
    name: "everything",
    object_types: ["users.user"],
    actions: ["view", "add", "change", "delete"],
    users: [ann],
  };
  await createObject({ ctx: await contextOf(service, ann), resource: permissions, input });
  const ctx = await contextOf(service, ann);
  const raise = { ctx, resource: users, id: ann, input: { is_superuser: true }, mode: "patch" as const };
  assert.equal((await refusal(updateObject(raise))).code, "forbidden");
});

Deno.test("a caller without permissions on permissions can neither view nor create them, not even their own", async () => {
  await using database = await testDatabase();
  const service = testContext({ database });
  const ann = await seedUser(service, "ann");
  const id = await seedGrant(service, { types: CERTIFICATES, actions: ["view"], users: [ann] });
  const ctx = await contextOf(service, ann);
  const input = { name: "mine", object_types: CERTIFICATES, actions: ["change"], users: [ann] };
  assert.equal((await refusal(createObject({ ctx, resource: permissions, input }))).code, "forbidden");
  const patch = { ctx, resource: permissions, id, input: { actions: ["change"] }, mode: "patch" as const };
  assert.equal((await refusal(updateObject(patch))).code, "forbidden");
});
