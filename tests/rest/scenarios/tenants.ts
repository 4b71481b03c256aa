/** Tenants, tags and authorities: unique names, dependent objects, and OPTIONS. */

import assert from "node:assert/strict";
import { granted, managerOf, readerOf, superuser } from "../../support/actors.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

function item(collection: string, id: number): string {
  return `${collection}${id}/`;
}

scenario("DELETE of a tenant that certificates belong to answers 409 and counts them", {
  as: "superuser",
  delete: item(PATHS.tenants, seed.tenants.acme),
  status: 409,
  equals: {
    detail: "Unable to delete object. 9 dependent objects were found: " +
      "5 certificates, 2 certificate signing requests, 1 endpoint, 1 virtual machine",
  },
});
scenario("DELETE of a tenant that only hidden objects belong to answers 409 without their number", {
  as: granted([{ types: ["tenancy.tenant"], actions: ["view", "delete"] }]),
  delete: item(PATHS.tenants, seed.tenants.globex),
  status: 409,
  equals: {
    detail: "Unable to delete object. Dependent objects that you may not view were found.",
  },
});
scenario("DELETE of tenants of which one is in use deletes none", {
  as: "superuser",
  delete: PATHS.tenants,
  body: [{ id: seed.tenants.idle }, { id: seed.tenants.acme }],
  status: 409,
});
scenario("DELETE of an authority clears it from its certificates, also from hidden ones", {
  as: granted([{ types: ["certmgr.certificateauthority"], actions: ["view", "delete"] }]),
  delete: item(PATHS.authorities, seed.authorities.internal),
  status: 204,
  changes: [
    "update certmgr.certificate",
    "update certmgr.certificate",
    "delete certmgr.certificateauthority",
  ],
});
scenario("DELETE of a tag removes it from all objects", {
  as: "superuser",
  delete: item(PATHS.tags, seed.tags.prod),
  status: 204,
  changes: ["delete extras.tag"],
});

for (
  const [collection, name, slug] of [
    [PATHS.tenants, "Acme Corp", "acme"],
    [PATHS.tags, "Production", "prod"],
  ] as const
) {
  const label = collection === PATHS.tenants ? "tenant" : "tag";
  scenario(`POST ${collection} with an existing name and slug reports both`, {
    as: "superuser",
    post: collection,
    body: { name, slug },
    status: 400,
    equals: {
      name: [`${label} with this name already exists.`],
      slug: [`${label} with this slug already exists.`],
    },
  });
  scenario(`POST ${collection} of two with the same slug refuses the second`, {
    as: "superuser",
    post: collection,
    body: [{ name: "one", slug: "same" }, { name: "two", slug: "same" }],
    status: 400,
    equals: [{}, { slug: [`${label} with this slug already exists.`] }],
  });
  for (const bad of ["with space", "ümlaut", "a/b", "", "x".repeat(101), 5, null, ["x"]]) {
    scenario(`POST ${collection} refuses the slug ${JSON.stringify(bad).slice(0, 20)}`, {
      as: "superuser",
      post: collection,
      body: { name: "x", slug: bad },
      status: 400,
      json: (body) => assert.deepEqual(Object.keys(body), ["slug"]),
    });
  }
}
scenario("A slug that another row releases in the same request is not available yet", {
  as: "superuser",
  patch: PATHS.tags,
  body: [{ id: seed.tags.prod, slug: "production" }, { id: seed.tags.pci, slug: "prod" }],
  status: 400,
  equals: [{}, { slug: ["tag with this slug already exists."] }],
});
scenario("Texts are stored without surrounding spaces", {
  as: "superuser",
  post: PATHS.tenants,
  body: { name: "  Umbrella ", slug: "umbrella", description: " two  words " },
  status: 201,
  changes: ["create tenancy.tenant"],
  json: (body) => assert.deepEqual([body.name, body.description], ["Umbrella", "two  words"]),
});
for (const color of ["red", "FFFFFF", "12345", "#123456"]) {
  scenario(`A tag's colour may not be ${color}`, {
    as: "superuser",
    post: PATHS.tags,
    body: { name: "x", slug: "x", color },
    status: 400,
    contains: [color],
  });
}
scenario("A tag without a colour is grey", {
  as: "superuser",
  post: PATHS.tags,
  body: { name: "x", slug: "x" },
  status: 201,
  changes: ["create extras.tag"],
  json: (body) => assert.equal(body.color, "9e9e9e"),
});

scenario("By default a new authority is public and not approved", {
  as: "superuser",
  post: PATHS.authorities,
  body: { name: "Fresh" },
  status: 201,
  changes: ["create certmgr.certificateauthority"],
  json: (body) =>
    assert.deepEqual([body.type, body.is_approved, body.certificate_count], ["public", false, 0]),
});
for (
  const [field, value] of [
    ["type", "private"],
    ["website_url", "ca.example"],
    ["website_url", "javascript:alert(1)"],
    ["portal_url", "ftp://ca.example/"],
    ["contact_email", "nobody"],
    ["is_approved", "yes"],
    ["name", "Acme Internal"],
    ["issuer_pattern", ["x"]],
  ] as const
) {
  scenario(`An authority's ${field} may not be ${JSON.stringify(value)}`, {
    as: "superuser",
    post: PATHS.authorities,
    body: { name: "Fresh", [field]: value },
    status: 400,
    json: (body) => assert.deepEqual(Object.keys(body), [field]),
  });
}

/** Registers a scenario that creates a certificate of `issuer` after two more authorities, and expects one of them. */
function finds(title: string, issuer: string, name: string | null): void {
  scenario(`The issuing authority is ${title}`, {
    as: "superuser",
    before: async (app) => {
      const chief = await app.as("superuser");
      const body = [
        { name: "Short", issuer_pattern: "Encrypt" },
        { name: "Longest", issuer_pattern: "o=let's encrypt, cn=e" },
      ];
      assert.equal((await chief(PATHS.authorities, { method: "POST", body })).status, 201);
    },
    post: PATHS.certificates,
    body: {
      common_name: "x",
      serial_number: "1",
      issuer,
      valid_from: "2026-01-01",
      valid_to: "2027-01-01",
      fingerprint_sha256: "0".repeat(64),
      algorithm: "rsa",
    },
    status: 201,
    changes: ["create certmgr.certificate"],
    json: (body) => assert.equal(body.issuing_ca?.name ?? null, name),
  });
}
finds("the one with the longest pattern in the issuer's name", "C=US, O=Let's Encrypt, CN=E7", "Longest");
finds("found without regard to case", "c=us, o=LET'S ENCRYPT, cn=r3", "Let's Encrypt");
finds("none if no pattern matches", "CN=Nobody", null);

const options = (title: string, expected: Omit<Scenario, "status">): void =>
  scenario(`OPTIONS ${title}`, { status: 200, ...expected });
options("on a collection describes the fields and their choices in the form that clients read", {
  as: "superuser",
  options: PATHS.certificates,
  answers: { allow: "GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS" },
  json: (body) => {
    const { POST } = body.actions;
    assert.deepEqual(POST.status.choices[0], { value: "active", display_name: "Active" });
    assert.deepEqual(POST.algorithm.choices.map((choice: { value: string }) => choice.value), [
      "rsa",
      "ecdsa",
      "ed25519",
      "unknown",
    ]);
    assert.deepEqual([POST.id.read_only, POST.common_name.type, POST.valid_to.type], [
      true,
      "string",
      "datetime",
    ]);
    assert.deepEqual([POST.description.max_length, POST.comments.max_length, POST.status.max_length], [
      1_000,
      10_000,
      undefined,
    ]);
    assert.deepEqual([POST.key_size.type, POST.sans.type, POST.is_acme.type], ["integer", "list", "boolean"]);
  },
});
options("on an object describes PUT", {
  as: "superuser",
  options: certificate(1),
  answers: { allow: "GET, PUT, PATCH, DELETE, HEAD, OPTIONS" },
  json: (body) => assert.deepEqual(Object.keys(body.actions), ["PUT"]),
});
options("describes required fields as such", {
  as: "superuser",
  options: PATHS.tenants,
  json: (body) =>
    assert.deepEqual([body.actions.POST.name.required, body.actions.POST.tags.required], [true, false]),
});
for (
  const [who, as] of [["reader", readerOf("acme")], [
    "read-only token",
    superuser({ readOnlyToken: true }),
  ]] as const
) {
  options(`shows no action to a ${who}`, {
    as,
    options: PATHS.certificates,
    json: (body) => assert.deepEqual(body.actions, {}),
  });
}
options("shows the actions of a manager of one tenant", {
  as: managerOf("acme"),
  options: PATHS.certificates,
  json: (body) => assert.deepEqual(Object.keys(body.actions), ["POST"]),
});
scenario("OPTIONS needs credentials if the path does", {
  as: "nobody",
  options: PATHS.tags,
  status: 401,
});
scenario("OPTIONS of an import names its method", {
  as: "superuser",
  options: `${PATHS.certificates}import/`,
  status: 200,
  answers: { allow: "POST, OPTIONS" },
});
scenario("The tags of a tenant are brief objects", {
  as: readerOf("acme"),
  get: item(PATHS.tenants, seed.tenants.acme),
  status: 200,
  excludes: [pki.root.pem],
  json: (body) => assert.equal(body.tags[0].slug, "prod"),
});
