/** Imports unchanged exports of NetBox's certificate plugin by bulk-data-import. */

import assert from "node:assert/strict";
import { granted } from "../../../support/actors.ts";
import { type Client, testApp } from "../../../support/app.ts";
import { PATHS } from "../../../support/paths.ts";
import { CHAIN, pki } from "../../../support/pki.ts";
import { BULK_DATA, KEY_REFUSED, metadata, TYPE } from "./support.ts";

const COLUMNS = [
  "id",
  "common_name",
  "serial_number",
  "fingerprint_sha256",
  "issuer",
  "valid_from",
  "valid_to",
  "days_remaining",
  "algorithm",
  "key_size",
  "status",
  "tenant",
  "is_expired",
  "is_expiring_soon",
  "expiry_status",
  "private_key_location",
  "assignment_count",
  "created",
  "last_updated",
];

/** Returns a row as the plugin exports it: datetimes with a zone and microseconds. */
function exported(number: number): Record<string, unknown> {
  return {
    id: 7_000 + number,
    common_name: `row-${number}.example`,
    // PyYAML writes it without quotes; some parsers read it as a number.
    serial_number: `${number}e10`,
    fingerprint_sha256: number.toString(16).padStart(64, "e"),
    issuer: "CN=Acme CA, O=Acme",
    valid_from: "2026-01-01T00:00:00+00:00",
    valid_to: "2026-12-31T23:59:59.123456+02:00",
    days_remaining: 38,
    algorithm: "rsa",
    key_size: 2048,
    status: "active",
    tenant: "Acme Corp",
    is_expired: false,
    is_expiring_soon: false,
    expiry_status: "ok",
    private_key_location: "",
    assignment_count: 1,
    created: "2026-01-02T10:00:00.654321+00:00",
    last_updated: "2026-01-02T10:00:00.654321+00:00",
    sans: [`row-${number}.example`, "other.example"],
  };
}

/** Returns YAML as PyYAML's `dump(sort_keys=False)` writes it. */
function pyYaml(rows: readonly Record<string, unknown>[]): string {
  const scalar = (value: unknown): string => {
    if (value === null) return "null";
    if (typeof value !== "string") return String(value);
    if (value === "") return "''";
    return /^\d{4}-\d{2}-\d{2}T|^[0-9:]+$/.test(value) ? `'${value}'` : value;
  };
  const text = (value: string): string => `'${value.replaceAll("\n", "\n\n    ")}'`;
  return rows.map((row) =>
    Object.entries(row).map(([name, value], index) => {
      const head = `${index === 0 ? "- " : "  "}${name}:`;
      if (Array.isArray(value)) return `${head}\n${value.map((one) => `  - ${scalar(one)}\n`).join("")}`;
      const multiline = typeof value === "string" && value.includes("\n");
      return `${head} ${multiline ? text(value) : scalar(value)}\n`;
    }).join("")
  ).join("");
}

function csv(rows: readonly Record<string, unknown>[]): string {
  const cell = (value: unknown): string =>
    value === true ? "True" : value === false ? "False" : String(value ?? "");
  const lines = rows.map((row) => COLUMNS.map((name) => `"${cell(row[name])}"`).join(","));
  return [COLUMNS.join(","), ...lines].join("\r\n");
}

// deno-lint-ignore no-explicit-any -- answers of several operations
type Answer = { status: number; body: any };

async function send(client: Client, body: Record<string, unknown>): Promise<Answer> {
  const answer = await client(BULK_DATA, { method: "POST", body });
  return { status: answer.status, body: await answer.json() };
}

// deno-lint-ignore no-explicit-any -- as above
async function get(client: Client, path: string): Promise<any> {
  return await (await client(path)).json();
}

const rows = [1, 2, 3].map(exported);
const DOCUMENTS: readonly [name: string, content: string, sans: boolean][] = [
  ["CSV", csv(rows), false],
  ["JSON", JSON.stringify(rows, null, 2), true],
  ["YAML", pyYaml(rows), true],
];
for (const [name, content, sans] of DOCUMENTS) {
  Deno.test(`an export of NetBox's plugin as ${name} is imported unchanged, with extended columns`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const { status, body } = await send(client, { content });
    assert.deepEqual([status, body.created_count], [201, 3], JSON.stringify(body).slice(0, 1_000));
    const first = await get(client, `${PATHS.certificates}${body.certificates[0].id}/`);
    assert.deepEqual(
      [first.serial_number, first.valid_from, first.valid_to, first.tenant.name, first.key_size],
      ["1e10", "2026-01-01T00:00:00Z", "2026-12-31T21:59:59.123000Z", "Acme Corp", 2048],
    );
    assert.deepEqual(first.sans, sans ? ["row-1.example", "other.example"] : []);
    const again = await send(client, { content, on_duplicate: "update" });
    assert.deepEqual([again.body.created_count, again.body.unchanged_count], [0, 3]);
  });
}

for (
  const [cell, expected] of [
    ["[]", []],
    [" [ ] ", []],
    ["", []],
    ["dcim.device:edge-1", ["edge-1"]],
    ['["dcim.device:edge-1"]', ["edge-1"]],
    ["[{'device': 'edge-1', 'is_primary': True}]", undefined],
    ["['edge-1']", undefined],
    ['["edge-1"]', undefined],
  ] as const
) {
  Deno.test(`the column assignments with ${JSON.stringify(cell)} is ${expected === undefined ? "an error" : "read"}`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const quoted = `"${cell.replaceAll('"', '""')}"`;
    const [heading = "", line = ""] = csv([exported(1)]).split("\r\n");
    const content = `${heading},tags,assignments\r\n${line},[],${quoted}\r\n`;
    const { status, body } = await send(client, { content });
    if (expected === undefined) {
      assert.deepEqual([status, body.errors.length, body.errors[0].field], [400, 1, "assignments"]);
      assert.match(body.errors[0].message, /such as "dcim\.device:web-1", not "\[?.*edge-1/);
    } else {
      assert.equal(status, 201, JSON.stringify(body));
      const { results } = await get(client, `${PATHS.assignments}?certificate_id=${body.certificates[0].id}`);
      assert.deepEqual(
        // deno-lint-ignore no-explicit-any -- as above
        results.map((one: any) => one.assigned_object.name),
        expected,
      );
    }
  });
}

Deno.test("an export as PEM is imported with its chains; an entry without PEM is skipped with the reason", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const content = [
    "# Certificate: fresh.acme.example\n# Serial: 0a\n# Expires: 2027-01-01\n",
    pki.fresh.pem,
    "\n# Certificate Chain",
    CHAIN,
    "\n\n# Certificate: nothing.example\n# Serial: 0b\n# Expires: Unknown\n\n# No PEM content available\n\n",
    "# Certificate: other.acme.example\n# Serial: 0c\n",
    pki.other.pem,
  ].join("\n");
  const { status, body } = await send(client, { content, on_duplicate: "update" });
  assert.deepEqual(
    [status, body.results.map((row: { status: string }) => row.status)],
    [201, ["created", "skipped", "created"]],
  );
  assert.equal(body.results[1].reason, "The document has no PEM for this certificate.");
  const [fresh, other] = body.certificates;
  assert.equal((await get(client, `${PATHS.certificates}${fresh.id}/`)).issuer_chain, CHAIN);
  assert.equal((await get(client, `${PATHS.certificates}${other.id}/`)).issuer_chain, "");
});

Deno.test("an export of certmgr as PEM and as YAML is imported; each PEM block without a heading is a row", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const format of ["pem", "yaml"]) {
    const text = await (await client(`${PATHS.certificates}export/?format=${format}`)).text();
    const { status, body } = await send(client, { content: text, on_duplicate: "update" });
    assert.deepEqual(
      [status, body.created_count, body.updated_count],
      [201, 0, 0],
      JSON.stringify(body).slice(0, 500),
    );
  }
  const { body } = await send(client, { content: `${pki.fresh.pem}${pki.other.pem}` });
  assert.equal(body.created_count, 2);
});

Deno.test("custom_fields as an object, tags and tenants as the API shows them, and assignments by name and id are imported", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await client("/api/extras/custom-fields/", {
    method: "POST",
    body: { name: "cost_center", type: "text", object_types: [TYPE] },
  });
  const [device] = (await get(client, `/api/dcim/devices/?name=edge-1`)).results;
  const [machine] = (await get(client, `/api/virtualization/virtual-machines/?name=web-1`)).results;
  const row = metadata(1, {
    tenant: { id: 99_999, url: "http://other/", display: "Acme", name: "Acme Corp", slug: "acme" },
    tags: [{ id: 99_999, name: "PCI", slug: "pci" }],
    custom_fields: { cost_center: "K-17", unused: null },
    expiry_notices: ["10d"],
    assignments: [
      `dcim.device:${device.name}`,
      {
        assigned_object_type: "virtualization.virtualmachine",
        assigned_object_id: machine.id,
        is_primary: true,
      },
      { assigned_object_type: "dcim.device", assigned_object_id: 1, assigned_object: { name: device.name } },
    ],
  });
  const { status, body } = await send(client, { content: JSON.stringify([row]) });
  assert.equal(status, 201, JSON.stringify(body));
  const [{ id }] = body.certificates;
  const stored = await get(client, `${PATHS.certificates}${id}/`);
  assert.deepEqual([
    stored.custom_fields.cost_center,
    stored.tenant.slug,
    stored.tags[0].slug,
    stored.expiry_notices,
  ], [
    "K-17",
    "acme",
    "pci",
    ["10d"],
  ]);
  const list = await get(client, `${PATHS.assignments}?certificate_id=${id}`);
  assert.deepEqual(
    // deno-lint-ignore no-explicit-any -- as above
    list.results.map((one: any) => [one.assigned_object_type, one.assigned_object_id, one.is_primary]),
    [["dcim.device", device.id, false], ["virtualization.virtualmachine", machine.id, true]],
  );
  // In CSV: lists with semicolons, JSON in a cell, columns cf_…; existing assignments are not duplicated.
  const line = (cells: Record<string, unknown>): string =>
    Object.values(cells).map((value) => `"${String(value).replaceAll('"', '""')}"`).join(",");
  const cells = {
    ...metadata(1),
    tags: "pci,prod",
    cf_cost_center: "K-18",
    assignments: `device:${device.name}`,
  };
  const table = await send(client, {
    content: `${Object.keys(cells).join(",")}\n${line(cells)}`,
    on_duplicate: "update",
    overwrite: true,
  });
  assert.deepEqual([table.status, table.body.updated_count], [201, 1], JSON.stringify(table.body));
  assert.equal((await get(client, `${PATHS.assignments}?certificate_id=${id}`)).count, 2);
});

Deno.test("assignments: unknown, hidden and foreign objects are errors of their row, and nothing is stored", async () => {
  await using app = await testApp();
  const admin = await app.as("superuser");
  const globex = (await get(admin, `/api/dcim/devices/?name=box`)).results[0];
  const of = (assignments: unknown, more: Record<string, unknown> = {}): Record<string, unknown> => ({
    content: JSON.stringify([metadata(1, { assignments, ...more })]),
  });
  const message = async (client: Client, body: Record<string, unknown>): Promise<string> => {
    const answer = await send(client, body);
    assert.equal(answer.status, 400);
    assert.deepEqual([answer.body.errors[0].row, answer.body.errors[0].field], [1, "assignments"]);
    return answer.body.errors[0].message;
  };
  assert.equal(await message(admin, of(["device:nowhere"])), 'No device with the name "nowhere" was found.');
  assert.match(
    await message(admin, of(["rack:1"])),
    /^Expected a type and a name such as "dcim\.device:web-1", not/,
  );
  assert.match(
    await message(admin, of([`device:${globex.name}`], { tenant: "acme" })),
    /another tenant's object/,
  );
  const acme = await app.as(
    granted([
      { types: [TYPE], actions: ["view", "import", "bulk_operations"] },
      { types: ["certmgr.certificateassignment"], actions: ["add"] },
      { types: ["dcim.device"], actions: ["view"], constraints: { tenant__slug: "acme" } },
    ], { username: "acme" }),
  );
  assert.equal(
    await message(acme, of([`device:${globex.name}`])),
    `No device with the name "${globex.name}" was found.`,
  );
  const none = await app.as(granted([{ types: [TYPE], actions: ["view", "import", "bulk_operations"] }]));
  assert.equal((await send(none, of([`device:${globex.name}`]))).status, 403);
  assert.equal((await get(admin, `${PATHS.certificates}?serial_number=900001`)).count, 0);
});

for (
  const [cell, found, reason] of [
    ["edge-1", ["edge-1"], undefined],
    ["edge-1; web-2;edge-1", ["edge-1", "web-2"], undefined],
    ["edge-1, web-2", ["edge-1", "web-2"], undefined],
    ["", [], undefined],
    ["nowhere", [], 'No device or virtual machine with the name "nowhere" was found.'],
    ["twice", [], '2 devices or virtual machines have the name "twice". Use assigned_object_id.'],
  ] as const
) {
  Deno.test(`the column devices with ${JSON.stringify(cell)} is ${reason === undefined ? "read" : "an error"}`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    for (const type of ["dcim/devices", "virtualization/virtual-machines"]) {
      await client(`/api/${type}/`, { method: "POST", body: { name: "twice" } });
    }
    const [heading = "", line = ""] = csv([exported(1)]).split("\r\n");
    const { status, body } = await send(client, { content: `${heading},devices\r\n${line},"${cell}"\r\n` });
    if (reason !== undefined) {
      assert.deepEqual([status, body.errors.length], [400, 1]);
      assert.deepEqual([body.errors[0].field, body.errors[0].message], ["devices", reason]);
      return;
    }
    assert.equal(status, 201, JSON.stringify(body));
    const { results } = await get(client, `${PATHS.assignments}?certificate_id=${body.certificates[0].id}`);
    // deno-lint-ignore no-explicit-any -- as above
    assert.deepEqual(results.map((one: any) => one.assigned_object.name).sort(), found);
  });
}

for (
  const [cell, found, reason] of [
    ["Web Team", ["Web Team"], undefined],
    ["web@team.example", ["Web Team"], undefined],
    ["Web Team; web@team.example, Network Team", ["Network Team", "Web Team"], undefined],
    ["WEB@team.example", ["Web Team"], undefined],
    ["", [], undefined],
    ["Some One", [], 'No contact with the name "Some One" was found.'],
    ["some@one.example", [], 'No contact with the email "some@one.example" was found.'],
    ["Twins", [], /^2 contacts have the name "Twins"/],
  ] as const
) {
  Deno.test(`the column contacts with ${JSON.stringify(cell)} is ${reason === undefined ? "read" : "an error"}`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const owner = { name: "Web Team", email: "web@team.example" };
    for (const body of [owner, { name: "Network Team" }, { name: "Twins" }, { name: "Twins" }]) {
      assert.equal((await client("/api/tenancy/contacts/", { method: "POST", body })).status, 201);
    }
    const [heading = "", line = ""] = csv([exported(1)]).split("\r\n");
    const content = `${heading},contacts\r\n${line},"${cell}"\r\n`;
    const { status, body } = await send(client, { content });
    const list = "/api/tenancy/contact-assignments/?object_type=certmgr.certificate";
    if (reason !== undefined) {
      assert.deepEqual([status, body.errors.length, body.errors[0].field], [400, 1, "contacts"]);
      assert.match(body.errors[0].message, reason instanceof RegExp ? reason : new RegExp(`^${reason}$`));
      return;
    }
    assert.equal(status, 201, JSON.stringify(body));
    const path = `${list}&object_id=${body.certificates[0].id}`;
    // deno-lint-ignore no-explicit-any -- as above
    const namesNow = async () => (await get(client, path)).results.map((one: any) => one.contact.name).sort();
    assert.deepEqual(await namesNow(), found);
    await send(client, { content, on_duplicate: "update" });
    assert.deepEqual(await namesNow(), found, "existing assignments are not repeated");
  });
}

Deno.test("the column contacts needs the right to assign contacts, and to see them", async () => {
  await using app = await testApp();
  const admin = await app.as("superuser");
  await admin("/api/tenancy/contacts/", { method: "POST", body: { name: "Web Team" } });
  const body = { content: JSON.stringify([metadata(1, { contacts: ["Web Team"] })]) };
  const importer = { types: [TYPE], actions: ["view", "import", "bulk_operations"] };
  const assigner = { types: ["tenancy.contactassignment"], actions: ["add"] };
  const hidden = { types: ["tenancy.contact"], actions: ["view"], constraints: { name: "Other" } };
  assert.equal((await send(await app.as(granted([importer])), body)).status, 403);
  const blind = await send(await app.as(granted([importer, assigner, hidden], { username: "blind" })), body);
  assert.deepEqual([blind.status, blind.body.errors[0].field], [400, "contacts"]);
  const able = granted([importer, assigner, { ...hidden, constraints: null }], { username: "able" });
  assert.equal((await send(await app.as(able), body)).status, 201);
});

const BROKEN: readonly [what: string, content: string, row: number, message: RegExp][] = [
  ["an alias", `- &a {common_name: x}\n- *a\n`, 2, /Anchors and aliases are not supported/],
  ["nesting", `- ${"[".repeat(6_000)}\n`, 1, /more than 5000 values/],
  ["unclosed quotes", `- common_name: "x\n`, 1, /not valid YAML/],
  ["a list in a list", `- - 1\n`, 1, /Expected an object/],
];
for (const [what, content, row, message] of BROKEN) {
  Deno.test(`YAML with ${what} is refused with its row`, async () => {
    await using app = await testApp();
    const { status, body } = await send(await app.as("superuser"), { content });
    assert.equal(status, 400);
    const found = body.errors.find((one: { row: number }) => one.row === row);
    assert.match(found.message, message);
  });
}

Deno.test("private keys are refused in YAML and PEM documents", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const key =
    "-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8AgEAAkEAq7BFUpkGp3+LQmlQ\n-----END PRIVATE KEY-----\n";
  for (
    const content of [
      `- common_name: x\n  pem_content: |\n    ${key.replaceAll("\n", "\n    ")}\n`,
      pki.fresh.pem + key,
    ]
  ) {
    const { status, body } = await send(client, { content });
    assert.deepEqual([status, body.errors[0].message], [400, KEY_REFUSED]);
  }
});
