/** The history of a certificate: every step in order, in pages, and without hidden objects. */

import assert from "node:assert/strict";
import { type As, granted, readerOf } from "../../../support/actors.ts";
import { ORIGIN, testApp } from "../../../support/app.ts";
import { callJson as call } from "../../../support/call_json.ts";
import { certificate } from "../../../support/paths.ts";
import { pki } from "../../../support/pki.ts";
import { seed } from "../../../support/seed.ts";

const { acmeWeb, acmeCritical } = seed.certificates;

Deno.test("each step has its time, user, request and changes", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  app.clock.advance(60_000);
  await call(client, certificate(acmeCritical), "PATCH", { status: "revoked", private_key_location: "safe" });
  app.clock.advance(60_000);
  await call(client, certificate(acmeCritical), "PATCH", {
    tags: [seed.tags.pci],
    pem_content: pki.fresh.pem,
  });
  const { count, results } = await call(client, certificate(acmeCritical, "lifecycle/"));
  assert.equal(count, 3);
  assert.deepEqual(results.map((one: { action: string }) => one.action), ["create", "update", "update"]);
  assert.deepEqual(results.map((one: { status: string }) => one.status), ["active", "revoked", "revoked"]);
  assert.deepEqual(results.slice(1).map((one: { time: string }) => one.time), [
    "2026-06-15T12:01:00Z",
    "2026-06-15T12:02:00Z",
  ]);
  assert.deepEqual(results[1].changes, {
    status: { from: "active", to: "revoked" },
    private_key_location: { from: "", to: "safe" },
  });
  assert.deepEqual(results[2].changes.tags, { from: [seed.tags.prod], to: [seed.tags.pci] });
  assert.match(results[2].changes.pem_content.to, /^sha256:[0-9a-f]{64}$/);
  assert.equal(results[1].username, "chief");
  assert.match(results[1].request_id, /^[0-9a-f-]{36}$/);
});

Deno.test("pages link to each other, and together have the whole history", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const note of ["1", "2", "3", "4"]) {
    await call(client, certificate(acmeWeb), "PATCH", { private_key_location: note });
  }
  const path = `${ORIGIN}${certificate(acmeWeb, "lifecycle/")}`;
  const pages = [];
  for (let next: string | null = `${path}?limit=2`; next !== null;) {
    const page = await call(client, next);
    pages.push(page);
    next = page.next;
  }
  assert.deepEqual(pages.map((page) => [page.count, page.results.length, page.next, page.previous]), [
    [5, 2, `${path}?limit=2&offset=2`, null],
    [5, 2, `${path}?limit=2&offset=4`, `${path}?limit=2&offset=0`],
    [5, 1, null, `${path}?limit=2&offset=2`],
  ]);
  const ids = pages.flatMap((page) => page.results).map((one) => one.id);
  assert.deepEqual(ids, [...new Set(ids)].sort((a, b) => a - b));
  assert.equal((await call(client, `${path}?limit=0`)).results.length, 5);
  assert.deepEqual((await call(client, `${path}?offset=9`)).results, []);
});

Deno.test("no step has ids of objects that the caller may not view", async () => {
  await using app = await testApp();
  const chief = await app.as("superuser");
  await call(chief, certificate(acmeWeb), "PATCH", {
    replaced_by: seed.certificates.globexWeb,
    issuing_ca: seed.authorities.acme,
    tags: [seed.tags.prod, seed.tags.staging],
  });
  const seen = await app.as(granted([
    { types: ["certmgr.certificate"], actions: ["view"], constraints: { tenant__slug: "acme" } },
    { types: ["extras.tag"], actions: ["view"], constraints: { slug__in: ["prod", "pci"] } },
    {
      types: ["certmgr.certificateauthority"],
      actions: ["view"],
      constraints: { id: seed.authorities.acme },
    },
  ]));
  const { results } = await call(seen, certificate(acmeWeb, "lifecycle/"));
  assert.deepEqual(results.at(-1).changes, {
    issuing_ca: { from: null, to: seed.authorities.acme },
    replacement_reason: { from: "", to: "renewal" },
    status: { from: "active", to: "replaced" },
    tags: { from: [seed.tags.prod, seed.tags.pci], to: [seed.tags.prod] },
  });
  const all = await call(chief, certificate(acmeWeb, "lifecycle/"));
  assert.equal(all.results.at(-1).changes.replaced_by.to, seed.certificates.globexWeb);
});

Deno.test("the number of statements does not depend on the number of steps", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const reader = await app.as(readerOf("acme"));
  const path = certificate(acmeWeb, "lifecycle/");
  await call(client, certificate(acmeWeb), "PATCH", {
    tags: [],
    issuing_ca: null,
    replaced_by: acmeCritical,
  });
  const costs: number[] = [];
  for (const note of ["1", "2", "3"]) {
    await call(reader, path);
    const before = app.database.statements;
    await call(reader, path);
    costs.push(app.database.statements - before);
    await call(client, certificate(acmeWeb), "PATCH", { private_key_location: note, tags: [Number(note)] });
  }
  assert.deepEqual(costs, [costs[0], costs[0], costs[0]]);
});

Deno.test("a step that only hidden objects are about does not exist, on no page and in no count", async () => {
  await using app = await testApp();
  const chief = await app.as("superuser");
  const { acme, globex } = seed.tenants;
  const { staging, pci, prod } = seed.tags;
  const write = (body: object): Promise<unknown> => call(chief, certificate(acmeCritical), "PATCH", body);
  await write({ tenant: globex, private_key_location: "1" });
  await write({ tenant: null });
  await write({ tenant: globex });
  await write({ tags: [prod, staging] });
  await write({ tenant: acme, tags: [staging, pci] });
  await write({ private_key_location: "2" });
  const some = await app.as(granted([
    { types: ["certmgr.certificate"], actions: ["view"] },
    { types: ["tenancy.tenant"], actions: ["view"], constraints: { id: acme } },
    { types: ["extras.tag"], actions: ["view"], constraints: { id__n: staging } },
  ]));
  const path = certificate(acmeCritical, "lifecycle/");
  const { count, results } = await call(some, path);
  assert.deepEqual(results.slice(1).map((one: { changes: unknown }) => one.changes), [
    { tenant: { from: acme, to: null }, private_key_location: { from: "", to: "1" } },
    { tenant: { from: null, to: acme }, tags: { from: [prod], to: [pci] } },
    { private_key_location: { from: "1", to: "2" } },
  ]);
  assert.equal(count, 4);
  const page = await call(some, `${path}?limit=2&offset=1`);
  assert.deepEqual([page.count, page.results], [4, results.slice(1, 3)]);
  assert.equal((await call(chief, path)).count, 7);
});

Deno.test("no step has ids of hidden objects in custom fields", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await call(client, "/api/extras/custom-fields/", "POST", {
    name: "rack_server",
    type: "object",
    related_object_type: "dcim.device",
    object_types: ["certmgr.certificate"],
  });
  await call(client, certificate(acmeWeb), "PATCH", { custom_fields: { rack_server: seed.devices.edge } });
  await call(client, certificate(acmeWeb), "PATCH", { custom_fields: { rack_server: seed.devices.spare } });
  const last = async (as: As): Promise<unknown> => {
    const { results } = await call(await app.as(as), certificate(acmeWeb, "lifecycle/"));
    return results.at(-1).changes.custom_fields;
  };
  const { from, to } = await last("superuser") as Record<string, Record<string, unknown>>;
  assert.deepEqual([from?.rack_server, to?.rack_server], [seed.devices.edge, seed.devices.spare]);
  const shown = await last(granted([
    { types: ["certmgr.certificate"], actions: ["view"] },
    { types: ["dcim.device"], actions: ["view"], constraints: { id: seed.devices.edge } },
  ])) as Record<string, Record<string, unknown>>;
  assert.deepEqual([shown.from?.rack_server, shown.to?.rack_server], [seed.devices.edge, null]);
});
