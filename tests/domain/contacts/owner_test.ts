/** Owners of certificates: how they are determined, who may view them, and what webhooks report. */

import assert from "node:assert/strict";
import { type Actor, granted } from "../../support/actors.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const { certificates: ids, contacts, contactRoles: roles } = seed;

type Body = Record<string, unknown>;

/** Assigns a contact to an object. */
async function assign(app: TestApp, object_type: string, object_id: number, body: Body): Promise<number> {
  const client = await app.as("superuser");
  const response = await client(PATHS.contactAssignments, {
    method: "POST",
    body: { object_type, object_id, ...body },
  });
  assert.equal(response.status, 201);
  return (await response.json()).id;
}

async function ownerOf(
  app: TestApp,
  id: number,
  as: Actor | "superuser" = "superuser",
): Promise<string | null> {
  const { owner } = await (await (await app.as(as))(certificate(id))).json();
  return owner === null ? null : `${owner.contact.name}, ${owner.role?.slug ?? "no role"}, ${owner.via}`;
}

scenario("a certificate's owner has contact, role and origin", {
  as: "superuser",
  get: certificate(ids.acmeWeb),
  status: 200,
  json: ({ owner }) => {
    assert.deepEqual(Object.keys(owner), ["contact", "role", "via"]);
    assert.equal(owner.contact.email, "web@acme.example");
    assert.equal(owner.contact.url, `https://certmgr.example${PATHS.contacts}${contacts.web}/`);
    assert.equal(owner.role.slug, "owner");
    assert.equal(owner.via, "certificate");
  },
});

Deno.test("the owner is the certificate's contact, else that of its device, machine or service, else of its tenant", async () => {
  await using app = await testApp();
  assert.equal(await ownerOf(app, ids.acmeWeb), "Web team, owner, certificate");
  assert.equal(await ownerOf(app, ids.globexWeb), "Network team, technical, device");
  assert.equal(await ownerOf(app, ids.acmeCritical), "Network team, no role, tenant");
  assert.equal(await ownerOf(app, ids.shared), null, "nothing to inherit from");
  assert.equal(await ownerOf(app, ids.globexLastDay), null, "the tenant's contact is inactive");
  const client = await app.as("superuser");
  for (
    const [type, id, via] of [
      ["virtualization.virtualmachine", seed.machines.idle, "virtualmachine"],
      ["ipam.service", seed.services.idle, "service"],
    ] as const
  ) {
    await assign(app, type, id, { contact: contacts.idle });
    const body = { certificate: ids.shared, assigned_object_type: type, assigned_object_id: id };
    const made = await (await client(PATHS.assignments, { method: "POST", body })).json();
    assert.equal(await ownerOf(app, ids.shared), `Nobody, no role, ${via}`);
    await client(`${PATHS.assignments}${made.id}/`, { method: "DELETE" });
  }
});

Deno.test("the role owner takes precedence over a priority, a priority over none, and an earlier assignment over a later one", async () => {
  await using app = await testApp();
  const type = "certmgr.certificate";
  const later = { contact: contacts.network };
  await assign(app, type, ids.shared, { contact: contacts.idle });
  await assign(app, type, ids.shared, later);
  assert.equal(await ownerOf(app, ids.shared), "Nobody, no role, certificate");
  await assign(app, type, ids.shared, { ...later, role: roles.technical, priority: "tertiary" });
  assert.equal(await ownerOf(app, ids.shared), "Network team, technical, certificate");
  await assign(app, type, ids.shared, { contact: contacts.web, role: roles.idle, priority: "primary" });
  assert.equal(await ownerOf(app, ids.shared), "Web team, billing, certificate");
  await assign(app, type, ids.shared, { contact: contacts.idle, role: roles.owner });
  assert.equal(await ownerOf(app, ids.shared), "Nobody, owner, certificate");
});

Deno.test("of several objects the one of the primary assignment determines the owner", async () => {
  await using app = await testApp();
  await assign(app, "dcim.device", seed.devices.edge, { contact: contacts.idle });
  const client = await app.as("superuser");
  const body = {
    certificate: ids.globexWeb,
    assigned_object_type: "dcim.device",
    assigned_object_id: seed.devices.edge,
    is_primary: true,
  };
  assert.equal((await client(PATHS.assignments, { method: "POST", body })).status, 201);
  assert.equal(await ownerOf(app, ids.globexWeb), "Nobody, no role, device");
});

/** Returns a user who may view everything, but of one type only the rows of a constraint. */
function seeing(type: string, constraints: Body): Actor {
  const all = [
    "certmgr.certificate",
    "certmgr.certificateassignment",
    "tenancy.contact",
    "tenancy.contactassignment",
    "tenancy.contactrole",
    "tenancy.tenant",
    "dcim.device",
  ].filter((one) => one !== type);
  return granted([{ types: all, actions: ["view"] }, { types: [type], actions: ["view"], constraints }]);
}

Deno.test("hidden contacts, roles, assignments and objects do not determine the owner", async () => {
  const hidden: [string, Body, number, string | null][] = [
    ["tenancy.contact", { id__n: contacts.web }, ids.acmeWeb, "Network team, no role, tenant"],
    ["tenancy.contactassignment", { id__n: 1 }, ids.acmeWeb, "Network team, no role, tenant"],
    ["tenancy.contactrole", { id__n: roles.owner }, ids.acmeWeb, "Web team, no role, certificate"],
    ["tenancy.tenant", { id__n: seed.tenants.acme }, ids.acmeCritical, null],
    ["dcim.device", { id__n: seed.devices.spare }, ids.globexWeb, null],
    ["certmgr.certificateassignment", { id__n: seed.assignments.globex }, ids.globexWeb, null],
  ];
  for (const [type, constraints, id, expected] of hidden) {
    await using app = await testApp();
    const actor = seeing(type, constraints);
    assert.equal(await ownerOf(app, id, actor), expected, type);
    const client = await app.as(actor);
    const found = await (await client(`${PATHS.certificates}?has_owner=true&id=${id}`)).json();
    assert.equal(found.count, expected === null ? 0 : 1, type);
  }
  await using app = await testApp();
  const none = granted([{ types: ["certmgr.certificate"], actions: ["view"] }]);
  assert.equal(await ownerOf(app, ids.acmeWeb, none), null);
});

for (
  const [filter, expected] of [
    [`owner=${contacts.web}`, [ids.acmeWeb]],
    [
      `owner=${contacts.network}`,
      [ids.acmeCritical, ids.acmeExpired, ids.acmeWarning, ids.acmeReplaced, ids.globexWeb],
    ],
    [`contact=${contacts.idle}`, []],
    ["contact=999999", []],
    [
      "has_owner=true",
      [ids.acmeWeb, ids.acmeCritical, ids.acmeExpired, ids.acmeWarning, ids.acmeReplaced, ids.globexWeb],
    ],
    [
      "has_owner=false",
      [ids.globexLastDay, ids.globexJustExpired, ids.globexRevoked, ids.shared, ids.unicode, ids.twin],
    ],
  ] as const
) {
  scenario(`GET certificates/?${filter}`, {
    as: "superuser",
    get: `${PATHS.certificates}?${filter}&ordering=id&limit=0`,
    status: 200,
    json: (body) => assert.deepEqual(body.results.map((one: { id: number }) => one.id), expected),
  });
}

Deno.test("contact= also finds certificates that it is assigned to without being the owner", async () => {
  await using app = await testApp();
  await assign(app, "certmgr.certificate", ids.acmeWeb, { contact: contacts.idle, priority: "inactive" });
  const client = await app.as("superuser");
  for (const [filter, count] of [["contact", 1], ["owner", 0]] as const) {
    const found = await (await client(`${PATHS.certificates}?${filter}=${contacts.idle}`)).json();
    assert.equal(found.count, count, filter);
  }
});

scenario("an invalid contact is refused", {
  as: "superuser",
  get: `${PATHS.certificates}?contact=web`,
  status: 400,
  equals: { contact: ["Enter a whole number, not “web”."] },
});

for (const format of ["csv", "json", "yaml"]) {
  scenario(`exports as ${format} have the owner's name`, {
    as: "superuser",
    get: `${PATHS.certificates}export/?format=${format}&ids=${ids.acmeWeb}&fields=id,owner`,
    status: 200,
    type: {
      csv: "text/csv; charset=utf-8",
      json: "application/json",
      yaml: "application/x-yaml; charset=utf-8",
    }[format] as string,
    contains: ["owner", "Web team"],
  });
}

Deno.test("GraphQL has the owner and its filters", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const query = `{ certificate_list(filters: {owner: [${contacts.web}]}) { id owner
    contact_assignments { priority contact { name } } } }`;
  const { data } = await (await client("/graphql/", { method: "POST", body: { query } })).json();
  assert.equal(data.certificate_list.length, 1);
  assert.equal(data.certificate_list[0].owner.contact.name, "Web team");
  assert.deepEqual(data.certificate_list[0].contact_assignments, [{
    priority: null,
    contact: { name: "Web team" },
  }]);
});
