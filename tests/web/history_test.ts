/** The history of an object: what each request did, in sentences. */

import assert from "node:assert/strict";
import { granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { pki } from "../support/pki.ts";
import { seed } from "../support/seed.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { type Browser, browserOf, textOf } from "./imports/browser.ts";

const CERTIFICATES = "/api/plugins/certmgr/certificates/";

/** The lines of a page's history, the latest first. */
async function linesOf(browser: Browser, path: string): Promise<string[]> {
  const { html } = await browser.get(path);
  const table = html.slice(html.indexOf('id="history"'));
  return [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([, row = ""]) => textOf(row).trim());
}

/** Returns a function that changes a certificate, each time in another request. */
async function editorOf(app: TestApp): Promise<(id: number, body: unknown) => Promise<void>> {
  const client = await app.as("superuser");
  return async (id, body) => {
    await callJson(client, `${CERTIFICATES}${id}/`, "PATCH", body);
  };
}

Deno.test("the history says what happened to references, lists, yes-no fields and long texts", async () => {
  await using app = await testApp();
  const patch = await editorOf(app);
  const browser = await browserOf(app);
  const [id] = await storeCertificates(app, [metadata(1, { tenant: { slug: "acme" } })]) as [number];
  const [first, second] = Object.values(seed.tags) as [number, number];
  await patch(id, { tags: [first] });
  for (
    const [body, sentence] of [
      [{ tenant: seed.tenants.globex }, /Tenant changed from Acme Corp to Globex/],
      [{ tenant: null }, /Tenant removed, it was Globex/],
      [{ tenant: seed.tenants.acme }, /Tenant set to Acme Corp/],
      [{ tags: [second] }, /Tags added: .+ Tags removed: /],
      [{ pinned: true }, /Pinned turned on/],
      [{ comments: "a\nb" }, /Comments added/],
      [{ comments: "a\nc" }, /Comments changed/],
      [{ private_key_location: "HSM 1" }, /Private key location set to HSM 1/],
      [{ status: "revoked" }, /Status changed from active to revoked/],
    ] as const
  ) {
    await patch(id, body);
    const [latest = ""] = await linesOf(browser, `/certificates/${id}/`);
    assert.match(latest, sentence);
    assert.doesNotMatch(latest, /→/);
  }
  const all = await linesOf(browser, `/certificates/${id}/`);
  assert.ok(all.length <= 10);
});

Deno.test("the fields of a new PEM are one sentence, and a renewed certificate names its successor", async () => {
  await using app = await testApp();
  const patch = await editorOf(app);
  const browser = await browserOf(app);
  const { acmeWeb } = seed.certificates;
  const next = await pki.issuing.issue({
    cn: "www.acme.example",
    serial: 0x0c0001,
    sans: ["www.acme.example"],
    notAfter: "2027-10-31T23:59:59Z",
  });
  await browser.post(`/certificates/${acmeWeb}/renew/`, { pem_content: next.pem, confirmed: "yes" });
  const [old = ""] = await linesOf(browser, `/certificates/${acmeWeb}/`);
  assert.match(old, /Replaced by www\.acme\.example/);
  assert.doesNotMatch(old, /Status/);
  const [bare] = await storeCertificates(app, [metadata(7)]) as [number];
  const other = await pki.issuing.issue({
    cn: "stored-7.example",
    serial: 7,
    notAfter: "2027-10-31T23:59:59Z",
  });
  await patch(bare, { pem_content: other.pem, valid_to: "2027-10-31T23:59:59Z" });
  const [read = ""] = await linesOf(browser, `/certificates/${bare}/`);
  assert.match(read, /expiry.* read from the new certificate/i);
  assert.doesNotMatch(read, /Valid to/);
});

/** Assigns, changes and removes contacts of a certificate, its device and its tenant. Returns the contacts. */
async function changeContacts(app: TestApp, id: number): Promise<void> {
  const client = await app.as("superuser");
  const make = async (path: string, body: unknown): Promise<number> =>
    (await callJson(client, path, "POST", body)).id;
  const role = await make("/api/tenancy/contact-roles/", { name: "On call", slug: "on-call" });
  const contact = (name: string): Promise<number> => make("/api/tenancy/contacts/", { name });
  const [ann, bob] = [await contact("Ann"), await contact("Bob")];
  const assign = (object_type: string, object_id: number, given: object): Promise<number> =>
    make("/api/tenancy/contact-assignments/", { object_type, object_id, ...given });
  await make("/api/plugins/certmgr/assignments/", {
    certificate: id,
    assigned_object_type: "dcim.device",
    assigned_object_id: seed.devices.edge,
  });
  const own = await assign("certmgr.certificate", id, { contact: ann, role });
  const path = `/api/tenancy/contact-assignments/${own}/`;
  await callJson(client, path, "PATCH", { contact: bob });
  await callJson(client, path, "DELETE");
  await assign("dcim.device", seed.devices.edge, { contact: bob });
  await assign("tenancy.tenant", seed.tenants.acme, { contact: ann });
  await assign("tenancy.tenant", seed.tenants.globex, { contact: ann });
}

Deno.test("GET core/object-changes/?history_of_certificate= lists the changes of its contacts, with their objects", async () => {
  await using app = await testApp();
  const [id] = await storeCertificates(app, [metadata(1, { tenant: { slug: "acme" } })]) as [number];
  await changeContacts(app, id);
  const client = await app.as("superuser");
  const path = `/api/core/object-changes/?changed_object_type=tenancy.contactassignment`;
  const { results } = await callJson(client, `${path}&history_of_certificate=${id}`);
  assert.deepEqual(
    results.map((row: Record<string, unknown>) => [row.related_object_type, row.related_object_id]),
    [
      ["tenancy.tenant", seed.tenants.acme],
      ["dcim.device", seed.devices.edge],
      ...Array(3).fill(["certmgr.certificate", id]),
    ],
  );
  const device = `related_object_type=dcim.device&related_object_id=${seed.devices.edge}`;
  assert.equal((await callJson(client, `${path}&${device}`)).count, 1);
});

Deno.test("the history of a certificate has its assignments and contacts, as far as the user may view them", async () => {
  await using app = await testApp();
  const [id] = await storeCertificates(app, [metadata(1, { tenant: { slug: "acme" } })]) as [number];
  await changeContacts(app, id);
  const client = await app.as("superuser");
  const [next] = await storeCertificates(app, [
    metadata(2, { common_name: "stored-1.example", tenant: { slug: "acme" }, valid_to: "2027-10-31" }),
  ]) as [number];
  await callJson(client, `${CERTIFICATES}${id}/renew/`, "POST", { certificate: next });
  const path = `/certificates/${id}/`;
  const all = (await linesOf(await browserOf(app), path)).join("\n");
  assert.match(all, /Contact Bob removed/);
  assert.match(all, /Contact Ann added/);
  assert.match(all, /Replaced by /);
  assert.match(
    (await linesOf(await browserOf(app), `/certificates/${next}/`)).join("\n"),
    /Assignment to edge.* moved here/,
  );
  const reader = await browserOf(
    app,
    granted([
      { types: ["certmgr.certificate", "core.objectchange"], actions: ["view"] },
    ]),
  );
  const own = (await linesOf(reader, path)).join("\n");
  assert.match(own, /Replaced by /);
  assert.doesNotMatch(own, /Contact|Assignment/);
});
