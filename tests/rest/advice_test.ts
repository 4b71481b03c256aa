/** The advice about an object in the API: for those who may view it, as its schema says. */

import assert from "node:assert/strict";
import { CertificateAdvice, EndpointAdvice } from "../../src/domain/advice/mod.ts";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";

const KINDS = [
  {
    type: "certmgr.certificate",
    path: PATHS.certificates,
    ids: Object.values(seed.certificates),
    schema: CertificateAdvice,
  },
  {
    type: "certmgr.endpoint",
    path: PATHS.endpoints,
    ids: Object.values(seed.endpoints),
    schema: EndpointAdvice,
  },
];

for (const { type, path, ids, schema } of KINDS) {
  Deno.test(`GET ${path}{id}/advice/ answers what its schema says`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    for (const id of ids) {
      const response = await client(`${path}${id}/advice/`);
      assert.equal(response.status, 200);
      const { count, results, ...page } = await response.json();
      assert.deepEqual([count, page], [results.length, { next: null, previous: null }]);
      for (const one of results) assert.deepEqual(schema.parse(one), one);
      assert.ok(path !== PATHS.certificates || results.length > 0);
    }
    const refused = await client(`${path}${ids[0]}/advice/?limit=1`);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /limit/);
  });

  Deno.test(`GET ${path}{id}/advice/ of a hidden object is that of a missing one, and needs the right to view`, async () => {
    await using app = await testApp();
    const [seen, hidden] = ids;
    const client = await app.as(granted([{ types: [type], actions: ["view"], constraints: { id: seen } }]));
    const [shown, found, missing] = await Promise.all(
      [seen, hidden, 9_999].map((id) => client(`${path}${id}/advice/`)),
    );
    assert.deepEqual([shown?.status, found?.status, missing?.status], [200, 404, 404]);
    assert.equal(await found?.text(), await missing?.text());
    const other = await app.as(
      granted([{ types: ["extras.tag"], actions: ["view"] }], { username: "other" }),
    );
    assert.equal((await other(`${path}${seen}/advice/`)).status, 403);
    assert.equal((await (await app.as("nobody"))(`${path}${seen}/advice/`)).status, 401);
  });
}
