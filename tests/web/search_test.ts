/** The global search finds objects by any of their names and by all words, but no hidden objects. */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { type Browser, browserOf, textOf } from "./imports/browser.ts";

const FINGERPRINT = "ab".repeat(31) + "cd";

/** Stores a certificate with all fields by which it can be found, and returns its id. */
async function findable(app: TestApp): Promise<number> {
  const client = await app.as("superuser");
  const tenant = await callJson(client, "/api/tenancy/tenants/", "POST", {
    name: "Quokka Freight",
    slug: "quokka-freight",
  });
  const tag = await callJson(client, "/api/extras/tags/", "POST", { name: "Zebra zone", slug: "zebra-zone" });
  const [id] = await storeCertificates(app, [metadata(900, {
    common_name: "wombat.example",
    serial_number: "5E:AF:00:D1",
    issuer: "CN=Numbat Issuing CA",
    fingerprint_sha256: FINGERPRINT,
    sans: ["echidna.internal.example"],
    tenant: tenant.id,
    tags: [{ id: tag.id }],
  })]);
  await callJson(client, "/api/dcim/devices/", "POST", { name: "bilby-lb-1" });
  return id as number;
}

async function links(browser: Browser, text: string): Promise<string[]> {
  const { status, html } = await browser.get(`/search/?q=${encodeURIComponent(text)}`);
  assert.equal(status, 200, html);
  return [...html.matchAll(/<li><a href="([^"]*)"><bdi>/g)].map(([, path = ""]) => path);
}

Deno.test("a certificate is found by name, alternative name, issuer, serial number, fingerprint, tenant and tag", async () => {
  await using app = await testApp();
  const id = await findable(app);
  const browser = await browserOf(app);
  for (
    const text of [
      "wombat",
      "WOMBAT.example",
      "echidna.internal",
      "numbat",
      "5eaf00d1",
      "5E:AF:00",
      "eaf00d",
      "00:d1",
      "ab:ab:ab:ab:cd",
      "5e af 00 d1",
      "5eaf 00d1",
      "0x5EAF00D1",
      "\u200e5e-af-00-d1",
      FINGERPRINT.slice(0, 20),
      FINGERPRINT.toUpperCase().replace(/(..)(?=.)/g, "$1:"),
      "quokka",
      "zebra",
    ]
  ) {
    assert((await links(browser, text)).includes(`/certificates/${id}/`), text);
  }
});

Deno.test("all words must match the same object, in any order", async () => {
  await using app = await testApp();
  const id = await findable(app);
  const browser = await browserOf(app);
  assert((await links(browser, "quokka wombat")).includes(`/certificates/${id}/`));
  assert((await links(browser, "zebra 5eaf echidna")).includes(`/certificates/${id}/`));
  assert.deepEqual(await links(browser, "wombat nonexistent-word"), []);
});

Deno.test("results are grouped by type and lead to the objects' own pages", async () => {
  await using app = await testApp();
  await findable(app);
  const browser = await browserOf(app);
  const { html } = await browser.get("/search/?q=quokka");
  assert.deepEqual(
    [...html.matchAll(/<section class="found card"[^>]*><h2>([^<]*)/g)].map(([, title = ""]) => title.trim()),
    [
      "Certificates",
      "Tenants",
    ],
  );
  assert.match((await links(browser, "bilby"))[0] as string, /^\/devices\/\d+\/$/);
});

Deno.test("endpoints, policies, webhooks and saved views are found, entries of logs are not", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (
    const [path, body] of [
      ["plugins/certmgr/endpoints", { host: "kookaburra.example" }],
      ["plugins/certmgr/compliance-policies", {
        name: "Kookaburra keys",
        policy_type: "min_key_size",
        parameters: { min_bits: 2048 },
      }],
      ["plugins/certmgr/saved-views", { name: "Kookaburra view", object_type: "dcim.device", query: "" }],
    ] as const
  ) {
    assert.equal(typeof (await callJson(client, `/api/${path}/`, "POST", body)).id, "number", path);
  }
  const browser = await browserOf(app);
  const found = (await links(browser, "kookaburra")).map((path) => path.split("/")[1]);
  assert.deepEqual(found.toSorted(), ["endpoints", "policies", "saved-views"]);
});

Deno.test("several words lead to more of one type, and a name shows which part matched", async () => {
  await using app = await testApp();
  await storeCertificates(
    app,
    Array.from(
      { length: 7 },
      (_, index) => metadata(950 + index, { common_name: `koala-${index}.zoo.example` }),
    ),
  );
  const browser = await browserOf(app);
  assert.equal((await links(browser, "koala zoo")).length, 5);
  const { html } = await browser.get("/search/?q=koala+zoo");
  const [, more = ""] = /href="(\/search\/\?[^"]*type=[^"]*)"/.exec(html) ?? [];
  const all = (await browser.get(more.replaceAll("&amp;", "&"))).html;
  assert.equal(all.match(/<mark>koala<\/mark>/g)?.length, 7);
});

Deno.test("a user finds neither hidden certificates nor certificates by the names of hidden objects", async () => {
  await using app = await testApp();
  const id = await findable(app);
  const only = (types: readonly string[]) =>
    granted([{ types, actions: ["view"], constraints: null }], { username: `only-${types.length}` });
  const certificatesOnly = await browserOf(app, only(["certmgr.certificate"]));
  assert((await links(certificatesOnly, "wombat")).includes(`/certificates/${id}/`));
  assert.deepEqual(await links(certificatesOnly, "quokka"), []);
  assert.deepEqual(await links(certificatesOnly, "zebra"), []);
  assert.deepEqual(await links(certificatesOnly, "bilby"), []);
  const everything = await browserOf(app);
  const web = `/certificates/${seed.certificates.acmeWeb}/`;
  for (const text of ["edge-1", "Web team", "web@acme"]) {
    const path = `/certificates/?show=all&q=${encodeURIComponent(text)}`;
    assert((await links(everything, text)).includes(web), text);
    assert((await everything.get(path)).html.includes(`href="${web}"`), text);
    assert(!(await links(certificatesOnly, text)).includes(web), text);
    assert(!(await certificatesOnly.get(path)).html.includes(`href="${web}"`), text);
  }
});

Deno.test("a search with too many words or characters is refused with the limit", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const [text, limit] of [["a b c d e f g", "6 words"], ["x".repeat(201), "200 characters"]] as const) {
    const { status, html } = await browser.get(`/search/?q=${encodeURIComponent(text)}`);
    assert.equal(status, 400);
    assert.match(html, new RegExp(`at most ${limit}`));
  }
  assert.equal((await browser.get(`/search/?q=${"x".repeat(200)}`)).status, 200);
  assert.equal((await browser.get("/search/?q=a+b+c+d+e+f")).status, 200);
});

Deno.test("a search for markup or patterns finds nothing and shows the text", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const text of ["<script>alert(1)</script>", "%", "_", "' OR 1=1 --", '"', "\\"]) {
    const { status, html } = await browser.get(`/search/?q=${encodeURIComponent(text)}`);
    assert.equal(status, 200);
    assert.doesNotMatch(html, /<script>alert/);
  }
});

Deno.test("the dialog's results name pages and actions that the user may open", async () => {
  await using app = await testApp();
  const chief = await browserOf(app);
  assert.match((await chief.get("/search/results/?q=webh")).html, /href="\/webhooks\/"/);
  const { html } = await chief.get("/search/results/?q=");
  assert.match(html, /href="\/certificates\/add\/"/);
  const nobody = await browserOf(app, granted([], { username: "nobody" }));
  assert.doesNotMatch((await nobody.get("/search/results/?q=webh")).html, /href="\/webhooks\/"/);
});

Deno.test("the page of the search offers pages and actions by name, without scripts", async () => {
  await using app = await testApp();
  const chief = await browserOf(app);
  const entries = async (browser: Browser, path: string): Promise<string> =>
    /<div class="entries">(.*?)<\/div>/s.exec((await browser.get(path)).html)?.[1] ?? "";
  assert.match(await entries(chief, "/search/"), /href="\/webhooks\/".*href="\/changes\/"/s);
  const found = await entries(chief, "/search/?q=webh");
  assert.match(found, /href="\/webhooks\/".*href="\/webhooks\/new\/"/s);
  assert.doesNotMatch(found, /href="\/changes\/"/);
  const nobody = await browserOf(app, granted([], { username: "nobody" }));
  assert.doesNotMatch(await entries(nobody, "/search/?q=webh"), /href=/);
});

Deno.test("the dialog offers to create what the user may create, at addresses that exist", async () => {
  await using app = await testApp();
  const chief = await browserOf(app);
  const viewer = granted([{ types: OBJECT_TYPES, actions: ["view"] }], { username: "viewer" });
  const reader = await browserOf(app, viewer);
  const names = [
    "certificate",
    "tenant",
    "device",
    "webhook",
    "user",
    "permission",
    "tag",
  ];
  for (const name of names) {
    const path = `/search/results/?q=${encodeURIComponent(`New ${name}`)}`;
    const [, href = ""] = /href="(\/[a-z-]+\/new\/)"/.exec((await chief.get(path)).html) ?? [];
    assert.notEqual(href, "", name);
    assert.equal((await chief.get(href)).status, 200, name);
    assert.doesNotMatch((await reader.get(path)).html, /\/new\/"/, name);
  }
});

Deno.test("certificates with the word in their common name come before other matches", async () => {
  await using app = await testApp();
  const issuer = "CN=Potoroo Issuing CA";
  const ids = await storeCertificates(
    app,
    ["one.example", "two.example", "potoroo.example"].map((common_name, index) =>
      metadata(970 + index, { common_name, issuer, valid_to: `2027-0${index + 1}-01T00:00:00Z` })
    ),
  );
  const [one, two, named] = ids.map((id) => `/certificates/${id}/`);
  assert.deepEqual(await links(await browserOf(app), "potoroo"), [named, one, two]);
});

Deno.test("a certificate that is found by a tag or its tenant's description says so", async () => {
  await using app = await testApp();
  const id = await findable(app);
  const client = await app.as("superuser");
  const { tenant } = await callJson(client, `/api/plugins/certmgr/certificates/${id}/`, "GET");
  const { id: tenantId } = tenant as { id: number };
  await callJson(client, `/api/tenancy/tenants/${tenantId}/`, "PATCH", {
    description: "Carries bandicoots.",
  });
  const browser = await browserOf(app);
  assert.match((await browser.get("/search/?q=zebra")).html, /tag Zebra zone/);
  assert.match(
    (await browser.get("/search/?q=bandicoots")).html,
    /details of its tenant, tag, owner or system/,
  );
});

Deno.test("a certificate that is found by digits within its serial number says so; too few digits are explained", async () => {
  await using app = await testApp();
  await findable(app);
  const browser = await browserOf(app);
  for (const digits of ["eaf00d", "00:d1", "5eaf00d1"]) {
    assert.match((await browser.get(`/search/?q=${digits}`)).html, /<bdi>serial number<\/bdi>/, digits);
  }
  for (const digits of ["af00", "f00d1f", "zz"]) {
    const { html } = await browser.get(`/search/?q=${digits}`);
    assert.equal(/at least 6 digits, or 4 at either end/.test(html), digits === "af00", digits);
  }
});

Deno.test("certificates and tenants come before other objects, and before a user with exactly the name that was searched", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await callJson(client, "/api/users/users/", "POST", { username: "quokka", password: "Long-Enough-4711-x" });
  const tenant = await callJson(client, "/api/tenancy/tenants/", "POST", {
    name: "Quokka Bank",
    slug: "quokka-bank",
  });
  const [id] = await storeCertificates(app, [metadata(990, { common_name: "www.quokka.example" })]);
  const found = await links(await browserOf(app), "quokka");
  const ordered = found.filter((path) => /^\/(certificates|tenants|users)\/\d+\/$/.test(path));
  assert.deepEqual(ordered.slice(0, 2), [`/certificates/${id}/`, `/tenants/${tenant.id}/`]);
  assert.match(ordered[2] ?? "", /^\/users\//);
});

Deno.test("an object with exactly the name that was searched comes first, whatever its type and the number of others", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const create = (path: string, body: Record<string, unknown>): Promise<{ id: number }> =>
    callJson(client, `/api/${path}/`, "POST", body);
  for (let n = 0; n < 7; n++) {
    const body = { name: `A team of the Aardwolf zoo ${n}`, slug: `zoo-${n}` };
    await create("tenancy/tenant-groups", body);
    await create("tenancy/tenants", body);
  }
  const group = await create("tenancy/tenant-groups", { name: "Aardwolf zoo", slug: "zoo" });
  const ids = await storeCertificates(
    app,
    Array.from({ length: 9 }, (_, n) =>
      metadata(970 + n, {
        common_name: n === 8 ? "aardwolf.example" : `www${n}.aardwolf.example`,
        sans: ["aardwolf.zoo.example"],
      })),
  );
  const browser = await browserOf(app);
  assert.equal((await links(browser, "aardwolf zoo"))[0], `/tenant-groups/${group.id}/`);
  const dialog = await browser.get("/search/results/?q=AARDWOLF+ZOO");
  assert.equal(/<a href="([^"]*)"/.exec(dialog.html)?.[1], `/tenant-groups/${group.id}/`);
  assert.equal((await links(browser, "Aardwolf.example"))[0], `/certificates/${ids[8]}/`);
});

Deno.test("services have the form host:port, equal ones their ids, and signing requests their status", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { id: device } = await callJson(client, "/api/dcim/devices/", "POST", { name: "numbat-lb" });
  const body = {
    name: "https numbat.example",
    protocol: "tcp",
    ports: [443],
    parent_object_type: "dcim.device",
    parent_object_id: device,
  };
  const { id: first } = await callJson(client, "/api/ipam/services/", "POST", body);
  const browser = await browserOf(app);
  const found = async (): Promise<string> => textOf((await browser.get("/search/?q=numbat")).html);
  assert.match(await found(), /numbat \.example:443 numbat-lb/);
  assert.doesNotMatch(await found(), /ID \d/);
  const { id: second } = await callJson(client, "/api/ipam/services/", "POST", body);
  const both = await found();
  for (const id of [first, second]) assert(both.includes(`numbat-lb · ID ${id}`), both);
  await make(app, PATHS.requests, [{ common_name: "numbat.request.example", status: "approved" }]);
  assert.match(await found(), /numbat \.request\.example +approved/);
});

const ISSUERS = [
  "C=US, O=Metadata CA, CN=Issuer 1",
  "CN=Issuer 1,O=Metadata CA,C=US",
  "/C=US/O=Metadata CA/CN=Issuer 1",
  "issuer=C = US, O = Metadata CA, CN = Issuer 1",
];
Deno.test("An issuer in any order and notation finds its certificates, in the search and in the box of the list", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const issuer of ISSUERS) {
    assert(
      (await links(browser, issuer)).includes(`/certificates/${seed.certificates.acmeCritical}/`),
      issuer,
    );
    const { html } = await browser.get(`/certificates/?show=all&q=${encodeURIComponent(issuer)}`);
    assert.match(html, new RegExp(`"/certificates/${seed.certificates.acmeCritical}/`), issuer);
  }
});
