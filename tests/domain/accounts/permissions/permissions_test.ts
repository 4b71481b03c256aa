import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { permissions } from "../../../../src/domain/accounts/permissions/resource.ts";
import {
  createObject,
  deleteObject,
  listObjects,
  parseListQuery,
  updateObject,
} from "../../../../src/resource/mod.ts";
import { seedGrant, seedGroup, seedUser } from "../../../support/accounts.ts";
import { contextOf, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { refusal } from "../../../support/refusals.ts";

Deno.test("a permission is stored with each type once and the short names of its actions", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const group = await seedGroup(ctx, "staff");
  const ann = await seedUser(ctx, "ann");
  const made = await createObject({
    ctx,
    resource: permissions,
    input: {
      name: "Acme's certificates",
      object_types: ["certmgr.certificate", "certmgr.certificate"],
      actions: [
        "view",
        "view_certificate",
        "import_certificate",
        "certmgr.renew_certificate",
        "bulk_operations",
      ],
      constraints: [{ tenant__name: "acme" }, { tenant: null }],
      users: [{ username: "ann" }],
      groups: [group],
    },
  });
  assert.deepEqual(made.object_types, ["certmgr.certificate"]);
  assert.deepEqual(made.actions, ["view", "import", "renew", "bulk_operations"]);
  assert.deepEqual(made.constraints, [{ tenant__name: "acme" }, { tenant: null }]);
  assert.deepEqual((made.users as { id: number }[]).map((user) => user.id), [ann]);
  assert.deepEqual((made.groups as { id: number }[]).map((one) => one.id), [group]);
  assert.equal(made.enabled, true);
  const actor = (await contextOf(ctx, ann)).actor;
  assert.deepEqual(actor.grants.at(-1), {
    objectTypes: made.object_types,
    actions: made.actions,
    constraints: made.constraints,
  });
});

Deno.test("unknown types and actions are refused, each by its name", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const good = { name: "p", object_types: ["certmgr.certificate"], actions: ["view"] };
  const table: [input: Record<string, unknown>, field: string, message: RegExp][] = [
    [{ ...good, name: "" }, "name", /blank/],
    [{ name: "p", actions: ["view"] }, "object_types", /required/],
    [{ name: "p", object_types: ["extras.tag"] }, "actions", /required/],
    [{ ...good, object_types: [] }, "object_types", /at least one/],
    [{ ...good, object_types: "certmgr.certificate" }, "object_types", /list/],
    [{ ...good, object_types: [1] }, "object_types", /text/],
    [
      { ...good, object_types: ["certmgr.certificat"] },
      "object_types",
      /"certmgr\.certificat"\. Did you mean “certmgr\.certificate”/,
    ],
    [{ ...good, object_types: ["constructor"] }, "object_types", /Unknown object type "constructor"/],
    [{ ...good, object_types: Array(101).fill("extras.tag") }, "object_types", /no more than 100/],
    [{ ...good, actions: [] }, "actions", /at least one/],
    [{ ...good, actions: ["view", "fly"] }, "actions", /Unknown action "fly" on certmgr\.certificate/],
    [
      { ...good, object_types: ["tenancy.tenant"], actions: ["import"] },
      "actions",
      /Unknown action "import"/,
    ],
    [{ ...good, users: [99] }, "users", /not found/],
  ];
  for (const [input, field, message] of table) {
    const refused = await refusal(createObject({ ctx, resource: permissions, input }));
    assert.equal(refused.code, "invalid", JSON.stringify(input));
    const errors = refused.public as Record<string, string[]>;
    assert.deepEqual(Object.keys(errors), [field], JSON.stringify(input));
    assert.match(errors[field]?.join() ?? "", message);
  }
});

Deno.test("a change is validated together with the stored fields", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const id = await seedGrant(ctx, {
    types: ["certmgr.certificate"],
    actions: ["view", "import"],
    constraints: { tenant__name: "acme" },
  });
  const patch = (input: object): Promise<Record<string, unknown>> =>
    updateObject({ ctx, resource: permissions, id, input, mode: "patch" });
  const types = await refusal(patch({ object_types: ["extras.tag"] }));
  assert.deepEqual(Object.keys(types.public), ["actions"], "import is no action on tags");
  const both = await refusal(patch({ object_types: ["extras.tag"], actions: ["view"] }));
  assert.deepEqual(Object.keys(both.public), ["constraints"], "tags have no tenant");
  const kept = await patch({
    object_types: ["certmgr.certificate", "tenancy.tenant"],
    constraints: { name: "acme" },
  })
    .catch((error) => error.public);
  assert.deepEqual(Object.keys(kept), ["constraints"], "certificates have no name");
  const object = await patch({ object_types: ["extras.tag"], actions: ["view"], constraints: null });
  assert.deepEqual([object.object_types, object.actions, object.constraints], [
    ["extras.tag"],
    ["view"],
    null,
  ]);
});

Deno.test("a permission keeps holders that its editor does not see", async () => {
  await using database = await testDatabase();
  const service = testContext({ database });
  const [ann, ben, eve] = [
    await seedUser(service, "ann"),
    await seedUser(service, "ben"),
    await seedUser(service, "eve"),
  ];
  const id = await seedGrant(service, { types: ["extras.tag"], actions: ["view"], users: [ben] });
  const admin = ["view", "add", "change", "delete"];
  await seedGrant(service, { types: ["users.objectpermission"], actions: admin, users: [ann] });
  const constraints = { username__in: ["ann", "eve"] };
  await seedGrant(service, { types: ["users.user"], actions: ["view"], constraints, users: [ann] });
  const ctx = await contextOf(service, ann);
  const input = { users: [eve] };
  const object = await updateObject({ ctx, resource: permissions, id, input, mode: "patch" });
  assert.deepEqual(object.users?.map((user) => user.username), ["eve"]);
  const holders = await database.all<{ user_id: number }>(
    sql`SELECT user_id FROM object_permission_users WHERE object_permission_id = ${id} ORDER BY 1`,
  );
  assert.deepEqual(holders.map((row) => row.user_id), [ben, eve]);
});

Deno.test("permissions are found by their types, users and groups, and deleting one deletes its links", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const ann = await seedUser(ctx, "ann");
  const one = await seedGrant(ctx, {
    types: ["extras.tag", "tenancy.tenant"],
    actions: ["view"],
    users: [ann],
  });
  const two = await seedGrant(ctx, { types: ["certmgr.certificate"], actions: ["view", "import"] });
  const find = async (text: string): Promise<unknown[]> => {
    const query = parseListQuery(ctx, { resource: permissions, params: new URLSearchParams(text) });
    return (await listObjects({ ctx, resource: permissions, query })).results.map((object) => object.id);
  };
  const table: [query: string, found: number[]][] = [
    ["object_types=tenancy.tenant", [one]],
    ["object_types=certmgr.certificate", [two]],
    ["actions=import", [two]],
    ["users=ann", [one]],
    ["enabled=false", []],
  ];
  for (const [query, found] of table) assert.deepEqual(await find(query), found, query);
  await deleteObject({ ctx, resource: permissions, id: one });
  assert.deepEqual(await database.all(sql`SELECT * FROM object_permission_users`), []);
});
