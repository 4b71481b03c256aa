/** Custom fields: changes of definitions with stored values, and limits from both sides. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { createObject } from "../../../src/resource/mod.ts";
import { devices } from "../../../src/domain/inventory/mod.ts";
import { type Client, type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { fillCustomFields } from "../../support/custom_fields.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { seed } from "../../support/seed.ts";

const DEVICE = `${PATHS.devices}${seed.devices.edge}/`;
const { acmeWeb } = seed.certificates;

async function defineOnDevices(client: Client, more: Record<string, unknown>): Promise<{ id: number }> {
  return await callJson(client, PATHS.customFields, "POST", {
    name: "field",
    type: "text",
    object_types: ["dcim.device"],
    ...more,
  });
}

/** Writes a value, and returns the status and the messages if it is refused. */
async function write(client: Client, value: unknown): Promise<[number, string[]]> {
  const response = await client(DEVICE, { method: "PATCH", body: { custom_fields: { field: value } } });
  const body = await response.json();
  return [response.status, response.ok ? [] : body.custom_fields];
}

async function filled(): Promise<{ app: TestApp; client: Client }> {
  const app = await testApp();
  await fillCustomFields(app);
  return { app, client: await app.as("superuser") };
}

Deno.test("a choice that is removed stays where it is stored, and cannot be chosen again", async () => {
  const { app, client } = await filled();
  await using _ = app;
  await callJson(client, `${PATHS.choiceSets}${seed.choiceSets.levels}/`, "PATCH", {
    extra_choices: [["low", "Low"], ["top", "Top"]],
  });
  const read = await callJson(client, certificate(acmeWeb));
  assert.equal(read.custom_fields.risk, "high");
  await callJson(client, certificate(acmeWeb), "PATCH", { custom_fields: read.custom_fields });
  const other = { method: "PATCH", body: { custom_fields: { risk: "high" } } };
  assert.equal((await client(certificate(seed.certificates.twin), other)).status, 400);
  assert.equal((await client(`${PATHS.certificates}?cf_risk=high`)).status, 400);
  assert.equal((await callJson(client, `${PATHS.certificates}?cf_risk__empty=false`)).count, 2);
});

Deno.test("a field that becomes required needs a value in new objects and in changes of the field", async () => {
  const { app, client } = await filled();
  await using _ = app;
  const { id } = await defineOnDevices(client, { validation_regex: "^a" });
  assert.deepEqual(await write(client, "abc"), [200, []]);
  await callJson(client, `${PATHS.customFields}${id}/`, "PATCH", { required: true, validation_regex: "^b" });
  await callJson(client, DEVICE, "PATCH", { description: "Unrelated" });
  assert.deepEqual(await write(client, "abc"), [200, []]);
  assert.equal((await write(client, "abd"))[0], 400);
  assert.deepEqual(await write(client, null), [400, ["field: This field is required."]]);
  const spare = { method: "PATCH", body: { description: "Has no value" } };
  assert.equal((await client(`${PATHS.devices}${seed.devices.spare}/`, spare)).status, 200);
  assert.equal((await client(PATHS.devices, { method: "POST", body: { name: "new" } })).status, 400);
});

Deno.test("a default is for new objects: existing ones keep none", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { id } = await defineOnDevices(client, {});
  await callJson(client, `${PATHS.customFields}${id}/`, "PATCH", { default: "x" });
  assert.equal((await callJson(client, DEVICE)).custom_fields.field, null);
  assert.equal((await callJson(client, PATHS.devices, "POST", { name: "new" })).custom_fields.field, "x");
});

Deno.test("a field that is removed from an object type loses its values there, and has none when it returns", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { id } = await defineOnDevices(client, { object_types: ["dcim.device", "dcim.site"], indexed: true });
  assert.deepEqual(await write(client, "abc"), [200, []]);
  const path = `${PATHS.customFields}${id}/`;
  await callJson(client, path, "PATCH", { object_types: ["dcim.site"] });
  assert.equal("field" in (await callJson(client, DEVICE)).custom_fields, false);
  await callJson(client, path, "PATCH", { object_types: ["dcim.device"] });
  assert.equal((await callJson(client, DEVICE)).custom_fields.field, null);
  const indexes = await app.database.all<{ name: string }>(
    sql`SELECT name FROM sqlite_schema WHERE name LIKE 'cf_%_field'`,
  );
  assert.deepEqual(indexes.map(({ name }) => name), ["cf_devices_field"]);
});

Deno.test("200 custom fields can exist, 20 of them with an index", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { count } = await callJson(client, `${PATHS.customFields}?limit=1`);
  const bodies = Array.from({ length: 200 - count }, (_, n) => ({
    name: `many${n}`,
    type: "integer",
    object_types: ["dcim.device"],
    indexed: n < 20,
  }));
  await callJson(client, PATHS.customFields, "POST", bodies);
  const more = { name: "more", type: "text", object_types: ["dcim.device"] };
  const refused = await client(PATHS.customFields, { method: "POST", body: more });
  assert.deepEqual([refused.status, await refused.json()], [400, {
    __all__: ["At most 200 custom fields can exist."],
  }]);
  const { results } = await callJson(client, `${PATHS.customFields}?name=many20`);
  const indexed = await client(`${PATHS.customFields}${results[0].id}/`, {
    method: "PATCH",
    body: { indexed: true },
  });
  assert.deepEqual([indexed.status, await indexed.json()], [400, {
    indexed: ["At most 20 custom fields can have an index."],
  }]);
});

Deno.test("a text has at most 10,000 characters", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await defineOnDevices(client, {});
  assert.deepEqual(await write(client, "a".repeat(10_000)), [200, []]);
  const message = "field: Ensure this field has no more than 10000 characters.";
  assert.deepEqual(await write(client, "a".repeat(10_001)), [400, [message]]);
});

Deno.test("a JSON value has at most 32 levels, also where no request body limits it", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await defineOnDevices(client, { type: "json" });
  const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const { ctx } = app;
  const make = (levels: number): Promise<unknown> =>
    createObject({
      ctx,
      resource: devices,
      input: { name: `nested-${levels}`, custom_fields: { field: nested(levels) } },
    });
  await make(32);
  await assert.rejects(make(33), /Expected at most 32 levels of nesting/);
  await assert.rejects(make(2_000), /Expected at most 32 levels of nesting/);
});

Deno.test("regular expressions of one request have a budget together", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await defineOnDevices(client, { validation_regex: "^(a|b){1,60}[a-z]*$" });
  const bodies = (count: number): unknown[] =>
    Array.from({ length: count }, (_, n) => ({
      name: `text-${count}-${n}`,
      custom_fields: { field: "a".repeat(10_000) },
    }));
  assert.equal((await client(PATHS.devices, { method: "POST", body: bodies(1) })).status, 201);
  const refused = await client(PATHS.devices, { method: "POST", body: bodies(200) });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /Send fewer objects at a time/);
});
