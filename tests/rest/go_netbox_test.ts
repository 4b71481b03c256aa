/** Requirements of NetBox's generated Go client, which refuses responses without these fields. */

import assert from "node:assert/strict";
import { testApp } from "../support/app.ts";
import { document } from "../support/contract.ts";

const LISTS = [
  "dcim/devices",
  "dcim/sites",
  "dcim/device-roles",
  "dcim/device-types",
  "dcim/manufacturers",
  "dcim/platforms",
  "dcim/locations",
  "dcim/regions",
  "dcim/site-groups",
  "virtualization/virtual-machines",
  "virtualization/clusters",
  "virtualization/cluster-types",
  "ipam/services",
  "tenancy/tenants",
  "tenancy/tenant-groups",
  "tenancy/contacts",
  "tenancy/contact-groups",
  "tenancy/contact-roles",
  "extras/tags",
  "plugins/certmgr/certificates",
];
const TEXTS = ["url", "display_url", "display", "created", "last_updated"];
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

type Schema = { properties?: Record<string, { type?: unknown; $ref?: string }> };

/** Returns the schema of an object in the response of a list. */
function schemaOf(list: string): Schema {
  const paths = document.paths as Record<string, { get: { responses: Record<string, unknown> } }>;
  const text = JSON.stringify(paths[`/api/${list}/{id}/`]?.get.responses["200"]);
  const name = /#\/components\/schemas\/(\w+)/.exec(text)?.[1] ?? "";
  return (document.components as { schemas: Record<string, Schema> }).schemas[name] ?? {};
}

for (const list of LISTS) {
  Deno.test(`${list}: ids are integers, and display, URLs and times exist and are never null, as the API document says`, async () => {
    const { properties = {} } = schemaOf(list);
    for (const name of ["id", ...TEXTS]) {
      assert.equal(properties[name]?.type, name === "id" ? "integer" : "string", `${name} in the document`);
    }
    await using app = await testApp();
    const client = await app.as("superuser");
    const page = await (await client(`/api/${list}/?limit=5`)).json();
    assert(Number.isSafeInteger(page.count));
    assert.deepEqual(Object.keys(page).sort(), ["count", "next", "previous", "results"]);
    assert(page.results.length > 0, "The seeded inventory has one");
    for (const object of page.results) {
      assert(Number.isSafeInteger(object.id));
      for (const name of TEXTS) assert.equal(typeof object[name], "string", name);
      assert.notEqual(object.display, "");
      assert.match(object.created, TIME);
      assert.match(object.last_updated, TIME);
      for (const tag of object.tags ?? []) assert(Number.isSafeInteger(tag.id) && tag.display !== "");
      if ("custom_fields" in object) assert.equal(typeof object.custom_fields, "object");
      // Choices of these objects have a value and a label.
      const { status } = object;
      if (status !== undefined && !list.startsWith("plugins/")) {
        assert.deepEqual(Object.keys(status).sort(), ["label", "value"]);
      }
    }
  });
}
