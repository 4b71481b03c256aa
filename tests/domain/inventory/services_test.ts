/** Services: ports, and the device or virtual machine that they run on. */

import assert from "node:assert/strict";
import { granted } from "../../support/actors.ts";
import { filterTest } from "../../support/filters.ts";
import { make } from "../../support/make.ts";
import { PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const path = PATHS.services;
const onDevice = { parent_object_type: "dcim.device", parent_object_id: seed.devices.edge };
const REQUIRED = ["This field is required."];
const ABSENT = "Related object not found using the provided numeric ID";

scenario("POST services accepts every field; ports are sorted, each once", {
  as: "superuser",
  post: path,
  body: {
    name: "web",
    protocol: "tcp",
    ports: [8443, 443, 443],
    ...onDevice,
    tenant: { slug: "acme" },
    description: "Shop",
    tags: [{ slug: "prod" }],
  },
  status: 201,
  changes: ["create ipam.service"],
  json: (body) => {
    assert.deepEqual([body.ports, body.display], [[443, 8443], "web (TCP/443, 8443)"]);
    assert.deepEqual([body.parent_object_type, body.parent_object_id], ["dcim.device", seed.devices.edge]);
    assert.equal(body.parent.name, "edge-1");
    assert.equal(body.parent.url, `https://certmgr.example/api/dcim/devices/${seed.devices.edge}/`);
    assert.deepEqual([body.tenant.slug, body.tags[0].slug, body.description], ["acme", "prod", "Shop"]);
  },
});
scenario("POST services needs a name and a parent only", {
  as: "superuser",
  post: path,
  body: { name: "bare", virtual_machine: { name: "web-1" } },
  status: 201,
  changes: ["create ipam.service"],
  json: (body) => {
    assert.deepEqual(body.protocol, { value: "tcp", label: "TCP" });
    assert.deepEqual([body.ports, body.display], [[], "bare (TCP)"]);
    assert.deepEqual([body.parent_object_type, body.parent_object_id], ["virtualization.virtualmachine", 1]);
    assert.deepEqual([body.parent.name, body.device, body.virtual_machine.name], ["web-1", null, "web-1"]);
  },
});

type Fault = readonly [body: Record<string, unknown>, errors: Record<string, string[]>];
const FAULTS: readonly Fault[] = [
  [{}, { name: REQUIRED }],
  [{ name: "x", protocol: "icmp" }, { protocol: ['Expected one of tcp, udp, sctp, not "icmp".'] }],
  [{ name: "x", ports: 443 }, { ports: ["Expected a list of ports, not 443."] }],
  ...[0, 65_536, 1.5, "443", null].map((port): Fault => [{ name: "x", ports: [80, port] }, {
    ports: [`Entry 2: Expected a whole number from 1 to 65535, not ${JSON.stringify(port)}.`],
  }]),
  [{ name: "x", ports: Array(1_001).fill(1) }, {
    ports: ["Ensure this field has no more than 1000 elements."],
  }],
  [{ name: "x", device: null }, { parent_object_type: REQUIRED, parent_object_id: REQUIRED }],
  [{ name: "x", device: 1, virtual_machine: 1 }, {
    __all__: ["Expected one of device and virtual_machine, not both."],
  }],
  [{ name: "x", device: 2, ...onDevice }, {
    device: ["Conflicts with parent_object_type and parent_object_id. Send only one of the two."],
  }],
  [{ name: "x", device: 999 }, { device: [`${ABSENT}: 999.`] }],
  [{ name: "x", parent_object_id: 1 }, { parent_object_type: REQUIRED }],
  [{ name: "x", parent_object_type: "dcim.device" }, { parent_object_id: REQUIRED }],
  [{ name: "x", ...onDevice, parent_object_id: 999 }, { parent_object_id: [`${ABSENT}: 999.`] }],
  [{ name: "x", parent_object_type: "ipam.service", parent_object_id: 1 }, {
    parent_object_type: ['Expected one of dcim.device, virtualization.virtualmachine, not "ipam.service".'],
  }],
];
for (const [body, equals] of FAULTS) {
  scenario(`POST services refuses ${JSON.stringify(body).slice(0, 70)}`, {
    as: "superuser",
    post: path,
    body: "parent_object_id" in body || "parent_object_type" in body || "device" in body
      ? body
      : { ...body, ...onDevice },
    status: 400,
    equals,
  });
}

const builder = granted([
  { types: ["ipam.service"], actions: ["view", "add"] },
  { types: ["dcim.device"], actions: ["view"], constraints: { id__n: seed.devices.edge } },
]);
scenario("POST services answers the same for a hidden and for a missing parent", {
  as: builder,
  post: path,
  body: { name: "x", ...onDevice },
  status: 400,
  equals: { parent_object_id: [`${ABSENT}: ${seed.devices.edge}.`] },
});
scenario("GET services/{id}/ reveals nothing about a hidden parent", {
  as: builder,
  get: `${path}${seed.services.https}/`,
  status: 200,
  excludes: ["edge-1"],
  json: (body) => assert.equal(body.parent, null),
});
scenario("PATCH services/{id}/ refuses to remove the parent", {
  as: "superuser",
  patch: `${path}${seed.services.https}/`,
  body: { parent_object_type: null, parent_object_id: null },
  status: 400,
  equals: { parent_object_type: REQUIRED, parent_object_id: REQUIRED },
});
scenario("PATCH services/{id}/ moves the service by the name of the new parent's kind", {
  as: "superuser",
  patch: `${path}${seed.services.https}/`,
  body: { virtual_machine: { name: "web-2" } },
  status: 200,
  changes: ["update ipam.service"],
  json: (body) =>
    assert.deepEqual([body.parent.name, body.device, body.virtual_machine.name], ["web-2", null, "web-2"]),
});
scenario("PATCH services/{id}/ of one part is validated with the other as stored", {
  as: "superuser",
  patch: `${path}${seed.services.https}/`,
  body: { parent_object_id: null },
  status: 400,
  equals: { parent_object_id: REQUIRED },
});
scenario("DELETE services/{id}/ is refused while a certificate is assigned to it", {
  as: "superuser",
  before: async (app) =>
    void await make(app, PATHS.assignments, [{
      certificate: seed.certificates.shared,
      assigned_object_type: "ipam.service",
      assigned_object_id: seed.services.idle,
    }]),
  delete: `${path}${seed.services.idle}/`,
  status: 409,
  equals: { detail: "Unable to delete object. 1 dependent objects were found: 1 assignment" },
});

type Parent = { name: string } | null;
filterTest("A filter of services selects the rows that the same filter in memory selects", {
  path,
  filters: [
    ["name=https", (row) => row.name === "https"],
    ["protocol=udp", (row) => row.protocol.value === "udp"],
    ["port=443", (row) => row.ports.includes(443)],
    ["device=edge-1", (row) => (row.parent as Parent)?.name === "edge-1"],
    [`device_id=${seed.devices.edge}`, (row) => (row.parent as Parent)?.name === "edge-1"],
    ["device_id=1&device_id=2", (row) => /^edge-[12]$/.test(row.parent?.name ?? "")],
    ["virtual_machine=web-1", (row) => (row.parent as Parent)?.name === "web-1"],
    ["virtual_machine__tenant=acme", (row) => (row.parent as Parent)?.name === "web-1"],
    ["parent_object_type=dcim.device", (row) => row.parent_object_type === "dcim.device"],
    ["parent_object_type=virtualization.virtualmachine", (row) => row.virtual_machine !== null],
    ["parent_object_id=2", (row) => row.parent_object_id === 2],
    ["tenant=acme", (row) => row.tenant?.slug === "acme"],
    ["q=shop", (row) => /shop/i.test(`${row.name}${row.description}`)],
  ],
  before: async (app) => {
    const machine = { parent_object_type: "virtualization.virtualmachine", parent_object_id: 1 };
    await make(app, path, [
      { name: "shop", ports: [443, 80], ...machine, tenant: { slug: "acme" } },
      { name: "mail", parent_object_type: "dcim.device", parent_object_id: 2 },
    ]);
  },
});
