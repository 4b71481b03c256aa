/** The tag of a detail changes whenever its content does, and `If-Match` accepts a tag as long as the object has not changed. */

import assert from "node:assert/strict";
import { DAY_MS } from "../../src/base/clock.ts";
import { type Client, type TestApp, testApp } from "../support/app.ts";
import { certificate, PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";

const { acmeWeb } = seed.certificates;

/** Changes that are visible in a certificate, but are not changes of it. */
const CHANGES: readonly (readonly [title: string, change: (app: TestApp, client: Client) => unknown])[] = [
  ["its tenant was renamed", async (_, client) => {
    const { status } = await client(`${PATHS.tenants}${seed.tenants.acme}/`, {
      method: "PATCH",
      body: { name: "New" },
    });
    assert.equal(status, 200);
  }],
  ["an assignment was added", async (_, client) => {
    const body = {
      certificate: acmeWeb,
      assigned_object_type: "dcim.device",
      assigned_object_id: seed.devices.spare,
    };
    assert.equal((await client(PATHS.assignments, { method: "POST", body })).status, 201);
  }],
  ["a day has passed", (app) => app.clock.advance(DAY_MS)],
  ["its owner changed", async (_, client) => {
    const body = { name: "Renamed" };
    const { status } = await client(`/api/tenancy/contacts/${seed.contacts.web}/`, { method: "PATCH", body });
    assert.equal(status, 200);
  }],
];

for (const [title, change] of CHANGES) {
  Deno.test(`A client that has a certificate gets it again after ${title}, and may still change it`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const first = await client(certificate(acmeWeb));
    const tag = first.headers.get("etag") as string;
    const known = { "if-none-match": tag };
    assert.equal((await client(certificate(acmeWeb), { headers: known })).status, 304);
    await change(app, client);
    const second = await client(certificate(acmeWeb), { headers: known });
    assert.equal(second.status, 200);
    assert.notEqual(await second.text(), await first.text());
    const changed = await client(certificate(acmeWeb), {
      method: "PATCH",
      headers: { "if-match": tag },
      body: { description: "Shop" },
    });
    assert.equal(changed.status, 200);
    await changed.text();
    const again = await client(certificate(acmeWeb), {
      headers: { "if-none-match": changed.headers.get("etag") as string },
    });
    assert.equal(again.status, 304, "The tag of a change is that of the object");
    const late = await client(certificate(acmeWeb), {
      method: "PATCH",
      headers: { "if-match": tag },
      body: {},
    });
    assert.equal(late.status, 412);
  });
}
