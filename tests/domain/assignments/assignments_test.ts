/** Assignments of certificates to objects. */

import assert from "node:assert/strict";
import { granted, type GrantSpec, managerOf } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { filterTest } from "../../support/filters.ts";
import { make } from "../../support/make.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const TYPE = "certmgr.certificateassignment";
const path = PATHS.assignments;
const ABSENT = "Related object not found using the provided numeric ID";
const TARGETS = [
  ["dcim.device", seed.devices.edge, "dcim/devices", "edge-1"],
  ["virtualization.virtualmachine", seed.machines.web, "virtualization/virtual-machines", "web-1"],
  ["ipam.service", seed.services.https, "ipam/services", "https"],
] as const;

/** Returns a valid body. */
function body(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    certificate: seed.certificates.acmeCritical,
    assigned_object_type: "dcim.device",
    assigned_object_id: seed.devices.edge,
    ...change,
  };
}

for (const [type, id, address, name] of TARGETS) {
  scenario(`POST assignments assigns a certificate to a ${type} and shows both`, {
    as: "superuser",
    post: path,
    body: body({ assigned_object_type: type, assigned_object_id: id, is_primary: true, notes: "Front" }),
    status: 201,
    changes: [`create ${TYPE}`],
    json: (made) => {
      assert.equal(made.certificate, seed.certificates.acmeCritical);
      assert.deepEqual([made.is_primary, made.notes], [true, "Front"]);
      assert.equal(made.certificate_detail.common_name, "api.acme.example");
      assert.deepEqual([made.assigned_object_type, made.assigned_object_id], [type, id]);
      assert.equal(made.assigned_object.name, name);
      assert.equal(made.assigned_object.url, `https://certmgr.example/api/${address}/${id}/`);
    },
  });
}
scenario(
  "POST assignments accepts the certificate as an object with its id, too; other fields have defaults",
  {
    as: "superuser",
    post: path,
    body: body({ certificate: { id: seed.certificates.acmeCritical } }),
    status: 201,
    changes: [`create ${TYPE}`],
    json: (made) =>
      assert.deepEqual([made.certificate, made.is_primary, made.notes], [
        seed.certificates.acmeCritical,
        false,
        "",
      ]),
  },
);

const UNIQUE =
  "Assignment with this Certificate, Assigned object type and Assigned object id already exists.";
const TENANTS = "A certificate of one tenant cannot be assigned to another tenant's object.";
const FAULTS: readonly (readonly [string, Record<string, unknown>, Record<string, string[]>])[] = [
  ["an empty body", {}, {
    certificate: ["This field is required."],
    assigned_object_type: ["This field is required."],
    assigned_object_id: ["This field is required."],
  }],
  ["an unknown type", body({ assigned_object_type: "dcim.site" }), {
    assigned_object_type: [
      'Expected one of dcim.device, virtualization.virtualmachine, ipam.service, not "dcim.site".',
    ],
  }],
  ["an absent target", body({ assigned_object_id: 999 }), { assigned_object_id: [`${ABSENT}: 999.`] }],
  ["an absent certificate", body({ certificate: 999 }), { certificate: [`${ABSENT}: 999.`] }],
  ["a private key", body({ notes: "-----BEGIN EC PRIVATE KEY-----\nMHc=\n-----END EC PRIVATE KEY-----" }), {
    notes: ["Private key detected. Private keys are never stored."],
  }],
  ["an existing assignment", body({ certificate: seed.certificates.acmeWeb }), { __all__: [UNIQUE] }],
  ["another tenant's device", body({ assigned_object_id: seed.devices.idle }), { __all__: [TENANTS] }],
  [
    "another tenant's virtual machine",
    body({
      certificate: seed.certificates.globexWeb,
      assigned_object_type: "virtualization.virtualmachine",
      assigned_object_id: seed.machines.web,
    }),
    { __all__: [TENANTS] },
  ],
];
for (const [what, given, equals] of FAULTS) {
  scenario(`POST assignments refuses ${what}`, {
    as: "superuser",
    post: path,
    body: given,
    status: 400,
    equals,
  });
}
scenario("POST assignments of a list refuses the same assignment twice in it", {
  as: "superuser",
  post: path,
  body: [body(), body()],
  status: 400,
  equals: [{}, { __all__: [UNIQUE] }],
});
scenario("PUT assignments/{id}/ may keep an object whose tenant has changed since", {
  as: "superuser",
  before: async (app) => {
    const client = await app.as({ username: "mover", superuser: true, grants: [] });
    await client(`${PATHS.devices}${seed.devices.edge}/`, { method: "PATCH", body: { tenant: 2 } });
  },
  put: `${path}${seed.assignments.acme}/`,
  body: body({ certificate: seed.certificates.acmeWeb, notes: "Still there" }),
  status: 200,
  changes: [`update ${TYPE}`],
});
scenario("PUT assignments/{id}/ that moves it is validated like a new one", {
  as: "superuser",
  put: `${path}${seed.assignments.acme}/`,
  body: body({ certificate: seed.certificates.acmeWeb, assigned_object_id: seed.devices.idle }),
  status: 400,
  equals: { __all__: [TENANTS] },
});
for (const address of [path, `${path}${seed.assignments.acme}/`]) {
  scenario(`PATCH ${address} answers 405, because the specification does not have it`, {
    as: "superuser",
    patch: address,
    body: [],
    status: 405,
    equals: { detail: 'Method "PATCH" not allowed.' },
    answers: { allow: address === path ? /POST/ : /PUT/ },
  });
}

/** Returns a user who may do everything with assignments, and view certificates and objects except for hidden ones. */
function assigner(hidden: { certificate?: number; device?: number }): ReturnType<typeof granted> {
  const view = (type: string, id = 0): GrantSpec => ({
    types: [type],
    actions: ["view"],
    constraints: { id__n: id },
  });
  return granted([
    { types: [TYPE], actions: ["view", "add", "change", "delete"] },
    view("certmgr.certificate", hidden.certificate),
    view("dcim.device", hidden.device),
  ]);
}
scenario("A hidden target is treated like a missing one", {
  as: assigner({ device: seed.devices.edge }),
  post: path,
  body: body(),
  status: 400,
  equals: { assigned_object_id: [`${ABSENT}: ${seed.devices.edge}.`] },
});
scenario("A caller without any permission to view a type may name its objects by id, and is not shown them", {
  as: assigner({}),
  post: path,
  body: body({ assigned_object_type: "ipam.service", assigned_object_id: 1 }),
  status: 201,
  changes: ["create certmgr.certificateassignment"],
  json: (seen) => assert.equal(seen.assigned_object, null),
});
scenario("A hidden certificate is treated like a missing one", {
  as: assigner({ certificate: seed.certificates.acmeCritical }),
  post: path,
  body: body(),
  status: 400,
  equals: { certificate: [`${ABSENT}: ${seed.certificates.acmeCritical}.`] },
});
scenario("GET assignments/{id}/ reveals nothing about a hidden certificate or object", {
  as: assigner({ certificate: seed.certificates.acmeWeb, device: seed.devices.edge }),
  get: `${path}${seed.assignments.acme}/`,
  status: 200,
  excludes: ["www.acme.example", "edge-1"],
  json: (seen) => assert.deepEqual([seen.certificate_detail, seen.assigned_object], [null, null]),
});
scenario("POST assignments whose result lies outside the caller's constraints is refused", {
  as: granted([
    { types: [TYPE], actions: ["add"], constraints: { certificate__tenant__slug: "acme" } },
    { types: ["certmgr.certificate", "dcim.device"], actions: ["view"] },
  ]),
  post: path,
  body: body({ certificate: seed.certificates.shared }),
  status: 403,
});
scenario("POST assignments needs `add`, and `view` for certificate and object, and nothing else", {
  as: granted([
    { types: [TYPE], actions: ["add"] },
    { types: ["certmgr.certificate", "dcim.device"], actions: ["view"] },
  ]),
  post: path,
  body: body(),
  status: 201,
  changes: [`create ${TYPE}`],
});
scenario("GET assignments lists those that the caller may view, by the tenant of the certificate", {
  as: managerOf("acme"),
  get: path,
  status: 200,
  excludes: ["globex"],
  json: ({ count, results }) => assert.deepEqual([count, results[0].id], [1, seed.assignments.acme]),
});
scenario("DELETE certificates/{id}/ deletes its assignments, each with a separate event", {
  as: "superuser",
  delete: certificate(seed.certificates.globexWeb),
  status: 204,
  changes: [`delete ${TYPE}`, "delete certmgr.certificate"],
});

filterTest("A filter of assignments selects the rows that the same filter in memory selects", {
  path,
  filters: [
    ["certificate_id=1", (row) => row.certificate === 1],
    ["certificate=1", (row) => row.certificate === 1],
    ["certificate__tenant=globex", (row) => row.certificate_detail.common_name.includes("globex")],
    ["certificate__common_name__ic=WWW", (row) => row.certificate_detail.common_name.startsWith("www")],
    ["assigned_object_type=ipam.service", (row) => row.assigned_object_type === "ipam.service"],
    ["assigned_object_id=2", (row) => row.assigned_object_id === 2],
    ["is_primary=true", (row) => row.is_primary],
    ["notes__ic=SPARE", (row) => /spare/i.test(row.notes)],
    ["q=spare", (row) => /spare/i.test(row.notes)],
    ["device=edge-1", (row) => row.assigned_object.name === "edge-1"],
    ["device_id=1&device_id=2", (row) => row.assigned_object_type === "dcim.device"],
    ["virtual_machine_id=1", (row) => row.assigned_object.name === "web-1"],
    ["virtual_machine__tenant=acme", (row) => row.assigned_object.name === "web-1"],
    ["service=https", (row) => row.assigned_object.name === "https"],
  ],
  before: async (app) => {
    await make(
      app,
      path,
      TARGETS.slice(1).map(([assigned_object_type, assigned_object_id]) =>
        body({ assigned_object_type, assigned_object_id, notes: "Spare" })
      ),
    );
  },
});

Deno.test("The number of statements does not depend on how many assignments are listed or created", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const machines = await make(
    app,
    PATHS.machines,
    Array.from({ length: 40 }, (_, index) => ({ name: `m-${index}` })),
  );
  const spend = async (work: () => Promise<Response>): Promise<number> => {
    const before = app.database.statements;
    const response = await work();
    assert(response.ok, await response.text());
    return app.database.statements - before;
  };
  const bodies = machines.map(({ id }) =>
    body({ assigned_object_type: "virtualization.virtualmachine", assigned_object_id: id })
  );
  await client(path);
  const list = (limit: number) => () => client(`${path}?limit=${limit}`);
  const create = (from: number, to: number) => () =>
    client(path, { method: "POST", body: bodies.slice(from, to) });
  const [few, one] = [await spend(list(1)), await spend(create(0, 1))];
  assert.equal(await spend(create(1, 40)), one);
  await client(path);
  assert.equal(await spend(list(40)), few);
});
