/** The page of a signing request: what to do next by its status, its actions, and its form. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Actor, auditor, within } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { buildRequest, TestCa } from "../support/test_ca/mod.ts";
import { browserOf, CHIEF } from "./imports/browser.ts";

const TYPE = "certmgr.certificatesigningrequest";
const { pending, approved, issued } = seed.requests;

async function read(app: TestApp, id: number): Promise<Record<string, unknown>> {
  const [row] = await app.database.all<Record<string, unknown>>(
    sql`SELECT status, resulting_certificate_id FROM certificate_signing_requests WHERE id = ${id}`,
  );
  return row as Record<string, unknown>;
}

/** Returns the value of a hidden field of a page. */
function valueOf(html: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1]?.replaceAll("&quot;", '"') ?? "";
}

const STEPS: readonly (readonly [status: string, text: RegExp, buttons: readonly string[]])[] = [
  ["pending", /approve this request, or reject it/, ["Approve", "Reject"]],
  ["approved", /send the request to .*Acme Internal.*\/certificates\/add\//s, ["Reject"]],
  ["rejected", /no certificate is issued for this request/, ["Open again"]],
  ["issued", /choose the certificate that was issued/, []],
];
for (const [status, text, buttons] of STEPS) {
  Deno.test(`The page of a request that is ${status} says what is next, with the buttons for it`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    await client(`${PATHS.requests}${pending}/`, { method: "PATCH", body: { status } });
    const { html } = await (await browserOf(app)).get(`/csrs/${pending}/`);
    assert.match(html, text);
    const found = [...html.matchAll(/<button[^>]*name="status"[^>]*>([^<]+)</g)].map(([, one]) => one);
    assert.deepEqual(found, buttons);
    const viewer = await (await browserOf(app, auditor())).get(`/csrs/${pending}/`);
    assert.equal(viewer.status, 200);
    assert.doesNotMatch(viewer.html, /name="status"|#f-resulting_certificate/);
  });
}

Deno.test("Approve sets the status of the version that the page showed, and of no later one", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const page = `/csrs/${pending}/`;
  const version = valueOf((await browser.get(page)).html, "version");
  assert.notEqual(version, "");
  const answer = await browser.post(`${page}status/`, { version, status: "approved" });
  assert.deepEqual([answer.status, answer.location], [303, page]);
  assert.equal((await read(app, pending)).status, "approved");
  await browser.post(`${page}status/`, { version, status: "rejected" });
  assert.equal((await read(app, pending)).status, "approved");
  assert.equal((await browser.post(`${page}status/`, { status: "issued" })).status, 400);
});

const REFUSED: readonly (readonly [who: string, actor: Actor, status: number])[] = [
  ["a caller who may not change requests", auditor(), 403],
  [
    "a caller whose constraints exclude the result",
    within(TYPE, ["view", "change"], { status: "pending" }),
    303,
  ],
];
for (const [who, actor, status] of REFUSED) {
  Deno.test(`Approve changes nothing for ${who}`, async () => {
    await using app = await testApp();
    const answer = await (await browserOf(app, actor)).post(`/csrs/${pending}/status/`, {
      status: "approved",
    });
    assert.equal(answer.status, status);
    assert.equal((await read(app, pending)).status, "pending");
  });
}

Deno.test("A certificate with the key of an open request is recorded as issued by one button", async () => {
  await using app = await testApp();
  const ca = await TestCa.root({ cn: "Acme Root" });
  const request = await buildRequest({ cn: "new.acme.example" });
  const [{ id }] = await make(app, PATHS.requests, [{ pem_content: request.pem }]);
  const { pem } = await ca.issue({ cn: "new.acme.example", key: request.key });
  const [{ id: certificate }] = await make(app, PATHS.certificates, [{ pem_content: pem }]);
  const browser = await browserOf(app, { ...CHIEF, username: "approver" });
  const { html } = await browser.get(`/csrs/${id}/`);
  assert.match(html, /check whether .*new\.acme\.example.*was issued for this request/s);
  const fields = Object.fromEntries(
    ["version", "certificate"].map((name) => [name, valueOf(html, name)]),
  );
  assert.equal(fields.certificate, String(certificate));
  const answer = await browser.post(`/csrs/${id}/issued/`, fields);
  assert.equal(answer.location, `/csrs/${id}/`);
  assert.deepEqual(await read(app, id), { status: "issued", resulting_certificate_id: certificate });
});

Deno.test("The page of a request shows its key and subject in words, and downloads its PEM", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get(`/csrs/${approved}/`);
  for (const text of ["Public key SHA-256", "ECDSA 256", `/csrs/${approved}/pem/`]) {
    assert(html.includes(text), text);
  }
  const file = await browser.get(`/csrs/${approved}/pem/`);
  assert.match(file.headers.get("content-disposition") ?? "", /^attachment; .*\.csr/);
  assert.match(file.html, /^-----BEGIN CERTIFICATE REQUEST-----\n[^]+-----END CERTIFICATE REQUEST-----\s*$/);
  assert.equal((await browser.get(`/csrs/${issued}/pem/`)).status, 404);
});

Deno.test("The authority of a request is a link if it is tracked, and the form suggests the tracked ones", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get(`/csrs/${pending}/`);
  assert.match(html, /href="\/authorities\/\d+\/"[^>]*><bdi>Acme Internal</);
  const form = (await browser.get("/csrs/new/")).html;
  assert.match(form, /list="f-target_ca-list"/);
  assert.match(form, /<datalist id="f-target_ca-list">.*<option value="Acme Internal"/s);
  assert.match(form, /<details class="fieldset" *><summary>Without PEM/);
});
