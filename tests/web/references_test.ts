/** How forms read references: ids, chosen texts and names, in every kind of form. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { createObject } from "../../src/resource/mod.ts";
import { devices, tenants } from "../../src/domain/inventory/mod.ts";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { type Browser, browserOf, textOf } from "./imports/browser.ts";

const { acme, globex } = seed.tenants;
const { edge } = seed.devices;
const web = seed.machines.web;

/** Posts a reference in one kind of form, and returns what its object is called, or the error at the control. */
type Post = (browser: Browser, text: string) => Promise<string>;

const errorOf = (html: string, name: string): string =>
  new RegExp(`id="f-${name}-error"[^>]*>([^<]*)<`).exec(html)?.[1]?.replaceAll("&quot;", '"') ?? "";

const device: Post = async (browser, tenant) => {
  const { status, html, location } = await browser.post("/devices/new/", {
    name: crypto.randomUUID(),
    tenant,
  });
  if (status !== 303) return errorOf(html, "tenant");
  return /Tenant (Acme Corp|Globex Corp|Odd \(#)/.exec(textOf((await browser.get(location)).html))?.[1] ??
    "none";
};
const service: Post = async (browser, parent) => {
  const given = { name: crypto.randomUUID(), protocol: "tcp", parent };
  const { status, html, location } = await browser.post("/services/new/", given);
  if (status !== 303) return errorOf(html, "parent");
  const { html: page } = await browser.get(location);
  return /<dl class="facts">.*?href="\/((?:devices|virtual-machines)\/\d+)\/"/s.exec(page)?.[1] ?? "none";
};
const bulk: Post = async (browser, tenant) => {
  const given = { ids: String(edge), confirmed: "yes", tenant };
  const { status, html } = await browser.post("/devices/bulk-edit/", given);
  if (status !== 303) {
    return errorOf(html, "tenant") || textOf(html).match(/Choose at least one new value/)?.[0] || "";
  }
  return /Tenant (Acme Corp|Globex Corp|Odd \(#)/.exec(textOf((await browser.get(`/devices/${edge}/`)).html))
    ?.[1] ??
    "none";
};
const filter: Post = async (browser, text) =>
  new URL(
    (await browser.get(`/devices/?${new URLSearchParams({ tenant_id: text })}`)).location || "/",
    "http://a",
  )
    .search;

const missing = (noun: string, text: string): string =>
  `No ${noun} is called "${text}". Choose one of the suggestions.`;

const CASES: readonly [kind: string, post: Post, text: string, expected: string][] = [
  ["a field", device, "", "none"],
  ["a field", device, String(acme), "Acme Corp"],
  ["a field", device, ` #${acme} `, "Acme Corp"],
  ["a field", device, `(#${acme})`, "Acme Corp"],
  ["a field", device, `Acme Corp (#${acme})`, "Acme Corp"],
  ["a field", device, `Acme Corp (tenant #${acme})`, "Acme Corp"],
  ["a field", device, "Acme Corp", "Acme Corp"],
  ["a field", device, "acme", missing("tenant", "acme")],
  ["a field", device, `Acme Corp (#${globex})`, missing("tenant", `Acme Corp (#${globex})`)],
  ["a field", device, `Acme Corp (device #${acme})`, missing("tenant", `Acme Corp (device #${acme})`)],
  ["a field", device, `Odd (#${acme})`, "Odd (#"],
  ["a generic reference", service, "", "This field is required."],
  ["a generic reference", service, `(device #${edge})`, `devices/${edge}`],
  ["a generic reference", service, `edge-1 (device #${edge})`, `devices/${edge}`],
  ["a generic reference", service, "edge-1", `devices/${edge}`],
  ["a generic reference", service, `(virtual machine #${web})`, `virtual-machines/${web}`],
  ["a generic reference", service, "3", missing("device or virtual machine", "3")],
  ["a generic reference", service, "(#3)", missing("device or virtual machine", "(#3)")],
  [
    "a generic reference",
    service,
    `edge-1 (virtual machine #${web})`,
    missing(
      "device or virtual machine",
      `edge-1 (virtual machine #${web})`,
    ),
  ],
  ["a generic reference", service, "twin", '2 objects are called "twin". Choose one of the suggestions.'],
  ["the form of several objects", bulk, "", "Choose at least one new value"],
  ["the form of several objects", bulk, `Globex Corp (#${globex})`, "Globex Corp"],
  ["the form of several objects", bulk, "Acme Corp", "Acme Corp"],
  ["the form of several objects", bulk, "Nobody", missing("tenant", "Nobody")],
  ["a filter", filter, `Acme Corp (#${acme})`, `?tenant_id=${acme}`],
  ["a filter", filter, `#${acme}`, `?tenant_id=${acme}`],
  ["a filter", filter, "Acme Corp", "?tenant=Acme+Corp"],
  ["a filter", filter, `Acme Corp (#${globex})`, `?tenant=Acme+Corp+%28%23${globex}%29`],
];

async function prepared(): Promise<{ app: TestApp; browser: Browser }> {
  const app = await testApp();
  await createObject({ ctx: app.ctx, resource: tenants, input: { name: `Odd (#${acme})`, slug: "odd" } });
  for (const tenant of [acme, globex]) {
    await createObject({ ctx: app.ctx, resource: devices, input: { name: "twin", tenant } });
  }
  return { app, browser: await browserOf(app) };
}

Deno.test("ids, chosen texts and names are references in every kind of form; anything else is asked about", async () => {
  const { app, browser } = await prepared();
  await using _app = app;
  const found: string[][] = [];
  for (const [kind, post, text] of CASES) found.push([kind, text, await post(browser, text)]);
  assert.deepEqual(found, CASES.map(([kind, , text, expected]) => [kind, text, expected]));
});

Deno.test("an object that the user may not view is the same as a missing one, by name and by chosen text", async () => {
  const { app } = await prepared();
  await using _app = app;
  const browser = await browserOf(
    app,
    granted([
      { types: OBJECT_TYPES.filter((type) => type !== "tenancy.tenant"), actions: ["view", "add", "change"] },
      { types: ["tenancy.tenant"], actions: ["view"], constraints: { id__n: globex } },
    ], { username: "partial" }),
  );
  for (const text of ["Globex Corp", `Globex Corp (#${globex})`]) {
    assert.equal(await device(browser, text), missing("tenant", text));
    assert.equal(await bulk(browser, text), missing("tenant", text));
  }
  const [hidden, absent] = [await device(browser, String(globex)), await device(browser, "999")];
  assert.equal(hidden.replace(String(globex), "…"), absent.replace("999", "…"));
});

Deno.test("a name that is not found and other errors are reported together, and nothing is stored", async () => {
  const { app, browser } = await prepared();
  await using _app = app;
  const { status, html } = await browser.post("/services/new/", {
    name: "",
    protocol: "tcp",
    parent: "nothing",
    tags: ["none such", String(seed.tags.pci)],
  });
  assert.equal(status, 400);
  assert.match(errorOf(html, "parent"), /^No device or virtual machine is called "nothing"/);
  assert.match(errorOf(html, "tags"), /^Entry 1: No tag is called "none such"/);
  assert.notEqual(errorOf(html, "name"), "");
});

Deno.test("a filter by an id that has none by name takes a name, and shows the object by its name", async () => {
  const { app, browser } = await prepared();
  await using _app = app;
  const cases = [
    ["/compliance/", "tenant_id", `Acme Corp (#${acme})`, `?tenant_id=${acme}`, "Tenant: Acme Corp"],
    ["/compliance/", "tenant_id", "Acme Corp", `?tenant_id=${acme}`, "Tenant: Acme Corp"],
    ["/compliance/", "owner", "Network team", `?owner=${seed.contacts.network}`, "Owner: Network team"],
    ["/certificates/", "owner", "Network team", `?owner=${seed.contacts.network}`, "Owner: Network team"],
    ["/audit-events/", "user_id", "chief", /^\?user_id=\d+$/, "User: chief"],
    ["/endpoints/", "device_id", `edge-1 (#${edge})`, `?device_id=${edge}`, "Device: edge-1"],
  ] as const;
  for (const [path, name, value, search, chip] of cases) {
    const { status, location } = await browser.get(`${path}?${new URLSearchParams({ [name]: value })}`);
    assert.equal(status, 303, `${path} ${name}`);
    if (typeof search === "string") assert.equal(location, `${path}${search}`);
    else assert.match(new URL(location, "http://a").search, search);
    const { html } = await browser.get(location);
    const chips = [...html.matchAll(/aria-label="Remove filter ([^"]*)"/g)].map(([, label]) => label);
    assert.match(chips.join(), new RegExp(chip === "Device: edge-1" ? "evice: edge-1" : chip), path);
  }
  const { status, location, html } = await browser.get("/compliance/?tenant_id=Nobody");
  assert.equal(status, 400, location);
  assert.match(textOf(html), /Tenant : No tenant is called "Nobody"\. Choose one/);
});

Deno.test("without scripts an object is searched on every form with a reference, and nothing is stored", async () => {
  const { app, browser } = await prepared();
  await using _app = app;
  await app.database.write(async (tx) => {
    const many = sql`WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 220)`;
    await tx.run(sql`INSERT INTO tenants (id, name, slug, created, last_updated)
      ${many} SELECT i, 'Team ' || i, 'team-' || i, 0, 0 FROM n`);
    await tx.run(sql`INSERT INTO contacts (id, name, created, last_updated)
      ${many} SELECT i, 'Person ' || i, 0, 0 FROM n`);
  });
  const ids = String(seed.certificates.acmeWeb);
  const forms = [
    ["/devices/new/", { name: "kept", tenant: "Team 11" }, "tenant", 10],
    ["/certificates/bulk/", { ids, action: "contact_to", contact: "Person 11" }, "contact", 10],
    ["/certificates/bulk/", { ids, action: "assign_to", assigned_object: "edge" }, "assigned_object", 0],
  ] as const;
  const changes = async (): Promise<number> =>
    (await app.database.all(sql`SELECT id FROM object_changes`)).length;
  const before = await changes();
  for (const [path, fields, name, matches] of forms) {
    const { status, html } = await browser.post(path, { ...fields, find: name });
    assert.equal(status, 200, `${path}: ${textOf(html)}`);
    if (matches > 0) {
      assert.match(
        textOf(html),
        new RegExp(`${matches} matches for "${String(Object.values(fields).at(-1))}"`),
        path,
      );
    }
    const options = [...html.matchAll(new RegExp(`<select id="f-${name}".*?</select>`, "gs"))];
    assert.equal(options.length, 1, path);
  }
  assert.equal(await changes(), before);
});
