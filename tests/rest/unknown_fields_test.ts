/** A mistyped field of a permission, webhook, token, notification or policy is refused; fields that the API shows are ignored. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { testApp } from "../support/app.ts";
import { sampleOf } from "../support/samples.ts";

for (const resource of resources.filter(({ written }) => written?.knownOnly)) {
  const change = resource.methods.item.includes("PATCH") ? "PATCH" : "PUT";
  Deno.test(`an unknown field of a ${resource.label} is refused by POST, PUT and ${change}`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const { create, change: changed, seen } = sampleOf(resource);
    const path = `/api/${resource.path}/`;
    const mistyped = { descriptio: "x", nonsense: 1 };
    const near = "description" in resource.fields ? ' Did you mean "description"?' : "";
    const equals = { descriptio: [`Unknown field.${near}`], nonsense: ["Unknown field."] };
    for (
      const [method, target, body] of [
        ["POST", path, create?.(1)],
        ["PUT", `${path}${seen}/`, create?.(2)],
        [change, `${path}${seen}/`, change === "PATCH" ? changed : create?.(3)],
      ] as const
    ) {
      const response = await client(target, { method, body: { ...body, ...mistyped } });
      assert.equal(response.status, 400);
      assert.deepEqual(await response.json(), equals, method);
    }
  });

  Deno.test(`a ${resource.label} is accepted by ${change} as the API shows it`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const { create, seen } = sampleOf(resource);
    const path = `/api/${resource.path}/${seen}/`;
    const shown = await (await client(path)).json();
    const names = Object.keys(shown).filter((name) => resource.fields[name]?.input === undefined);
    const required = change === "PUT" ? create?.(1) : {};
    const body = { ...required, ...Object.fromEntries(names.map((name) => [name, shown[name]])) };
    assert.ok("url" in body && "display" in body && "id" in body);
    assert.equal((await client(path, { method: change, body })).status, 200);
  });
}

Deno.test("permissions, webhooks, tokens, notifications and policies refuse unknown fields, a mistyped constraint above all", async () => {
  const types = resources.filter(({ written }) => written?.knownOnly).map(({ objectType }) => objectType);
  assert.deepEqual(types.sort(), [
    "certmgr.compliancepolicy",
    "certmgr.notificationchannel",
    "certmgr.subscription",
    "extras.webhook",
    "users.objectpermission",
    "users.token",
  ]);
  await using app = await testApp();
  const client = await app.as("superuser");
  const response = await client("/api/users/permissions/", {
    method: "POST",
    body: { name: "x", object_types: ["extras.tag"], actions: ["view"], constraint: { name: "a" } },
  });
  assert.deepEqual(await response.json(), { constraint: ['Unknown field. Did you mean "constraints"?'] });
});
