/** A renewal moves all assignments, also hidden ones, in one transaction and a constant number of statements. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../../../support/actors.ts";
import { type TestApp, testApp } from "../../../support/app.ts";
import { callJson } from "../../../support/call_json.ts";
import { certificate, PATHS } from "../../../support/paths.ts";
import { seed } from "../../../support/seed.ts";
import { changesSince, lastChange, selectEveryEvent } from "../../../support/store.ts";
import { metadata, storeCertificates } from "../../../support/stored.ts";
import { TestCa } from "../../../support/test_ca/mod.ts";

const OLD = seed.certificates.acmeWeb;
const SUCCESSOR = {
  common_name: "www.acme.example",
  tenant: { slug: "acme" },
  valid_to: "2027-12-31",
};

/** `[certificate, type, target, primary]`, stored by SQL without change records and events. */
type Use = readonly [certificate: number, type: string, target: number, primary: boolean];

async function use({ database, clock }: TestApp, uses: readonly Use[]): Promise<void> {
  const rows = JSON.stringify(uses.map(([a, b, c, primary]) => [a, b, c, Number(primary)]));
  await database.write(async (tx) => {
    await tx.run(sql`DELETE FROM certificate_assignments`);
    await tx.run(
      sql`INSERT INTO certificate_assignments
            (certificate_id, assigned_object_type, assigned_object_id, is_primary, notes, created, last_updated)
          SELECT value->>0, value->>1, value->>2, value->>3, 'kept', ${clock.now()}, ${clock.now()}
          FROM json_each(${rows})`,
    );
  });
}

async function uses({ database }: TestApp): Promise<Use[]> {
  const rows = await database.all<{ c: number; t: string; o: number; p: number }>(
    sql`SELECT certificate_id AS c, assigned_object_type AS t, assigned_object_id AS o, is_primary AS p
        FROM certificate_assignments ORDER BY t, o, c`,
  );
  return rows.map(({ c, t, o, p }) => [c, t, o, p === 1]);
}

Deno.test("every assignment moves, also hidden ones, and each is an event", async () => {
  await using app = await testApp();
  const [id] = await storeCertificates(app, [metadata(1, SUCCESSOR)]) as [number];
  await use(app, [
    [OLD, "dcim.device", 1, true],
    [OLD, "ipam.service", 1, false],
    [OLD, "virtualization.virtualmachine", 1, false],
    [seed.certificates.globexWeb, "dcim.device", 2, true],
  ]);
  const client = await app.as(granted([
    { types: ["certmgr.certificate"], actions: ["view", "renew", "change"] },
    { types: ["certmgr.certificateassignment"], actions: ["view"], constraints: { is_primary: true } },
  ]));
  await selectEveryEvent(app.database);
  const last = await lastChange(app.database);
  const answer = await callJson(client, certificate(OLD, "renew/"), "POST", { certificate: id });
  assert.deepEqual([answer.assignments_moved, answer.new.assignment_count], [1, 1]);
  assert.deepEqual(await uses(app), [
    [id, "dcim.device", 1, true],
    [seed.certificates.globexWeb, "dcim.device", 2, true],
    [id, "ipam.service", 1, false],
    [id, "virtualization.virtualmachine", 1, false],
  ]);
  const { changes, events } = await changesSince(app.database, last);
  assert.deepEqual(changes.map((one) => `${one.action} ${one.object_type}`), [
    ...Array(3).fill("update certmgr.certificateassignment"),
    "create tenancy.contactassignment",
    "update certmgr.certificate",
  ]);
  assert.deepEqual(events, changes);
  assert.equal(new Set(changes.map((one) => one.request_id)).size, 1);
});

Deno.test("a target that has both keeps the successor's assignment, primary if either was", async () => {
  await using app = await testApp();
  const [id] = await storeCertificates(app, [metadata(1, SUCCESSOR)]) as [number];
  await use(app, [
    [OLD, "dcim.device", 1, true],
    [id, "dcim.device", 1, false],
    [OLD, "dcim.device", 2, false],
    [id, "dcim.device", 2, true],
    [OLD, "ipam.service", 1, true],
  ]);
  const last = await lastChange(app.database);
  const client = await app.as("superuser");
  const answer = await callJson(client, certificate(OLD, "renew/"), "POST", { certificate: id });
  assert.deepEqual([answer.assignments_moved, answer.new.assignment_count], [3, 3]);
  assert.deepEqual(await uses(app), [
    [id, "dcim.device", 1, true],
    [id, "dcim.device", 2, true],
    [id, "ipam.service", 1, true],
  ]);
  const { changes } = await changesSince(app.database, last);
  assert.deepEqual(changes.map((one) => `${one.action} ${one.object_type}`), [
    ...Array(2).fill("delete certmgr.certificateassignment"),
    ...Array(2).fill("update certmgr.certificateassignment"),
    "create tenancy.contactassignment",
    "update certmgr.certificate",
  ]);
});

Deno.test("a renewal that fails at its last step leaves everything as it was", async () => {
  await using app = await testApp();
  const [id] = await storeCertificates(app, [metadata(1, SUCCESSOR)]) as [number];
  await use(app, [[OLD, "dcim.device", 1, true]]);
  const last = await lastChange(app.database);
  await app.database.write((tx) =>
    tx.run(
      sql`CREATE TRIGGER no_replacement BEFORE UPDATE OF replaced_by_id ON certificates
          BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    )
  );
  const client = await app.as("superuser");
  const response = await client(certificate(OLD, "renew/"), { method: "POST", body: { certificate: id } });
  assert.equal(response.status, 409);
  await response.body?.cancel();
  assert.deepEqual(await uses(app), [[OLD, "dcim.device", 1, true]]);
  assert.deepEqual(await changesSince(app.database, last), { changes: [], events: [] });
});

Deno.test("the number of statements does not depend on the number of assignments", async () => {
  const costs: number[] = [];
  for (const count of [2, 40]) {
    await using app = await testApp();
    const [id] = await storeCertificates(app, [metadata(1, SUCCESSOR)]) as [number];
    const targets = Array.from({ length: count }, (_, index) => index + 1);
    await use(app, [
      ...targets.map((target): Use => [OLD, "dcim.device", target, true]),
      ...targets.slice(0, count / 2).map((target): Use => [id, "dcim.device", target, false]),
    ]);
    const client = await app.as("superuser");
    await callJson(client, certificate(OLD));
    const before = app.database.statements;
    await callJson(client, certificate(OLD, "renew/"), "POST", { certificate: id });
    costs.push(app.database.statements - before);
  }
  assert.equal(costs[0], costs[1]);
});

Deno.test("a successor can be renewed as well, and the next one gets its assignments", async () => {
  await using app = await testApp();
  const [first, second] = await storeCertificates(app, [
    metadata(1, SUCCESSOR),
    metadata(2, { ...SUCCESSOR, valid_to: "2028-12-31" }),
  ]) as [number, number];
  await use(app, [[OLD, "dcim.device", 1, true]]);
  const client = await app.as("superuser");
  for (const [old, successor] of [[OLD, first], [first, second]] as const) {
    await callJson(client, certificate(old, "renew/"), "POST", { certificate: successor });
  }
  assert.deepEqual(await uses(app), [[second, "dcim.device", 1, true]]);
  const read = async (id: number): Promise<unknown[]> => {
    const { status, replaced_by } = await callJson(client, certificate(id));
    return [status, replaced_by?.id ?? null];
  };
  assert.deepEqual([await read(OLD), await read(first), await read(second)], [
    ["replaced", first],
    ["replaced", second],
    ["active", null],
  ]);
});

const BODY = {
  serial_number: "01:00:09",
  issuer: "O=Acme",
  valid_from: "2026-01-01",
  valid_to: "2026-07-01",
  common_name: "www.acme.example",
  fingerprint_sha256: "09".repeat(32),
  algorithm: "rsa",
};
type Write = (id: number, to: number) => readonly [path: string, method: string, body: unknown];
const WAYS: readonly (readonly [title: string, write: Write, moved: boolean, reason: string])[] = [
  ["PATCH", (id, to) => [certificate(id), "PATCH", { replaced_by: to }], false, "renewal"],
  [
    "PATCH with a reason",
    (id, to) => [certificate(id), "PATCH", { replaced_by: to, replacement_reason: "ca_incident" }],
    false,
    "ca_incident",
  ],
  ["PUT", (id, to) => [certificate(id), "PUT", { ...BODY, replaced_by: to }], false, "renewal"],
  [
    "PATCH of a list",
    (id, to) => ["/api/plugins/certmgr/certificates/", "PATCH", [{ id, replaced_by: to }]],
    false,
    "renewal",
  ],
  [
    "a renewal with a reason",
    (id, to) => [certificate(id, "renew/"), "POST", { certificate: to, reason: "key_compromise" }],
    true,
    "key_compromise",
  ],
];
for (const [title, write, moved, reason] of WAYS) {
  Deno.test(`a successor set by ${title}: assignments ${moved ? "move" : "stay"}, the reason is recorded`, async () => {
    await using app = await testApp();
    const [id] = await storeCertificates(app, [metadata(1, SUCCESSOR)]) as [number];
    const [old] = await storeCertificates(app, [metadata(2, { ...SUCCESSOR, valid_to: "2027-01-01" })]) as [
      number,
    ];
    await use(app, [[old, "dcim.device", 1, true], [old, "ipam.service", 1, false]]);
    const client = await app.as("superuser");
    const [path, method, body] = write(old, id);
    const answer = await callJson(client, path, method, body);
    const shown = [answer.old ?? answer].flat()[0];
    assert.deepEqual([shown.status, shown.assignment_count], ["replaced", moved ? 0 : 2]);
    assert.deepEqual((await uses(app)).map(([holder]) => holder), Array(2).fill(moved ? id : old));
    assert.equal((await callJson(client, certificate(old))).replacement_reason, reason);
    const { results } = await callJson(client, certificate(old, "lifecycle/"));
    assert.deepEqual(results.at(-1).changes.replacement_reason, { from: "", to: reason });
    // Writing the same successor again moves nothing, and without a successor there is no reason.
    await use(app, [[old, "dcim.device", 1, true]]);
    await callJson(client, certificate(old), "PATCH", { replaced_by: id, description: "x" });
    assert.deepEqual((await uses(app)).map(([holder]) => holder), [old]);
    const cleared = await callJson(client, certificate(old), "PATCH", { replaced_by: null });
    assert.equal(cleared.replacement_reason, "");
  });
}

Deno.test("a reason needs a successor, and one of the known values", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (
    const [body, errors] of [
      [{ replacement_reason: "other" }, {
        replacement_reason: ['Expected "replaced_by" with the reason "other".'],
      }],
      [{ replacement_reason: "bored" }, undefined],
    ] as const
  ) {
    const response = await client(certificate(OLD), { method: "PATCH", body });
    const found = await response.json();
    assert.equal(response.status, 400);
    if (errors !== undefined) assert.deepEqual(found, errors);
    else assert.match(found.replacement_reason[0], /bored/);
  }
});

Deno.test("a successor without the chain that its predecessor has is a warning", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ca = await (await TestCa.root()).intermediate();
  const old = await ca.issue({ cn: "www.acme.example" });
  const { id } = await callJson(client, `${PATHS.certificates}import/`, "POST", {
    pem_content: old.pem + ca.pem,
  });
  const next = await ca.issue({ cn: "www.acme.example" });
  for (const [pem_content, warned] of [[next.pem, true], [next.pem + ca.pem, false]] as const) {
    const { warnings } = await callJson(client, certificate(id, "renew/"), "POST", {
      pem_content,
      dry_run: true,
    });
    assert.equal(warnings.some(({ code }: { code: string }) => code === "no_chain"), warned);
  }
});
