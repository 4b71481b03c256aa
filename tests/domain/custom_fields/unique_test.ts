/** Unique custom fields, and the attributes of a definition that pages follow or that are not supported. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type TestApp, testApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

type Json = Record<string, unknown>;

const { devices } = seed;
const TAKEN = ["asset: Another device has this value."];

async function send(app: TestApp, method: string, path: string, body?: unknown): Promise<[number, Json]> {
  const answer = await (await app.as("superuser"))(path, { method, ...(body === undefined ? {} : { body }) });
  return [answer.status, answer.status === 204 ? {} : await answer.json()];
}

/** Returns an application with a unique text `asset` on devices and virtual machines. */
async function withAsset(): Promise<[TestApp, string]> {
  const app = await testApp();
  const [status, body] = await send(app, "POST", PATHS.customFields, {
    name: "asset",
    type: "text",
    object_types: ["dcim.device", "virtualization.virtualmachine"],
    unique: true,
  });
  assert.deepEqual([status, body.unique], [201, true]);
  return [app, `${PATHS.customFields}${body.id}/`];
}

async function indexes(app: TestApp): Promise<unknown[]> {
  return (await app.database.all<{ name: string; unique: number }>(
    sql`SELECT lists.name AS name, lists."unique" AS "unique" FROM sqlite_schema AS tables
      JOIN pragma_index_list(tables.name) AS lists WHERE lists.name LIKE 'cf_%asset' ORDER BY 1`,
  )).map(({ name, unique }) => [name, unique]);
}

Deno.test("two objects of a type never have the same value of a unique field, stored or in one request", async () => {
  const [app] = await withAsset();
  await using _ = app;
  const device = (id: number): string => `${PATHS.devices}${id}/`;
  const asset = (value: string | null): Json => ({ custom_fields: { asset: value } });
  assert.equal((await send(app, "PATCH", device(devices.edge), asset("A1")))[0], 200);
  assert.equal((await send(app, "PATCH", device(devices.edge), asset("A1")))[0], 200, "its own value");
  assert.deepEqual(await send(app, "PATCH", device(devices.spare), asset("A1")), [400, {
    custom_fields: TAKEN,
  }]);
  assert.equal((await send(app, "PATCH", device(devices.spare), asset("a1")))[0], 200, "another case");
  const machine = `/api/virtualization/virtual-machines/${seed.machines.web}/`;
  assert.equal((await send(app, "PATCH", machine, asset("A1")))[0], 200, "another type");
  const twins = ["x", "y"].map((name) => ({ name, ...asset("A2") }));
  assert.deepEqual(await send(app, "POST", PATHS.devices, twins), [400, [{}, { custom_fields: TAKEN }]]);
  const empty = ["x", "y"].map((name) => ({ name, ...asset(null) }));
  assert.equal((await send(app, "POST", PATHS.devices, empty))[0], 201, "no value at all");
  assert.equal((await send(app, "PATCH", device(devices.spare), asset(null)))[0], 200);
  assert.equal((await send(app, "POST", PATHS.devices, { name: "z", ...asset("a1") }))[0], 201, "given up");
});

Deno.test("a unique field has a unique index on each of its types, as long as it is unique", async () => {
  const [app, path] = await withAsset();
  await using _ = app;
  assert.deepEqual(await indexes(app), [["cf_devices_asset", 1], ["cf_virtual_machines_asset", 1]]);
  await send(app, "PATCH", path, {
    unique: false,
    indexed: true,
    object_types: ["dcim.device", "dcim.site"],
  });
  assert.deepEqual(await indexes(app), [["cf_devices_asset", 0], ["cf_sites_asset", 0]]);
  await send(app, "PATCH", path, { unique: true });
  assert.deepEqual(await indexes(app), [["cf_devices_asset", 1], ["cf_sites_asset", 1]]);
  assert.equal((await send(app, "DELETE", path))[0], 204);
  assert.deepEqual(await indexes(app), []);
});

Deno.test("a field does not become unique while objects share a value", async () => {
  const [app, path] = await withAsset();
  await using _ = app;
  await send(app, "PATCH", path, { unique: false });
  for (const id of [devices.edge, devices.spare]) {
    await send(app, "PATCH", `${PATHS.devices}${id}/`, { custom_fields: { asset: "same" } });
  }
  assert.deepEqual(await send(app, "PATCH", path, { unique: true }), [400, {
    unique: ["Some objects of the type dcim.device have the same value. Change them first."],
  }]);
  assert.deepEqual(await indexes(app), []);
  await send(app, "PATCH", `${PATHS.devices}${devices.spare}/`, { custom_fields: { asset: "other" } });
  assert.equal((await send(app, "PATCH", path, { unique: true }))[0], 200);
});

const FIELD = { name: "extra", type: "text", object_types: ["dcim.device"] };
for (
  const [what, body, errors] of [
    ["a unique boolean", { type: "boolean", unique: true }, {
      unique: ["A field of the type boolean cannot be unique."],
    }],
    ["a unique default", { unique: true, default: "x" }, {
      default: ["A unique field has no default: two objects would have the same value."],
    }],
    ["an unknown visibility", { ui_visible: "never" }, {
      ui_visible: ['Expected one of always, if-set, hidden, not "never".'],
    }],
    ["a filter of related objects", { related_object_filter: { site: 1 } }, {
      related_object_filter: [
        'Filters of the objects that a field may refer to are not supported. Expected null, not {"site":1}.',
      ],
    }],
  ] as const
) {
  scenario(`a custom field with ${what} is refused`, {
    as: "superuser",
    post: PATHS.customFields,
    body: { ...FIELD, ...body },
    status: 400,
    equals: errors,
  });
}
scenario("a custom field accepts the values that NetBox's clients send", {
  as: "superuser",
  post: PATHS.customFields,
  body: {
    ...FIELD,
    ui_visible: { value: "if-set", label: "If set" },
    ui_editable: "hidden",
    related_object_filter: null,
    is_cloneable: false,
    search_weight: 1000,
  },
  status: 201,
  changes: ["create extras.customfield"],
  json: ({ ui_visible, ui_editable, unique }) =>
    assert.deepEqual([ui_visible.label, ui_editable.label, unique], ["If set", "Hidden", false]),
});
scenario("a choice set with NetBox's predefined choices is refused", {
  as: "superuser",
  post: PATHS.choiceSets,
  body: { name: "Ports", base_choices: "UN_LOCODE", extra_choices: [["a", "A"]] },
  status: 400,
  equals: {
    base_choices: [`NetBox's predefined choices are not supported. Expected null, not "UN_LOCODE".`],
  },
});
scenario("custom fields are found by object_type, as in NetBox", {
  as: "superuser",
  get: `${PATHS.customFields}?object_type=dcim.device`,
  before: async (app) => void await send(app, "POST", PATHS.customFields, FIELD),
  status: 200,
  json: ({ results }) =>
    assert.deepEqual(results.map((one: Json) => one.name).sort(), ["extra", "level", "room"]),
});
