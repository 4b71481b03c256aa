/** The history of an object: what each request did, in sentences. */

import assert from "node:assert/strict";
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

Deno.test("the fields of a new PEM are one sentence, and both certificates of a renewal name the other", async () => {
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
  const { location } = await browser.post(`/certificates/${acmeWeb}/renew/`, {
    pem_content: next.pem,
    confirmed: "yes",
  });
  const fresh = await linesOf(browser, location);
  assert.equal(fresh.length, 1, "one request is one line");
  assert.match(fresh[0] ?? "", /Created Replaced www\.acme\.example/);
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
