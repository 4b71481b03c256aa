/** The page of a signing request: what to do next by its status, its actions, and its form. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { HOUR_MS } from "../../src/base/clock.ts";
import { type Actor, auditor, granted, within } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { buildRequest, TEST_NOW, TestCa } from "../support/test_ca/mod.ts";
import { browserOf, CHIEF, textOf } from "./imports/browser.ts";

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
  [
    "approved",
    /send the request to .*Acme Internal.*<a role="button" [^>]*href="\/certificates\/add\/">Add the issued/s,
    ["Reject"],
  ],
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
    const found = [...html.matchAll(/<input[^>]*name="status"[^>]*><button[^>]*>([^<]+)</g)].map(([, one]) =>
      one
    );
    assert.deepEqual(found, buttons);
    const viewer = await (await browserOf(app, auditor())).get(`/csrs/${pending}/`);
    assert.equal(viewer.status, 200);
    if (status === "pending") assert.match(viewer.html, /Waits for approval by someone who may change/);
    assert.doesNotMatch(viewer.html, /approve this request|choose the certificate/);
    assert.doesNotMatch(viewer.html, /name="status"|Add the issued|#f-resulting_certificate/);
  });
}

Deno.test("The page of an open request says who requests what, from which authority and for which tenant", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const textAfter = async (body: Record<string, unknown>): Promise<string> => {
    const { status } = await client(`${PATHS.requests}${pending}/`, { method: "PATCH", body });
    assert.equal(status, 200);
    return textOf((await (await browserOf(app)).get(`/csrs/${pending}/`)).html);
  };
  const common = { common_name: "asked.example", tenant: seed.tenants.acme };
  assert.match(
    await textAfter({
      ...common,
      requested_by: "ines",
      target_ca: "Example CA",
      algorithm: "ecdsa",
      key_size: 256,
    }),
    /ines requests asked\.example \(ECDSA 256\) from Example CA for Acme Corp ?\./,
  );
  assert.match(
    await textAfter({ requested_by: "", target_ca: "", algorithm: "unknown", tenant: null }),
    /Requested: asked\.example ?\./,
  );
  assert.doesNotMatch(await textAfter({ status: "rejected" }), /Requested: asked/);
});

Deno.test("The tabs of the list of requests show how many they have, with other filters", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const counts = async (query: string): Promise<string[]> => {
    const { html } = await browser.get(`/csrs/${query}`);
    const [tabs = ""] = /<nav class="choice" aria-label="Signing requests shown">.*?<\/nav>/s.exec(html) ??
      [];
    return [...tabs.matchAll(/>([A-Z][a-z]+)<span class="count">(\d+)</g)].map(([, tab, count]) =>
      `${tab} ${count}`
    );
  };
  const rows = await app.database.all<{ status: string; tenant_id: number | null }>(
    sql`SELECT status, tenant_id FROM certificate_signing_requests`,
  );
  const expected = (some: typeof rows): string[] =>
    [["Open", "pending", "approved"], ["Issued", "issued"], ["Rejected", "rejected"]].map(([tab, ...of]) =>
      `${tab} ${some.filter(({ status }) => of.includes(status)).length}`
    ).concat(`All ${some.length}`);
  assert.deepEqual(await counts(""), expected(rows));
  assert.deepEqual(
    await counts(`?show=all&tenant_id=${seed.tenants.acme}`),
    expected(rows.filter(({ tenant_id }) => tenant_id === seed.tenants.acme)),
  );
});

Deno.test("The fingerprint of a public key is written as that of a request, with colons", async () => {
  await using app = await testApp();
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificate_signing_requests SET spki_sha256 = ${"0a".repeat(32)} WHERE id = ${pending}`,
    )
  );
  const { html } = await (await browserOf(app)).get(`/csrs/${pending}/`);
  // The text has places to break at.
  assert.match(textOf(html).replaceAll(/\s/g, ""), /PublickeySHA-256.*?0A(?::0A){31}/);
});

Deno.test("Approve sets the status of the version that the page showed, and of no later one", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const page = `/csrs/${pending}/`;
  const version = valueOf((await browser.get(page)).html, "version");
  assert.notEqual(version, "");
  const answer = await browser.post(`${page}status/`, { version, status: "approved" });
  assert.deepEqual([answer.status, answer.location], [303, page]);
  assert.equal((await read(app, pending)).status, "approved");
  await browser.post(`${page}status/`, { version, status: "pending" });
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
  assert.match(textOf((await browser.get("/csrs/")).html), /new\.acme\.example +not confirmed/);
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
  for (
    const text of [
      "<summary>Signing request (PEM)<",
      "Public key SHA-256",
      "ECDSA 256",
      `/csrs/${approved}/pem/`,
    ]
  ) {
    assert(html.includes(text), text);
  }
  const file = await browser.get(`/csrs/${approved}/pem/`);
  assert.match(file.headers.get("content-disposition") ?? "", /^attachment; .*\.csr/);
  assert.match(file.html, /^-----BEGIN CERTIFICATE REQUEST-----\n[^]+-----END CERTIFICATE REQUEST-----\s*$/);
  assert.equal((await browser.get(`/csrs/${issued}/pem/`)).status, 404);
});

Deno.test("The authority of a request is a link if it is tracked; the form suggests the tracked ones, and has the user as the requester", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get(`/csrs/${pending}/`);
  assert.match(html, /href="\/authorities\/\d+\/"[^>]*><bdi>Acme Internal</);
  const form = (await browser.get("/csrs/new/")).html;
  assert.match(form, /list="f-target_ca-list"/);
  assert.match(form, /<datalist id="f-target_ca-list">.*<option value="Acme Internal"/s);
  assert.match(form, /<details class="fieldset" *><summary>I do not have the PEM/);
  assert.match(form, /name="requested_by"[^>]*value="chief"/);
  const given = (await browser.get("/csrs/new/?requested_by=somebody")).html;
  assert.match(given, /name="requested_by"[^>]*value="somebody"/);
  assert.doesNotMatch(
    (await browser.get(`/csrs/${issued}/edit/`)).html,
    /name="requested_by"[^>]*value="chief"/,
  );
});

Deno.test("An empty request has one error, at the field for the PEM", async () => {
  await using app = await testApp();
  const { status, html } = await (await browserOf(app)).post("/csrs/new/", {});
  assert.equal(status, 400);
  assert.match(html, /Correct this field:.*<a href="#f-pem_content">/s);
  assert.doesNotMatch(html, /id="f-common_name-error"/);
});

Deno.test("The list opens with open requests, with their age and the certificate, and others behind tabs", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const idsIn = (html: string): number[] =>
    [...html.matchAll(/<td class="first"><a\s+href="\/csrs\/(\d+)\/"/g)].map(([, id]) => Number(id)).sort();
  const open = (await browser.get("/csrs/")).html;
  assert.deepEqual(idsIn(open), [pending, approved].sort());
  assert.match(open, /<time datetime="[^"]+" title="[^"]+">(?:today|\d+ days? ago)<\/time>/);
  const all = (await browser.get("/csrs/?show=all")).html;
  assert(idsIn(all).includes(issued) && idsIn(all).includes(pending));
  assert.deepEqual(idsIn((await browser.get("/csrs/?status=issued&show=all")).html), [issued]);
});

Deno.test("The list links an approved request to the upload of its certificate, for users who may add one", async () => {
  await using app = await testApp();
  const { pem } = await buildRequest({ cn: "approved.example" });
  await make(app, PATHS.requests, [{ pem_content: pem, status: "approved" }]);
  const link =
    /approved\.<wbr>example(?:(?!<tr).)*<td(?:(?!<tr).)*<a href="\/certificates\/add\/" class="step">Add the issued certificate</s;
  const { html } = await (await browserOf(app)).get("/csrs/");
  assert.match(html, link);
  const viewed = (await (await browserOf(app, auditor())).get("/csrs/")).html;
  assert.match(viewed, /approved\.<wbr>example/);
  assert.doesNotMatch(viewed, /Add the issued certificate/);
});

Deno.test("The list links a pending request to its decision, for users who may change it", async () => {
  await using app = await testApp();
  const link = `<a href="/csrs/${pending}/" class="step">Approve or reject</a>`;
  const { html } = await (await browserOf(app)).get("/csrs/");
  assert.ok(html.includes(link));
  for (
    const actor of [
      { ...auditor(), username: "viewer" },
      within(TYPE, ["view"], {}),
      granted([{ types: [TYPE], actions: ["view"] }, {
        types: [TYPE],
        actions: ["change"],
        constraints: { id: approved },
      }], { username: "of-another" }),
    ]
  ) {
    const seen = (await (await browserOf(app, actor)).get("/csrs/")).html;
    assert.match(seen, new RegExp(`/csrs/${pending}/`));
    assert.doesNotMatch(seen, /Approve or reject/);
  }
});

Deno.test("Selected requests are approved or rejected together, except those with an outcome", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const decide = (status: string, ids: readonly number[]): ReturnType<typeof browser.post> =>
    browser.post("/csrs/status/", { status, ids: ids.map(String), back: "/csrs/?show=all" });
  const answer = await decide("approved", [pending, approved, issued]);
  assert.deepEqual([answer.status, answer.location], [303, "/csrs/?show=all"]);
  assert.match(
    decodeURIComponent(String(answer.headers.getSetCookie())),
    /1 request approved\. 2 not changed\./,
  );
  assert.equal((await read(app, pending)).status, "approved");
  assert.equal((await read(app, issued)).status, "issued");
  await decide("rejected", [pending, approved, issued]);
  assert.deepEqual(
    [(await read(app, pending)).status, (await read(app, approved)).status, (await read(app, issued)).status],
    ["rejected", "rejected", "issued"],
  );
  assert.match(
    decodeURIComponent(String((await decide("approved", [issued])).headers.getSetCookie())),
    /Only requests that are pending can be approved\./,
  );
  assert.equal((await decide("issued", [pending])).status, 400);
  const viewer = await browserOf(app, auditor());
  assert.equal(
    (await viewer.post("/csrs/status/", { status: "approved", ids: String(pending) })).status,
    403,
  );
});

Deno.test("The list of requests counts calendar days, as expiries do", async () => {
  await using app = await testApp();
  // 12:00 on the day after: less than 24 hours later.
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificate_signing_requests SET requested_date = NULL, created = ${
        TEST_NOW - 13 * HOUR_MS
      }`,
    )
  );
  const { html } = await (await browserOf(app)).get("/csrs/?status=pending");
  assert.match(html, /<time [^>]*>1 day ago<\/time>/);
});
