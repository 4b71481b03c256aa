/** Authentication, and the effects of permissions. */

import assert from "node:assert/strict";
import { granted, keyOf, readerOf, stranger, superuser } from "../../support/actors.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { TEST_NOW } from "../../support/test_ca/mod.ts";

const TAGS = PATHS.tags;

for (
  const [what, authorization, detail] of [
    ["an empty header", "", "Authentication credentials were not provided."],
    ["another scheme", "Basic dXNlcjpwYXNz", "Authentication credentials were not provided."],
    ["a scheme without a key", "Token", "Invalid token"],
    ["an unknown key", `Token ${"x".repeat(40)}`, "Invalid token"],
    ["a key that is too long", `Token ${"x".repeat(4_000)}`, "Invalid token"],
    ["SQL in the key", "Token ' OR 1=1 --", "Invalid token"],
    ["two keys", `Token ${keyOf("superuser")} ${keyOf("superuser")}`, "Invalid token"],
  ] as const
) {
  scenario(`Credentials: ${what} answers 401`, {
    as: "nobody",
    get: TAGS,
    headers: { authorization },
    status: 401,
    equals: { detail },
    answers: { "www-authenticate": "Token" },
  });
}
scenario("Credentials: the hash of a key is not accepted as a key", {
  as: "nobody",
  get: TAGS,
  headers: { authorization: "Token 0123456789012345678901234567890123456789" },
  status: 401,
});
scenario("Credentials: Bearer means the same as Token, in any case", {
  as: "nobody",
  before: async (app) => void await app.as("superuser"),
  get: TAGS,
  headers: { authorization: `bearer ${keyOf("superuser")}` },
  status: 200,
});
for (
  const [what, options, detail] of [
    ["an expired token", { expires: TEST_NOW }, "Token expired"],
    ["an inactive user", { active: false }, "User inactive"],
    ["a disabled token", { tokenEnabled: false }, "Invalid token"],
  ] as const
) {
  scenario(`Credentials: ${what} answers 401`, {
    as: superuser(options),
    get: TAGS,
    status: 401,
    equals: { detail },
    answers: { "www-authenticate": "Token" },
  });
}
scenario("Credentials: a token that expires in a millisecond is accepted", {
  as: superuser({ expires: TEST_NOW + 1 }),
  get: TAGS,
  status: 200,
});
scenario("Credentials: a token is accepted from its allowed addresses", {
  as: superuser({ allowedIps: ["198.51.100.0/24", "192.0.2.1"] }),
  get: TAGS,
  status: 200,
});
scenario("Credentials: behind a trusted proxy the address is that of the client, not of the proxy", {
  as: superuser({ allowedIps: ["192.0.2.1"] }),
  get: TAGS,
  headers: { "x-forwarded-for": "198.51.100.7" },
  app: { trustedProxies: ["192.0.2.1"] },
  status: 403,
});
scenario("Credentials: a forwarded address of an untrusted peer is ignored", {
  as: superuser({ allowedIps: ["198.51.100.7"] }),
  get: TAGS,
  headers: { "x-forwarded-for": "198.51.100.7" },
  status: 403,
});
scenario("Credentials: a read-only token may read", {
  as: superuser({ readOnlyToken: true }),
  get: TAGS,
  status: 200,
});

const CERTIFICATE = "certmgr.certificate";

/** Registers a scenario in which a caller with these grants lists certificates and gets these rows. */
function sees(
  title: string,
  grants: Parameters<typeof granted>[0],
  names: (keyof typeof seed.certificates)[],
): void {
  scenario(`Constraints: ${title}`, {
    as: granted(grants),
    get: `${PATHS.certificates}?limit=0&ordering=id&fields=id`,
    status: 200,
    json: (body) => {
      assert.deepEqual(
        body.results.map((row: { id: number }) => row.id),
        names.map((name) => seed.certificates[name]),
      );
      assert.equal(body.count, names.length);
    },
  });
}

const view = { types: [CERTIFICATE], actions: ["view"] };
sees("a dictionary is AND", [{ ...view, constraints: { tenant__name: "Acme Corp", status: "active" } }], [
  "acmeWeb",
  "acmeCritical",
  "acmeExpired",
]);
sees("a list is OR", [{ ...view, constraints: [{ status: "revoked" }, { status__in: ["pending"] }] }], [
  "acmeWarning",
  "globexRevoked",
]);
sees("several grants are OR", [
  { ...view, constraints: { tenant__slug: "globex", valid_to__lt: "2026-06-15T12:00:00Z" } },
  { ...view, constraints: { id: 1 } },
], ["acmeWeb", "globexJustExpired"]);
sees("a relation by its id, null included", [{ ...view, constraints: { tenant: null, algorithm: "rsa" } }], [
  "unicode",
  "twin",
]);
sees("a grant without constraints covers every row, whatever the others are", [
  { ...view, constraints: { id: 1 } },
  { ...view, constraints: [] },
], Object.keys(seed.certificates) as (keyof typeof seed.certificates)[]);
sees("a grant for another type or action has no effect here", [
  { ...view, constraints: { id: 1 } },
  { types: ["tenancy.tenant"], actions: ["view"] },
  { types: [CERTIFICATE], actions: ["change"] },
], ["acmeWeb"]);
sees("a stored constraint that is no longer valid covers nothing", [
  { ...view, constraints: { id: 1 } },
  { ...view, constraints: { field_of_old: 1 } },
  { ...view, constraints: { common_name__regex: "." } },
], ["acmeWeb"]);

scenario('Constraints: "$user" is the id of the caller', {
  as: granted([{ types: ["core.objectchange"], actions: ["view"], constraints: { user: "$user" } }]),
  before: async (app) => {
    const chief = await app.as("superuser");
    await chief(PATHS.tags, { method: "POST", body: { name: "By another", slug: "by-another" } });
  },
  get: PATHS.changes,
  status: 200,
  equals: { count: 0, next: null, previous: null, results: [] },
});
scenario("A disabled permission grants nothing", {
  as: stranger(),
  before: async (app) => {
    const chief = await app.as("superuser");
    const body = {
      object_types: ["extras.tag"],
      actions: ["view"],
      name: "x",
      users: [{ username: "stranger" }],
    };
    const made = await chief(PATHS.permissions, { method: "POST", body });
    const { id } = await made.json();
    await chief(`${PATHS.permissions}${id}/`, { method: "PATCH", body: { enabled: false } });
  },
  get: TAGS,
  status: 403,
});
scenario("A permission takes effect when it is created", {
  as: stranger(),
  before: async (app) => {
    const chief = await app.as("superuser");
    const body = {
      object_types: ["extras.tag"],
      actions: ["view"],
      name: "x",
      users: [{ username: "stranger" }],
    };
    assert.equal((await chief(PATHS.permissions, { method: "POST", body })).status, 201);
  },
  get: TAGS,
  status: 200,
});

const hiding = granted([{ ...view, constraints: { id: seed.certificates.acmeReplaced } }]);
scenario("Nested objects that the caller may not view are null, lists of them are empty", {
  as: hiding,
  get: certificate(seed.certificates.acmeReplaced),
  status: 200,
  excludes: ["Acme Corp", "Staging", "www.acme.example"],
  json: (body) => {
    assert.equal(body.tenant, null);
    assert.equal(body.replaced_by, null);
    assert.deepEqual(body.tags, []);
  },
});
scenario("Nested objects that the caller may view are brief objects with their URL", {
  as: readerOf("acme"),
  get: certificate(seed.certificates.acmeReplaced),
  status: 200,
  json: (body) => {
    assert.deepEqual(body.tenant, {
      id: 1,
      url: "https://certmgr.example/api/tenancy/tenants/1/",
      display: "Acme Corp",
      name: "Acme Corp",
      slug: "acme",
      description: "Anvils",
    });
    assert.equal(body.replaced_by.display, "www.acme.example (expires: 2026-10-31)");
    assert.equal(body.tags[0].slug, "staging");
  },
});
for (
  const query of ["tenant=acme", "tenant_id=1", "tenant__name__ic=acme", "tag=staging", "replaced_by_id=1"]
) {
  scenario(`A filter by a hidden object finds nothing: ${query}`, {
    as: hiding,
    get: `${PATHS.certificates}?${query}`,
    status: 200,
    json: (body) => assert.equal(body.count, 0),
  });
}
for (const query of ["tenant__n=acme", "tenant_id__n=1", "tenant_id=null", "tag__n=staging"]) {
  scenario(`For a negated filter, hidden objects do not exist: ${query}`, {
    as: hiding,
    get: `${PATHS.certificates}?${query}`,
    status: 200,
    json: (body) => assert.equal(body.count, 1),
  });
}
scenario("Counts of related objects include only those that the caller may view", {
  as: readerOf("acme"),
  get: `${PATHS.authorities}${seed.authorities.internal}/`,
  status: 200,
  json: (body) => assert.equal(body.certificate_count, 1),
});
