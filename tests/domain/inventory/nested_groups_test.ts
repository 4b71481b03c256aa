/** Nested groups, as in NetBox: of tenants, of contacts, of sites, and regions. */

import assert from "node:assert/strict";
import { testApp } from "../../support/app.ts";

type Json = Record<string, unknown>;

for (
  const [path, label] of [
    ["/api/tenancy/tenant-groups/", "tenant group"],
    ["/api/tenancy/contact-groups/", "contact group"],
    ["/api/dcim/regions/", "region"],
    ["/api/dcim/site-groups/", "site group"],
  ] as const
) {
  Deno.test(`a ${label} has a parent and a depth, is found by its parent, and is deleted with it`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const send = async (method: string, to: string, body?: unknown): Promise<[number, Json]> => {
      const answer = await client(to, { method, ...(body === undefined ? {} : { body }) });
      return [answer.status, answer.status === 204 ? {} : await answer.json()];
    };
    const create = async (name: string, parent: unknown): Promise<Json> => {
      const [status, body] = await send("POST", path, { name, slug: name, parent });
      assert.equal(status, 201, JSON.stringify(body));
      return body;
    };
    const top = await create("top", null);
    const middle = await create("middle", { slug: "top" });
    const low = await create("low", middle.id);
    assert.deepEqual([top, middle, low].map(({ _depth }) => _depth), [0, 1, 2]);
    assert.deepEqual((low.parent as Json).slug, "middle");

    for (const filter of ["parent=top", `parent_id=${top.id}`, "parent__name=top"]) {
      const [, { results }] = await send("GET", `${path}?${filter}`);
      assert.deepEqual((results as Json[]).map(({ slug }) => slug), ["middle"], filter);
    }
    const refusals = [
      [top.id, `A ${label} cannot be its own parent.`],
      [low.id, `A ${label} cannot be inside itself, directly or through others.`],
    ] as const;
    for (const [parent, message] of refusals) {
      assert.deepEqual(await send("PATCH", `${path}${top.id}/`, { parent }), [400, { parent: [message] }]);
    }
    const missing = 'Related object not found using the provided attributes: {"slug":"nowhere"}.';
    assert.deepEqual(await send("PATCH", `${path}${low.id}/`, { parent: { slug: "nowhere" } }), [
      400,
      { parent: [missing] },
    ]);
    assert.equal((await send("DELETE", `${path}${middle.id}/`))[0], 204);
    assert.equal((await send("GET", `${path}${low.id}/`))[0], 404);
    assert.equal((await send("GET", `${path}${top.id}/`))[0], 200);
  });
}
