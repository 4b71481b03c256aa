/** The change log over REST: complete, read-only, and constrained like everything else. */

import assert from "node:assert/strict";
import { auditor, granted } from "../../support/actors.ts";
import type { TestApp } from "../../support/app.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const TYPE = "certmgr.certificate";

/** Changes one certificate as a superuser. */
async function change(app: TestApp): Promise<void> {
  const chief = await app.as("superuser");
  const body = { status: "revoked", pem_content: "", tags: [{ slug: "pci" }] };
  assert.equal((await chief(certificate(seed.certificates.acmeWeb), { method: "PATCH", body })).status, 200);
}

scenario("A change says who did what to which object, and how it was and is", {
  as: auditor(),
  before: change,
  get: `${PATHS.changes}?limit=1`,
  status: 200,
  json: ({ results: [row] }) => {
    assert.deepEqual([row.action, row.object_type, row.object_id, row.username], [
      "update",
      TYPE,
      1,
      "chief",
    ]);
    assert.equal(row.user.username, "chief");
    assert.match(row.request_id, /^[0-9a-f-]{36}$/);
    assert.equal(row.time, "2026-06-15T12:00:00Z");
    assert.equal(row.object_repr, "www.acme.example (expires: 2026-10-31)");
    assert.deepEqual([row.prechange.status, row.postchange.status], ["active", "revoked"]);
    assert.deepEqual([row.prechange.tags, row.postchange.tags], [[seed.tags.prod, seed.tags.pci], [
      seed.tags.pci,
    ]]);
    assert.match(row.prechange.pem_content, /^sha256:/);
    assert.equal(row.postchange.pem_content, "");
  },
});
for (
  const [query, wanted] of [
    [`object_type=${TYPE}&object_id=1`, ["update", "create"]],
    ["action=update", ["update"]],
    ["username=chief", ["update"]],
    ["time__gte=2026-06-15", ["update"]],
    ["time__gte=2026-06-16", []],
    ["action=delete", []],
  ] as const
) {
  scenario(`Changes are filtered by ${query}`, {
    as: auditor(),
    before: change,
    get: `${PATHS.changes}?${query}`,
    status: 200,
    json: (body) => assert.deepEqual(body.results.map((row: { action: string }) => row.action), wanted),
  });
}
scenario("The newest change comes first", {
  as: auditor(),
  get: `${PATHS.changes}?limit=3`,
  status: 200,
  json: (body) => {
    const ids = body.results.map((row: { id: number }) => row.id);
    assert.deepEqual(ids, [...ids].sort((a, b) => b - a));
  },
});
scenario("The log of one type can be opened alone", {
  as: granted([{
    types: ["core.objectchange"],
    actions: ["view"],
    constraints: { object_type: "extras.tag" },
  }]),
  get: PATHS.changes,
  status: 200,
  json: (body) => {
    assert.equal(body.count, 3);
    assert(
      body.results.every((row: { object_type: string; user: null }) =>
        row.object_type === "extras.tag" && row.user === null
      ),
    );
  },
});
scenario("What was deleted stays in the log", {
  as: auditor(),
  before: async (app) => {
    const chief = await app.as("superuser");
    await chief(certificate(seed.certificates.shared), { method: "DELETE" });
  },
  get: `${PATHS.changes}?object_id=${seed.certificates.shared}&object_type=${TYPE}&action=delete`,
  status: 200,
  json: ({ results: [row] }) => {
    assert.equal(row.postchange, null);
    assert.equal(row.prechange.common_name, "shared.example");
  },
});
scenario("All changes of one call carry its request id", {
  as: auditor(),
  before: async (app) => {
    const chief = await app.as("superuser");
    const body = [{ id: 1, status: "revoked" }, { id: 2, status: "revoked" }];
    await chief(PATHS.certificates, { method: "PATCH", body });
  },
  get: `${PATHS.changes}?action=update`,
  status: 200,
  json: ({ results: [one, other] }) => assert.equal(one.request_id, other.request_id),
});
