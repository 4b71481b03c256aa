/** Custom fields of every type, and in filters of relations, webhooks, calendars and permissions. */

import assert from "node:assert/strict";
import { SERVICE_ACTOR } from "../../../src/auth/mod.ts";
import { certificates } from "../../../src/domain/certificates/mod.ts";
import { CUSTOMIZED_TYPES } from "../../../src/domain/custom_fields/mod.ts";
import { devices as deviceResource } from "../../../src/domain/inventory/mod.ts";
import { resourceOf } from "../../../src/domain/registry.ts";
import { createObject, refreshCustomFields } from "../../../src/resource/mod.ts";
import { granted } from "../../support/actors.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { fillCustomFields } from "../../support/custom_fields.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { seed } from "../../support/seed.ts";
import { matches, selected } from "../webhooks/support.ts";

const { certificates: ids, devices, tenants } = seed;

/** Defines a custom field of tenants, which filters of certificates and devices can use, and sets a value. */
async function defineTier(app: TestApp): Promise<void> {
  const client = await app.as("superuser");
  await callJson(client, PATHS.customFields, "POST", {
    name: "tier",
    type: "text",
    object_types: ["tenancy.tenant"],
  });
  await callJson(client, `${PATHS.tenants}${tenants.acme}/`, "PATCH", { custom_fields: { tier: "gold" } });
}

for (const objectType of CUSTOMIZED_TYPES) {
  const resource = resourceOf(objectType);
  Deno.test(`${resource?.labelPlural} have custom fields: written, read, filtered and sorted`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    await callJson(client, PATHS.customFields, "POST", {
      name: "tier",
      type: "text",
      object_types: [objectType],
      indexed: true,
      filter_logic: "exact",
    });
    const path = `/api/${resource?.path}/`;
    const [first] = (await callJson(client, `${path}?limit=1`)).results;
    const changed = await callJson(client, `${path}${first.id}/`, "PATCH", {
      custom_fields: { tier: "gold" },
    });
    assert.equal(changed.custom_fields.tier, "gold");
    const { results } = await callJson(client, `${path}?cf_tier=gold`);
    assert.deepEqual(results.map(({ id }: { id: number }) => id), [first.id]);
    assert.equal((await callJson(client, `${path}?ordering=-cf_tier&limit=1`)).results[0].id, first.id);
  });
}

Deno.test("filters reach custom fields of related objects, in lists, GraphQL and exports", async () => {
  await using app = await testApp();
  await defineTier(app);
  const client = await app.as("superuser");
  const expected = (await callJson(client, `${PATHS.certificates}?tenant=acme&limit=0`)).count;
  for (
    const query of ["tenant__cf_tier=gold", "tenant__cf_tier__isw=go", "tenant__cf_tier__n=x&tenant=acme"]
  ) {
    assert.equal((await callJson(client, `${PATHS.certificates}?${query}`)).count, expected, query);
  }
  const query = `{ certificate_list(filters: {tenant__where: {custom_fields: {tier: "gold"}}}) { id } }`;
  const { data, errors } = await callJson(client, "/graphql/", "POST", { query });
  assert.equal(errors, undefined);
  assert.equal(data.certificate_list.length, expected);
  const exported = await callJson(client, `${PATHS.certificates}export/?format=json&tenant__cf_tier=gold`);
  assert.equal(exported.length, expected);
  const unknown = await client(`${PATHS.certificates}?tenant__cf_tire=gold`);
  assert.equal(unknown.status, 400);
});

Deno.test("the compliance report filters by custom fields of certificates, like the list of checks", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as("superuser");
  await callJson(client, certificate(ids.acmeWeb, "compliance-check/"), "POST", {});
  for (const [shelf, expected] of [[4, 1], [5, 0]]) {
    const query = `certificate__cf_shelf=${shelf}`;
    assert.equal((await callJson(client, `${PATHS.checks}?${query}`)).count, expected);
    const report = await callJson(client, `/api/plugins/certmgr/compliance-report/?${query}`);
    assert.equal(report.total_checks, expected);
  }
});

Deno.test("filters do not reach custom fields of hidden objects", async () => {
  await using app = await testApp();
  await defineTier(app);
  const client = await app.as(granted([
    { types: ["certmgr.certificate"], actions: ["view"] },
    { types: ["tenancy.tenant"], actions: ["view"], constraints: { id__n: tenants.acme } },
  ]));
  assert.equal((await callJson(client, `${PATHS.certificates}?tenant__cf_tier=gold`)).count, 0);
});

Deno.test("conditions of webhooks on custom fields select what the list's filters select", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  await defineTier(app);
  await refreshCustomFields(app.ctx);
  const conditions = [
    { cf_note: "ob" },
    { cf_note__empty: true },
    { cf_exact: "B12" },
    { cf_shelf__gte: 5 },
    { cf_shelf: [4, 9] },
    { cf_cost__lt: 4 },
    { cf_audited: true },
    { cf_ordered__lt: "2026-04-01" },
    { cf_seen_at: "2026-03-01T10:00:00Z" },
    { cf_risk: "high" },
    { cf_risk__n: "high" },
    { cf_places: "there" },
    { cf_places__empty: false },
    { cf_host_id: devices.edge },
    { cf_host: devices.edge },
    { cf_host__name: "edge-1" },
    { tenant__cf_tier: "gold" },
  ];
  const expected = await selected(app, certificates, conditions);
  // Only objects that have changed have snapshots.
  const found = await matches(app, certificates, conditions);
  assert.ok(expected.slice(0, -1).every((some) => some.length > 0), JSON.stringify(expected));
  for (const [index, condition] of conditions.entries()) {
    const changed = expected[index]?.filter((id) => id === ids.acmeWeb || id === ids.twin);
    assert.deepEqual(
      found[index]?.filter((id) => id === ids.acmeWeb || id === ids.twin),
      changed,
      JSON.stringify(condition),
    );
  }
});

Deno.test("webhooks, calendar feeds, subscriptions and permissions accept filters on custom fields", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as("superuser");
  const webhook = (name: string): Record<string, unknown> => ({
    name,
    object_types: ["certmgr.certificate"],
    events: ["updated"],
    payload_url: "https://93.184.215.14/",
    conditions: { [`cf_${name}`]: 4 },
  });
  await callJson(client, PATHS.webhooks, "POST", webhook("shelf"));
  const unknown = await client(PATHS.webhooks, { method: "POST", body: webhook("shelve") });
  assert.equal(unknown.status, 400);
  const feed = (filter: string): Record<string, unknown> => ({ name: "Shelf", filter });
  const { token } = await callJson(client, PATHS.feeds, "POST", feed("cf_shelf=4"));
  const calendar = await client(`${PATHS.certificates}calendar.ics?token=${token}`);
  const text = await calendar.text();
  assert.equal(text.match(/BEGIN:VEVENT/g)?.length, 1);
  assert.match(text, /www\.acme\.example/);
  const refused = await client(PATHS.feeds, { method: "POST", body: feed("cf_shelve=4") });
  assert.deepEqual([refused.status, Object.keys(await refused.json())], [400, ["filter"]]);
  const permission = {
    name: "Shelf 4",
    object_types: ["certmgr.certificate"],
    actions: ["view"],
    constraints: { cf_shelf: 4 },
  };
  await callJson(client, PATHS.permissions, "POST", permission);
});

Deno.test("a caller whose permission names a custom field clears a reference that they see, and checks certificates", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  await defineTier(app);
  const client = await app.as(granted([
    { types: ["certmgr.certificate"], actions: ["view", "change"], constraints: { cf_shelf: 4 } },
    { types: ["certmgr.compliancepolicy"], actions: ["manage_compliance"] },
    { types: ["tenancy.tenant"], actions: ["view"], constraints: { cf_tier: "gold" } },
  ]));
  const checked = await callJson(client, certificate(ids.acmeWeb, "compliance-check/"), "POST", {});
  assert.equal(checked.total_checks, 1);
  const cleared = await callJson(client, certificate(ids.acmeWeb), "PATCH", { tenant: null });
  assert.equal(cleared.tenant, null);
  const stored = await callJson(await app.as("superuser"), certificate(ids.acmeWeb));
  assert.equal(stored.tenant, null);
});

Deno.test("a permission whose custom field was deleted covers nothing", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as("superuser");
  const limited = await app.as(
    granted([{ types: ["certmgr.certificate"], actions: ["view"], constraints: { cf_shelf: 4 } }]),
  );
  assert.equal((await callJson(limited, PATHS.certificates)).count, 1);
  const { results } = await callJson(client, `${PATHS.customFields}?name=shelf`);
  assert.equal((await client(`${PATHS.customFields}${results[0].id}/`, { method: "DELETE" })).status, 204);
  assert.equal((await callJson(limited, PATHS.certificates)).count, 0);
  assert.equal((await limited(certificate(ids.acmeWeb))).status, 404);
});

Deno.test("objects that the service discovers do not need a value for a required custom field, those that people create do", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await callJson(client, PATHS.customFields, "POST", {
    name: "rack",
    type: "text",
    object_types: [deviceResource.objectType],
    required: true,
  });
  assert.equal((await client(PATHS.devices, { method: "POST", body: { name: "new" } })).status, 400);
  const ctx = { ...app.ctx, actor: SERVICE_ACTOR };
  await createObject({ ctx, resource: deviceResource, input: { name: "found" } });
});
