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

scenario("A change has user, action, object, and the values before and after", {
  as: auditor(),
  before: change,
  get: `${PATHS.changes}?limit=1`,
  status: 200,
  json: ({ results: [row] }) => {
    assert.deepEqual([row.action, row.changed_object_type, row.changed_object_id, row.user_name], [
      { value: "update", label: "Updated" },
      TYPE,
      1,
      "chief",
    ]);
    assert.equal(row.user.username, "chief");
    assert.match(row.request_id, /^[0-9a-f-]{36}$/);
    assert.equal(row.time, "2026-06-15T12:00:00Z");
    assert.equal(row.object_repr, "www.acme.example (expires: 2026-10-31)");
    assert.deepEqual([row.prechange_data.status, row.postchange_data.status], ["active", "revoked"]);
    assert.deepEqual([row.prechange_data.tags, row.postchange_data.tags], [[seed.tags.prod, seed.tags.pci], [
      seed.tags.pci,
    ]]);
    assert.match(row.prechange_data.pem_content, /^sha256:/);
    assert.equal(row.postchange_data.pem_content, "");
  },
});
for (
  const [query, expected] of [
    [`object_type=${TYPE}&object_id=1`, ["update", "create"]],
    [`changed_object_type=${TYPE}&changed_object_id=1`, ["update", "create"]],
    ["user_name=chief", ["update"]],
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
    json: (body) =>
      assert.deepEqual(body.results.map((row: { action: { value: string } }) => row.action.value), expected),
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
scenario("The log can be read for one type only", {
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
      body.results.every((row: { changed_object_type: string; user: null }) =>
        row.changed_object_type === "extras.tag" && row.user === null
      ),
    );
  },
});
scenario("Deleted objects stay in the log", {
  as: auditor(),
  before: async (app) => {
    const chief = await app.as("superuser");
    await chief(certificate(seed.certificates.shared), { method: "DELETE" });
  },
  get: `${PATHS.changes}?object_id=${seed.certificates.shared}&object_type=${TYPE}&action=delete`,
  status: 200,
  json: ({ results: [row] }) => {
    assert.equal(row.postchange_data, null);
    assert.equal(row.prechange_data.common_name, "shared.example");
  },
});
scenario("All changes of a request have its id", {
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

for (
  const [what, options, path] of [
    ["a creation", { method: "POST", body: { name: "new", slug: "new" } }, PATHS.tags],
    ["a change", { method: "PATCH", body: { description: "other" } }, `${PATHS.tags}${seed.tags.pci}/`],
    ["a bulk change", { method: "PATCH", body: [{ id: seed.tags.pci, description: "other" }] }, PATHS.tags],
    ["a deletion", { method: "DELETE", body: {} }, `${PATHS.tags}${seed.tags.pci}/`],
    ["a bulk deletion", { method: "DELETE", body: [{ id: seed.tags.pci }] }, PATHS.tags],
  ] as const
) {
  scenario(`changelog_message in the body of ${what} is kept with the change`, {
    as: auditor(),
    before: async (app) => {
      const chief = await app.as("superuser");
      const message = { changelog_message: "Ticket 4711" };
      const body = Array.isArray(options.body)
        ? options.body.map((one) => ({ ...one, ...message }))
        : { ...options.body, ...message };
      assert((await chief(path, { method: options.method, body })).ok);
    },
    get: `${PATHS.changes}?changed_object_type=extras.tag&limit=1`,
    status: 200,
    json: ({ results: [row] }) => assert.equal(row.message, "Ticket 4711"),
  });
}
scenario("A changelog_message of more than 200 characters is refused and nothing is stored", {
  as: "superuser",
  patch: `${PATHS.tags}${seed.tags.pci}/`,
  body: { description: "other", changelog_message: "x".repeat(201) },
  status: 400,
  equals: { changelog_message: ["Ensure this field has no more than 200 characters."] },
});
scenario("A changelog_message of a deletion with a private key is refused and nothing is deleted", {
  as: "superuser",
  delete: `${PATHS.tags}${seed.tags.pci}/`,
  body: {
    changelog_message: "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n",
  },
  status: 400,
  equals: { changelog_message: ["Private key detected. Private keys are never stored."] },
});
scenario("GET plugins/installed-plugins/ names the service's own plugin", {
  as: "superuser",
  get: "/api/plugins/installed-plugins/",
  status: 200,
  json: (body) => assert.deepEqual(body.map((one: { name: string }) => one.name), ["certmgr"]),
});

for (
  const [query, expected] of [
    ["time_after=2026-06-15T12:00:00Z", true],
    ["time_before=2026-06-15T12:00:00Z", true],
    ["time_after=2026-06-15T12:00:01Z", false],
    ["time_before=2026-06-15T11:59:59Z", false],
    ["time__gte=2026-06-15T12:00:00Z", true],
  ] as const
) {
  scenario(`Changes are filtered by ${query}, as NetBox's clients send it`, {
    as: auditor(),
    before: change,
    get:
      `${PATHS.changes}?${query}&action=update&changed_object_id=${seed.certificates.acmeWeb}&user_name=chief`,
    status: 200,
    json: ({ count }) => assert.equal(count, expected ? 1 : 0),
  });
}

const EXPORT = `${PATHS.changes}export/`;
scenario("GET object-changes/export/ returns CSV, the oldest first, with what was changed", {
  as: auditor(),
  before: change,
  get: `${EXPORT}?changed_object_type=${TYPE}&changed_object_id=1`,
  status: 200,
  type: "text/csv; charset=utf-8",
  answers: { "content-disposition": /^attachment; filename="object-changes\.csv"/ },
  contains: [
    "id,time,username,action,object_type,object_id,object_repr,message,request_id,changes\r\n",
    ",chief,update,certmgr.certificate,1,www.acme.example (expires: 2026-10-31),",
    "status: active → revoked;",
  ],
  excludes: ["prechange", "last_updated"],
});
scenario("GET object-changes/export/ has only rows within the caller's constraints, also as JSON", {
  as: granted([{ types: ["core.objectchange"], actions: ["view"], constraints: { user_name: "chief" } }]),
  before: change,
  get: `${EXPORT}?format=json`,
  status: 200,
  json: (rows) => assert.deepEqual(rows.map(({ username }: { username: string }) => username), ["chief"]),
});
scenario("GET object-changes/export/ refuses a user without the permission", {
  as: granted([{ types: [TYPE], actions: ["view"] }]),
  get: EXPORT,
  status: 403,
});
scenario("GET object-changes/export/ names a wrong parameter", {
  as: auditor(),
  get: `${EXPORT}?usernam=alice`,
  status: 400,
  json: (body) => assert.deepEqual(Object.keys(body), ["usernam"]),
});
scenario("GET object-changes/export/ is never truncated", {
  as: auditor(),
  app: { settings: { maxExportSize: 1 } },
  get: EXPORT,
  status: 400,
  json: ({ detail }) => assert.match(detail, /^Export size exceeds maximum of 1 object changes/),
});
