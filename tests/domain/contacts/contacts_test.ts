/** Contacts, their groups and roles, and their assignments. */

import assert from "node:assert/strict";
import { granted } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const { contactAssignments: assigned, contactGroups: groups, contactRoles: roles, contacts } = seed;

scenario("a contact reads as in NetBox", {
  as: "superuser",
  get: `${PATHS.contacts}${contacts.web}/`,
  status: 200,
  json: ({ group, groups, tags, ...body }) => {
    assert.deepEqual(groups.map((one: { slug: string }) => one.slug), ["on-call"]);
    assert.equal(group.slug, "on-call");
    assert.equal(tags[0].slug, "prod");
    assert.equal(body.display, "Web team");
    assert.deepEqual(
      ["title", "phone", "email", "address", "link", "description", "comments"].map((name) => body[name]),
      ["", "", "web@acme.example", "", "", "", ""],
    );
  },
});
for (
  const [field, value, message] of [
    ["email", "nobody", 'Expected an e-mail address, not "nobody".'],
    ["link", "javascript:alert(1)", "Only http and https URLs are allowed."],
    ["name", "", "This field may not be blank."],
    [
      "group",
      { slug: "absent" },
      'Related object not found using the provided attributes: {"slug":"absent"}.',
    ],
  ] as const
) {
  scenario(`a contact with an invalid ${field} is refused`, {
    as: "superuser",
    post: PATHS.contacts,
    body: { name: "Somebody", [field]: value },
    status: 400,
    equals: { [field]: [message] },
  });
}
scenario("two contacts may have the same name", {
  as: "superuser",
  post: PATHS.contacts,
  body: { name: "Web team" },
  status: 201,
  changes: ["create tenancy.contact"],
});

scenario("groups of one parent have different names", {
  as: "superuser",
  post: PATHS.contactGroups,
  body: { name: "On call", slug: "on-call-2", parent: groups.teams },
  status: 400,
  equals: { __all__: ["Contact group with this Name and Parent already exists."] },
});
scenario("a group may have the name of a group elsewhere", {
  as: "superuser",
  post: PATHS.contactGroups,
  body: { name: "On call", slug: "on-call-2", parent: groups.idle },
  status: 201,
  changes: ["create tenancy.contactgroup"],
});
scenario("a group cannot be its own parent", {
  as: "superuser",
  patch: `${PATHS.contactGroups}${groups.teams}/`,
  body: { parent: groups.teams },
  status: 400,
  equals: { parent: ["A contact group cannot be its own parent."] },
});
scenario("a group cannot be inside a group that it contains", {
  as: "superuser",
  patch: `${PATHS.contactGroups}${groups.teams}/`,
  body: { parent: groups.oncall },
  status: 400,
  equals: { parent: ["A contact group cannot be inside itself, directly or through others."] },
});
scenario("DELETE of a group deletes the groups inside it", {
  as: "superuser",
  delete: `${PATHS.contactGroups}${groups.teams}/`,
  status: 204,
  changes: ["delete tenancy.contactgroup", "delete tenancy.contactgroup"],
});
Deno.test("DELETE of a group removes its contacts from it and from the groups inside it", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  assert.equal((await client(`${PATHS.contactGroups}${groups.teams}/`, { method: "DELETE" })).status, 204);
  const { results } = await (await client(PATHS.contacts)).json();
  assert.deepEqual(results.map((one: { groups: unknown[] }) => one.groups), [[], [], []]);
});

for (
  const [what, body, expected] of [
    ["groups", { groups: [{ slug: "teams" }, groups.idle] }, ["partners", "teams"]],
    ["group, as before NetBox 4.3", { group: { name: "Partners" } }, ["partners"]],
    ["group: null", { group: null }, []],
    ["both, as they are read", { group: groups.oncall, groups: [groups.oncall, groups.idle] }, [
      "on-call",
      "partners",
    ]],
    ["neither", { phone: "1" }, ["on-call"]],
  ] as const
) {
  scenario(`PATCH of a contact with ${what}`, {
    as: "superuser",
    patch: `${PATHS.contacts}${contacts.web}/`,
    body,
    status: 200,
    changes: ["update tenancy.contact"],
    json: (found) => {
      const slugs = found.groups.map((one: { slug: string }) => one.slug);
      assert.deepEqual(slugs.sort(), expected);
      assert.equal(found.group?.id, found.groups[0]?.id);
    },
  });
}
scenario("a new contact gets the group that an older client sends as `group`", {
  as: "superuser",
  post: PATHS.contacts,
  body: { name: "New team", group: groups.teams },
  status: 201,
  changes: ["create tenancy.contact"],
  json: ({ groups: [first] }) => assert.equal(first.slug, "teams"),
});
scenario("a group that is not one of the groups is refused", {
  as: "superuser",
  patch: `${PATHS.contacts}${contacts.web}/`,
  body: { group: groups.teams, groups: [groups.idle] },
  status: 400,
  equals: { group: ["Expected one of the given groups. Send either group or groups."] },
});
Deno.test("a group that is written keeps the groups that the caller may not view", async () => {
  await using app = await testApp();
  const client = await app.as(granted([
    { types: ["tenancy.contact"], actions: ["view", "change"] },
    { types: ["tenancy.contactgroup"], actions: ["view"], constraints: { id__n: groups.oncall } },
  ]));
  const path = `${PATHS.contacts}${contacts.web}/`;
  const idsOf = (contact: { groups: { id: number }[] }): number[] =>
    contact.groups.map(({ id }) => id).sort();
  const answer = await client(path, { method: "PATCH", body: { group: groups.idle } });
  assert.deepEqual([answer.status, idsOf(await answer.json())], [200, [groups.idle]]);
  const all = await (await app.as("superuser"))(path);
  assert.deepEqual(idsOf(await all.json()), [groups.oncall, groups.idle].sort());
});
for (
  const [query, expected] of [
    ["group=teams", [contacts.network]],
    [`group_id=${groups.oncall}`, [contacts.web]],
    ["group__name__ic=call", [contacts.web]],
  ] as const
) {
  scenario(`GET contacts/?${query}`, {
    as: "superuser",
    get: `${PATHS.contacts}?${query}`,
    status: 200,
    json: (body) => assert.deepEqual(body.results.map((one: { id: number }) => one.id), expected),
  });
}

scenario("a priority reads as value and label", {
  as: "superuser",
  get: `${PATHS.contactAssignments}${assigned.device}/`,
  status: 200,
  json: (body) => {
    assert.deepEqual(body.priority, { value: "primary", label: "Primary" });
    assert.equal(body.object_type, "dcim.device");
    assert.equal(body.object.name, "edge-2");
    assert.equal(body.contact.name, "Network team");
    assert.equal(body.role.slug, "technical");
  },
});
for (const priority of ["", null]) {
  scenario(`the priority ${JSON.stringify(priority)} means no priority`, {
    as: "superuser",
    patch: `${PATHS.contactAssignments}${assigned.device}/`,
    body: { priority },
    status: 200,
    changes: ["update tenancy.contactassignment"],
    json: (body) => assert.equal(body.priority, null),
  });
}
for (const priority of ["urgent", { value: "urgent" }, 5]) {
  scenario(`the priority ${JSON.stringify(priority)} is refused`, {
    as: "superuser",
    patch: `${PATHS.contactAssignments}${assigned.device}/`,
    body: { priority },
    status: 400,
    equals: {
      priority: [`Expected one of primary, secondary, tertiary, inactive, not ${JSON.stringify(priority)}.`],
    },
  });
}
scenario("a contact is assigned to an object once in each role", {
  as: "superuser",
  post: PATHS.contactAssignments,
  body: { object_type: "tenancy.tenant", object_id: seed.tenants.acme, contact: contacts.network },
  status: 400,
  equals: {
    __all__: ["Contact assignment with this Object type, Object id, Contact and Role already exists."],
  },
});
scenario("contacts are not assigned to objects of other types", {
  as: "superuser",
  post: PATHS.contactAssignments,
  body: { object_type: "extras.tag", object_id: 1, contact: contacts.web },
  status: 400,
  json: (body) =>
    assert.match(body.object_type[0], /^Expected one of certmgr\.certificate, .* not "extras\.tag"\.$/),
});
scenario("contacts are not assigned to hidden objects", {
  as: granted([
    { types: ["tenancy.contact", "tenancy.contactassignment"], actions: ["view", "add"] },
    { types: ["dcim.device"], actions: ["view"], constraints: { id__n: seed.devices.edge } },
  ]),
  post: PATHS.contactAssignments,
  body: { object_type: "dcim.device", object_id: seed.devices.edge, contact: contacts.web },
  status: 400,
  equals: { object_id: [`Related object not found using the provided numeric ID: ${seed.devices.edge}.`] },
});
scenario("assignments of a hidden contact are hidden", {
  as: granted([
    { types: ["tenancy.contactassignment"], actions: ["view"] },
    { types: ["tenancy.contact"], actions: ["view"], constraints: { id__n: contacts.network } },
  ]),
  get: PATHS.contactAssignments,
  status: 200,
  json: (body) => assert.deepEqual(body.results.map((one: { id: number }) => one.id).sort(), [1, 4]),
});
for (
  const [filter, expected] of [
    [`contact_id=${contacts.network}`, [assigned.device, assigned.tenant]],
    ["contact=Web team", [assigned.certificate, assigned.former]],
    ["role=owner", [assigned.certificate]],
    ["role_id=null", [assigned.tenant, assigned.former]],
    ["priority=inactive", [assigned.former]],
    ["object_type=tenancy.tenant&object_id=1", [assigned.tenant]],
    ["contact__group=on-call", [assigned.certificate, assigned.former]],
  ] as const
) {
  scenario(`GET contact-assignments/?${filter}`, {
    as: "superuser",
    get: `${PATHS.contactAssignments}?${filter}`,
    status: 200,
    json: (body) => assert.deepEqual(body.results.map((one: { id: number }) => one.id).sort(), expected),
  });
}
scenario("DELETE of a contact that is assigned answers 409", {
  as: "superuser",
  delete: `${PATHS.contacts}${contacts.web}/`,
  status: 409,
  equals: { detail: "Unable to delete object. 2 dependent objects were found: 2 contact assignments" },
});
scenario("DELETE of a role in which contacts are assigned answers 409", {
  as: "superuser",
  delete: `${PATHS.contactRoles}${roles.owner}/`,
  status: 409,
  equals: { detail: "Unable to delete object. 1 dependent objects were found: 1 contact assignment" },
});
scenario("DELETE of a tenant deletes the assignments of its contacts", {
  as: "superuser",
  delete: `${PATHS.tenants}${seed.tenants.idle}/`,
  before: async (app) => {
    const client = await app.as("superuser");
    await client(PATHS.contactAssignments, {
      method: "POST",
      body: { object_type: "tenancy.tenant", object_id: seed.tenants.idle, contact: contacts.web },
    });
  },
  status: 204,
  changes: ["delete tenancy.contactassignment", "delete tenancy.tenant"],
});
