/** Forms: protection by tokens, typed values that are kept, and errors at their fields. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { pemTextSql, readPemText } from "../../src/domain/certificates/mod.ts";
import { tags, tenants } from "../../src/domain/inventory/mod.ts";
import { signingRequests } from "../../src/domain/signing_requests/mod.ts";
import { createObject } from "../../src/resource/mod.ts";
import { maskToken } from "../../src/web/form_token.ts";
import { granted, superuser } from "../support/actors.ts";
import { ORIGIN, type TestApp, testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { OBSERVATIONS } from "../support/seed_rows.ts";
import { writtenBytes } from "../support/store.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { type Browser, browserOf, textOf } from "./imports/browser.ts";

/** Returns the value of a hidden field. */
function hidden(html: string, name: string): string {
  return (new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "").replaceAll("&quot;", '"');
}

/** Returns the message under a field. */
function errorAt(html: string, name: string): string {
  return textOf(new RegExp(`id="f-${name}-error">(.*?)</small>`, "s").exec(html)?.[1] ?? "");
}

async function session(app: TestApp): Promise<{ cookie: string; csrf: string }> {
  const browser = await browserOf(app);
  const csrf = hidden((await browser.get("/profile/")).html, "csrf");
  return { cookie: browser.cookie, csrf };
}

/** Returns the token of the newest session from the database. */
async function storedToken({ database }: TestApp): Promise<string> {
  const [row] = await database.all<{ csrf: string }>(sql`SELECT csrf FROM sessions ORDER BY id DESC LIMIT 1`);
  return row?.csrf ?? "";
}

const CASES: [
  what: string,
  change: (headers: Headers, form: FormData, stored: { token: string }) => void,
][] = [
  ["without a token", (_, form) => form.delete("csrf")],
  ["with an empty token", (_, form) => form.set("csrf", "")],
  ["with another's token", (_, form) => form.set("csrf", maskToken("a".repeat(43)))],
  ["with the session's token without a mask", (_, form, { token }) => form.set("csrf", token)],
  ["with a mask alone", (_, form) => form.set("csrf", String(form.get("csrf")).slice(0, 58))],
  ["with another mask", (_, form) => form.set("csrf", `AAAA${String(form.get("csrf")).slice(4)}`)],
  ["from another site", (headers) => headers.set("sec-fetch-site", "cross-site")],
  ["from a neighbouring site", (headers) => headers.set("sec-fetch-site", "same-site")],
  ["from another origin", (headers) => headers.set("origin", "https://evil.example")],
  ["from the origin null", (headers) => headers.set("origin", "null")],
];
for (const [what, change] of CASES) {
  Deno.test(`A form ${what} is refused and changes nothing`, async () => {
    await using app = await testApp();
    const { cookie, csrf } = await session(app);
    const token = await storedToken(app);
    const before = await writtenBytes(app.database);
    for (
      const path of ["/tags/new/", "/tags/1/delete/", "/profile/tokens/", "/sign-out/", "/webhooks/1/test/"]
    ) {
      const headers = new Headers({ cookie });
      const body = new FormData();
      for (const [name, value] of [["csrf", csrf], ["name", "x"], ["slug", "x"]] as const) {
        body.set(name, value);
      }
      change(headers, body, { token });
      const response = await app.app.fetch(
        new Request(new URL(path, ORIGIN), { method: "POST", headers, body }),
      );
      assert.equal(response.status, 403, path);
      assert.match(await response.text(), /This form (has expired|was sent from another site)/, path);
    }
    assert.equal(await writtenBytes(app.database), before, "Something was stored");
  });
}

Deno.test("two responses carry different tokens, and a form with either is accepted", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [one, other] = [(await browser.get("/tags/new/")).html, (await browser.get("/tags/new/")).html].map((
    html,
  ) => hidden(html, "csrf")) as [string, string];
  const token = await storedToken(app);
  assert.notEqual(one, other);
  for (const [index, csrf] of [one, other].entries()) {
    assert.ok(csrf.length > token.length && !csrf.includes(token));
    const body = new FormData();
    for (
      const [name, value] of Object.entries({
        csrf,
        name: `tag ${index}`,
        slug: `tag-${index}`,
        color: "00ff00",
      })
    ) {
      body.set(name, value);
    }
    const response = await app.app.fetch(
      new Request(new URL("/tags/new/", ORIGIN), {
        method: "POST",
        headers: { cookie: browser.cookie },
        body,
      }),
    );
    await response.body?.cancel();
    assert.equal(response.status, 303, csrf);
  }
});

Deno.test("the forms of one response carry one token, and none of them the stored one", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get("/profile/");
  const tokens = new Set([...html.matchAll(/name="csrf" value="([^"]*)"/g)].map(([, value]) => value));
  assert.equal(tokens.size, 1);
  assert.ok(!html.includes(await storedToken(app)));
});

Deno.test("Pages accept forms and nothing else", async () => {
  await using app = await testApp();
  const { cookie } = await session(app);
  for (
    const [type, status] of [["application/json", 415], ["text/plain", 415], [
      "multipart/form-data",
      400,
    ]] as const
  ) {
    const request = new Request(new URL("/tags/new/", ORIGIN), {
      method: "POST",
      headers: { cookie, "content-type": type },
      body: '{"name":"x"}',
    });
    assert.equal((await app.app.fetch(request)).status, status, type);
  }
});

const WRONG: [
  path: string,
  fields: Record<string, string | readonly string[]>,
  name: string,
  says: RegExp,
][] = [
  ["/tags/new/", { name: "", slug: "kept" }, "name", /./],
  ["/tags/new/", { name: "kept", slug: "prod" }, "slug", /already exists/],
  ["/tags/new/", { name: "kept", slug: "no spaces" }, "slug", /./],
  [
    "/services/new/",
    { name: "kept", protocol: "tcp", ports: "70000" },
    "ports",
    /whole number from 1 to 65535/,
  ],
  ["/services/new/", { name: "kept", parent: "dcim.device 999" }, "parent", /./],
  [
    "/policies/new/",
    { name: "kept", policy_type: "min_key_size", "parameters.min_bits": "many" },
    "parameters.min_bits",
    /^Expected a whole number from 1 to 65536, not "many"\.$/,
  ],
  [
    "/policies/new/",
    { name: "kept", policy_type: "algorithm_allowed" },
    "parameters.algorithms",
    /^Enter at least one algorithm\.$/,
  ],
  [
    "/policies/new/",
    { name: "kept", policy_type: "issuer_allowed", "parameters.issuers": `CN=A\n${"x".repeat(1_001)}` },
    "parameters.issuers",
    /^Line 2: Ensure this field has no more than 1000 characters\.$/,
  ],
  ["/policies/new/", { name: "kept", policy_type: "colour" }, "policy_type", /^Expected one of min_key_size/],
  [
    "/notification-channels/new/",
    { name: "kept", kind: "slack", "settings.url": "http://127.0.0.1/" },
    "settings.url",
    /./,
  ],
  [
    "/notification-channels/new/",
    { name: "kept", kind: "ntfy", "settings.topic": "two words" },
    "settings.topic",
    /^Expected 1 to 64 letters/,
  ],
  [
    "/notification-channels/new/",
    { name: "kept", kind: "pagerduty" },
    "secret",
    /routing key/,
  ],
  ["/assignments/new/", { notes: "kept", certificate: "1" }, "assigned_object", /^This field is required\./],
  [
    "/assignments/new/",
    { notes: "kept", certificate: "999", assigned_object: "(device #1)" },
    "certificate",
    /./,
  ],
  [
    "/webhooks/new/",
    { name: "kept", object_types: ["certmgr.certificate"], events: [], payload_url: "https://a.example/" },
    "events",
    /at least one/,
  ],
  [
    "/webhooks/new/",
    {
      name: "kept",
      object_types: ["certmgr.certificate"],
      events: ["created"],
      payload_url: "http://127.0.0.1/",
    },
    "payload_url",
    /./,
  ],
  [
    "/webhooks/new/",
    {
      name: "kept",
      object_types: ["certmgr.certificate"],
      events: ["created"],
      payload_url: "https://a.example/",
      conditions: '{"statuss":"active"}',
    },
    "conditions",
    /Did you mean “status”/,
  ],
  [
    "/permissions/new/",
    {
      name: "kept",
      object_types: ["dcim.device"],
      actions: ["view"],
      constraints: '{"tenant__slugg":"acme"}',
    },
    "constraints",
    /dcim\.device: “tenant__slugg”: /,
  ],
  [
    "/permissions/new/",
    { name: "kept", object_types: ["dcim.device"], actions: ["renew"] },
    "actions",
    /Unknown action/,
  ],
  ["/calendar-feeds/new/", { name: "kept", filter: "colour=red" }, "filter", /“colour”: Unknown filter/],
  ["/users/new/", { username: "kept", password: "short" }, "password", /12/],
];
for (const [path, fields, name, says] of WRONG) {
  Deno.test(`${path}: an invalid ${name} is reported at the field, and the typed values stay (${JSON.stringify(fields)})`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    await browser.get(path);
    const before = await writtenBytes(app.database);
    const { status, html } = await browser.post(path, fields);
    assert.equal(status, 400);
    assert.match(errorAt(html, name), says);
    assert.match(
      html,
      new RegExp(`id="f-${name}"[^>]* aria-invalid="true"|name="${name}"[^>]* aria-invalid="true"`),
    );
    assert.match(html, /role="alert"/);
    assert.match(html, />kept<|value="kept"/);
    if (path !== "/users/new/") assert(!html.includes('value="short"'));
    assert.equal(await writtenBytes(app.database), before, "Something was stored");
  });
}

Deno.test("The form of a service keeps a hidden host, without its name", async () => {
  await using app = await testApp();
  const actor = granted([{ types: ["ipam.service"], actions: ["view", "change"] }]);
  const browser = await browserOf(app, actor);
  const { html } = await browser.get(`/services/${seed.services.https}/edit/`);
  assert.match(html, /<option value="a device that you may not view" selected[^>]*>/);
  assert.doesNotMatch(html, /edge-1/);
});

/** A valid form of each kind, and a text of the next page. */
const GOOD: [path: string, fields: Record<string, string | readonly string[]>, shows: RegExp][] = [
  ["/tags/new/", { name: "Green", slug: "green", color: "00ff00" }, /Green/],
  [
    "/services/new/",
    { name: "ldap", protocol: "tcp", ports: "389, 636", parent: "(device #1)" },
    /389.*edge-1/,
  ],
  [
    "/services/new/",
    { name: "ntp", protocol: "udp", ports: "123", parent: "(device #1)" },
    /ntp \(UDP\/123\)/,
  ],
  [
    "/policies/new/",
    {
      name: "Approved",
      policy_type: "issuer_allowed",
      "parameters.issuers": "acme",
      severity: "critical",
      enabled: "true",
      kinds: ["server", "ca"],
      tags: ["1"],
    },
    /Approved.*acme.*Production/,
  ],
  [
    "/policies/new/",
    {
      name: "Keys",
      policy_type: "algorithm_allowed",
      "parameters.algorithms": "rsa\necdsa",
      severity: "warning",
      kinds: ["client"],
    },
    /Keys.*RSA or ECDSA/,
  ],
  [
    "/notification-channels/new/",
    { name: "Phones", kind: "ntfy", "settings.topic": "certs", "settings.priority": "4", enabled: "true" },
    /Phones.*ntfy.*certs/,
  ],
  [
    "/assignments/new/",
    { certificate: "2", assigned_object: "(virtual machine #1)", is_primary: "true" },
    /api\.acme\.example on web-1/,
  ],
  [
    "/assignments/new/",
    { certificate: "api.acme.example (#2)", assigned_object: "(device #1)" },
    /on edge-1/,
  ],
  [
    "/permissions/new/",
    {
      name: "Devices of Acme",
      enabled: "true",
      object_types: ["dcim.device", "virtualization.virtualmachine"],
      actions: ["view", "change"],
      constraints: '{"tenant__slug":"acme"}',
      users: ["2", "4"],
      groups: ["1"],
    },
    /operators.*alice.*carol.*Devices and virtual machines.*view and change/,
  ],
];
Deno.test("Certificates are found by exact name; an unknown name has an error that quotes it", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const given = (certificate: string): Record<string, string> => ({
    certificate,
    assigned_object: "(device #1)",
  });
  const { status, html } = await browser.post("/assignments/new/", given("nothing such"));
  assert.equal(status, 400);
  assert.match(
    textOf(html),
    /No certificate is called "nothing such"\. Choose one of the suggestions\./,
  );
  assert.doesNotMatch(textOf(html), /Expected an id/);
  const part = await browser.post("/assignments/new/", given("pi.acme.exampl"));
  assert.equal(part.status, 400, "a part of a name");
  assert.match(textOf(part.html), /No certificate is called "pi\.acme\.exampl"\./);
  assert.equal((await browser.post("/assignments/new/", given("api.acme.example"))).status, 303);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET common_name = 'twice.example' WHERE id IN (1, 2)`)
  );
  const twice = await browser.post("/assignments/new/", given("twice.example"));
  assert.match(
    textOf(twice.html),
    /2 certificates are called "twice\.example"\. Choose one of the suggestions\./,
  );
});

Deno.test("A name that ends like a suggestion is a name if an object has it, or if the object with the id has another one", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { acme, globex } = seed.tenants;
  const create = async (name: string, tenant: string): Promise<string> => {
    const { status, html, location } = await browser.post("/devices/new/", { name, tenant });
    if (status !== 303) return textOf(html);
    return textOf((await browser.get(location)).html);
  };
  assert.match(await create("dev-1", `Acme Corp (#${acme})`), /Tenant Acme Corp/);
  assert.match(await create("dev-2", `#${acme}`), /Tenant Acme Corp/);
  assert.match(
    await create("dev-3", `Acme Corp (#${globex})`),
    new RegExp(`No tenant is called "Acme Corp \\(#${globex}\\)"\\.`),
  );
  const odd = `Odd (#${acme})`;
  await createObject({ ctx: app.ctx, resource: tenants, input: { name: odd, slug: "odd" } });
  assert.match(await create("dev-4", odd), /Tenant Odd \(#\d+\)/);
});

Deno.test("A form with many texts of suggestions takes as many statements as one with two", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const names = Array.from({ length: 12 }, (_, index) => `label-${index}`);
  const ids: unknown[] = [];
  for (const name of names) {
    ids.push((await createObject({ ctx: app.ctx, resource: tags, input: { name, slug: name } })).id);
  }
  const counts: number[] = [];
  // The first request fills caches.
  for (const count of [1, 2, 12]) {
    const chosen = names.slice(0, count).map((name, index) => `${name} (#${ids[index]})`);
    const before = app.database.statements;
    const { status, location } = await browser.post("/devices/new/", { name: `dev-${count}`, tags: chosen });
    counts.push(app.database.statements - before);
    assert.equal(status, 303);
    assert.match(textOf((await browser.get(location)).html), new RegExp(`label-${count - 1}\\b`));
  }
  assert.equal(counts[2], counts[1], `${counts}`);
});

Deno.test("Suggestions of certificates say when they expire, and expired ones come last", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET valid_to = ${app.clock.now() - 3 * 86_400_000} WHERE id = 1`)
  );
  const { options } = JSON.parse((await browser.get("/suggest/certificates/?q=acme")).html) as {
    options: { value: string; label: string; note: string }[];
  };
  const expired = options.filter(({ note }) => note.startsWith("expired "));
  assert.deepEqual(expired.map(({ value }) => value), ["www.acme.example (#1)", "old.acme.example (#3)"]);
  assert.deepEqual(expired[0]?.note, "expired 3 days ago");
  const used = options.filter(({ note }) => !note.startsWith("replaced, "));
  assert.deepEqual(used.slice(-2), expired);
  assert(
    used.slice(0, -2).every(({ note }) => /^expires in \d+ days?$/.test(note)),
    JSON.stringify(options),
  );
  assert(used.length > 2);
});

Deno.test("Suggestions of replaced and revoked certificates come last, with this word", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await storeCertificates(app, [
    metadata(1, { common_name: "a.past.example", status: "revoked", valid_to: "2030-01-01T00:00:00Z" }),
    metadata(2, {
      common_name: "b.past.example",
      valid_from: "2019-01-01T00:00:00Z",
      valid_to: "2020-01-01T00:00:00Z",
    }),
    metadata(3, { common_name: "c.past.example", status: "replaced", valid_to: "2031-01-01T00:00:00Z" }),
    metadata(4, { common_name: "d.past.example", valid_to: "2032-01-01T00:00:00Z" }),
  ]);
  const { options } = JSON.parse((await browser.get("/suggest/certificates/?q=past")).html) as {
    options: { label: string; note: string }[];
  };
  assert.deepEqual(options.map(({ label }) => label[0]).slice(0, 2), ["d", "b"]);
  const notes = new Map(options.map(({ label, note }) => [label[0], note]));
  assert.match(notes.get("a") ?? "", /^revoked, expires in /);
  assert.match(notes.get("c") ?? "", /^replaced, expires in /);
});

for (const [path, fields, shows] of GOOD) {
  Deno.test(`${path}: ${JSON.stringify(fields)} is created, shown, and unchanged when its form is saved`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    const { status, location, html: refused } = await browser.post(path, fields);
    assert.equal(status, 303, textOf(refused));
    assert.match(textOf((await browser.get(location)).html), shows);
    const form = await browser.get(`${location}edit/`);
    const again = await browser.post(`${location}edit/`, {
      ...fields,
      version: hidden(form.html, "version"),
    });
    assert.deepEqual([again.status, again.location], [303, location], textOf(again.html));
    assert.match(textOf((await browser.get(location)).html), shows);
  });
}

Deno.test("the kind of a new object is chosen before its form, which has only the fields of that kind", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get("/notification-channels/new/?enabled=false");
  assert.match(html, /href="\/notification-channels\/new\/\?enabled=false&amp;kind=mattermost"/);
  assert.doesNotMatch(html, /<form[^>]*action="\/notification-channels/);
  const members = async (kind: string): Promise<string[]> => {
    const page = (await browser.get(`/notification-channels/new/?kind=${kind}`)).html;
    return [...page.matchAll(/ name="(settings\.\w+|secret)"/g)].map(([, name]) => name as string);
  };
  assert.deepEqual(await members("mattermost"), ["settings.url", "settings.channel"]);
  assert.deepEqual(await members("pagerduty"), ["settings.url", "settings.severity", "secret"]);
});

Deno.test("the form of a channel requires its secret if the kind needs one, and an error says which secret", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const secretOf = (html: string): string => /<input[^>]* name="secret"[^>]*>/.exec(html)?.[0] ?? "";
  for (const [kind, meaning] of [["pagerduty", "routing key"], ["opsgenie", "API key"]] as const) {
    const path = `/notification-channels/new/?kind=${kind}`;
    assert.match(secretOf((await browser.get(path)).html), / required/, kind);
    const { status, html } = await browser.post(path, {
      name: "On call",
      kind: String(kind),
      enabled: "true",
    });
    assert.equal(status, 400);
    assert.match(html, new RegExp(`id="f-secret-error"[^>]*>[^<]*${meaning}`));
  }
  for (const kind of ["ntfy", "webhook"]) {
    const { html } = await browser.get(`/notification-channels/new/?kind=${kind}`);
    assert.notEqual(secretOf(html), "", kind);
    assert.doesNotMatch(secretOf(html), / required/, kind);
  }
});

Deno.test("an edit conflict shows both versions, keeps the typed values and overwrites nothing until it is saved again", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const path = `/tags/${seed.tags.pci}/edit/`;
  const version = hidden((await browser.get(path)).html, "version");
  const fields = { name: "First", slug: "pci", version };
  app.clock.advance(1_000);
  assert.equal((await browser.post(path, fields)).status, 303);
  const { status, html } = await browser.post(path, { ...fields, name: "Second" });
  assert.equal(status, 400);
  assert.match(textOf(html), /chief changed this tag after you opened the form/);
  assert.match(html, /value="Second"/);
  assert.match(textOf(html), /Field Your version Saved by someone else Name Second First/);
  assert.notEqual(hidden(html, "version"), version);
  const rows = await app.database.all<{ name: string }>(
    sql`SELECT name FROM tags WHERE id = ${seed.tags.pci}`,
  );
  assert.deepEqual(rows, [{ name: "First" }]);
  // A user who has seen both versions can save their own.
  const saved = await browser.post(path, { ...fields, name: "Second", version: hidden(html, "version") });
  assert.equal(saved.status, 303);
});

Deno.test("An object that another one needs is not deleted, and the page shows the reason", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const path = `/devices/${seed.devices.edge}/`;
  const asked = await browser.get(`${path}delete/`);
  assert.match(textOf(asked.html), /edge-1 cannot be deleted .*These objects refer to it.* 1 assignment/);
  assert.match(asked.html, /href="\/assignments\/\?device_id=1" class="underlined">1 assignment</);
  assert.match(
    asked.html,
    /<p class="form-actions"><a role="button" class="secondary" href="\/devices\/1\/">Back<\/a><\/p>/,
  );
  assert.doesNotMatch(asked.html, /class="danger"/);
  const { status, location } = await browser.post(`${path}delete/`);
  assert.deepEqual([status, location], [303, path]);
  const { html } = await browser.get(path);
  assert.match(html, /<h1>edge-1<\/h1>/);
  assert.match(await flashAfter(browser, `${path}delete/`), /./);
});

Deno.test("A deletion does not mention observations, which keep what was seen", async () => {
  await using app = await testApp();
  const { certificate_id: id } = OBSERVATIONS.globex;
  const { html } = await (await browserOf(app)).get(`/certificates/${id}/delete/`);
  assert.match(html, /Delete certificate\?/);
  assert.doesNotMatch(html, /observation/);
});

Deno.test("What prevents a deletion leads to a list of as many objects, also of those that the list leaves out", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { id: tenant } = await createObject({
    ctx: app.ctx,
    resource: tenants,
    input: { name: "Leaving", slug: "leaving" },
  });
  await storeCertificates(app, [
    metadata(1, { tenant }),
    metadata(2, { tenant, status: "replaced" }),
    metadata(3, { tenant, status: "revoked" }),
    metadata(4, { tenant, archived: true }),
  ]);
  const { html } = await browser.get(`/tenants/${tenant}/delete/`);
  const [, link = ""] = /href="([^"]*)" class="underlined">4 certificates</.exec(html) ?? [];
  assert.match((await browser.get(link.replaceAll("&amp;", "&"))).html, /of 4</);
});

Deno.test("An object that no other one needs is deleted, alone or with others", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const one = await browser.post(`/devices/${seed.devices.idle}/delete/`);
  assert.deepEqual([one.status, one.location], [303, "/devices/"]);
  assert.equal((await browser.get(`/devices/${seed.devices.idle}/`)).status, 404);
  const ids = [seed.groups.operators, seed.groups.idle].map(String);
  const asked = await browser.post("/groups/delete/", { ids });
  assert.match(textOf(asked.html), /Delete 2 groups\? nobody yet operators/);
  assert.equal((await browser.post("/groups/delete/", { ids, confirmed: "yes" })).location, "/groups/");
  assert.match(textOf((await browser.get("/groups/")).html), /No groups yet/);
});

/** Returns the message on the next page after a form. */
async function flashAfter(browser: Browser, path: string): Promise<string> {
  const { headers, location } = await browser.post(path);
  const flash = /certmgr_flash=([^;]*)/.exec(headers.get("set-cookie") ?? "")?.[1] ?? "";
  return textOf((await browser.get(location, { cookie: `certmgr_flash=${flash}` })).html);
}

Deno.test("A message for the next page is shown as text, once, even if it contains markup", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const text = encodeURIComponent("error:<script>alert(1)</script>\"'><img src=x>");
  const { html, headers } = await browser.get("/tags/", { cookie: `certmgr_flash=${text}` });
  assert.match(html, /&lt;script&gt;alert\(1\)/);
  assert.doesNotMatch(html, /<script>|<img src=x/);
  assert.match(headers.get("set-cookie") ?? "", /certmgr_flash=;.*Max-Age=0/);
  for (const strange of ["success", "warn:x", "error:", "%", "success:%zz", "warn>//evil.example/? Go:x"]) {
    const answer = await browser.get("/tags/", { cookie: `certmgr_flash=${strange}` });
    assert.equal(answer.status, 200, strange);
    assert.doesNotMatch(answer.html, /href="[^"]*evil/);
  }
});

Deno.test("A certificate is created from its PEM alone; saving it with CR LF line breaks changes nothing", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const ca = await TestCa.root({ cn: "Form CA" });
  const { pem } = await ca.issue({ cn: "form.example" });
  const posted = pem.replaceAll("\n", "\r\n");
  const empty = { common_name: "", serial_number: "", issuer: "", valid_from: "", fingerprint_sha256: "" };
  const created = await browser.post("/certificates/new/", { ...empty, pem_content: posted });
  assert.match(created.location ?? "", /^\/certificates\/\d+\/$/);
  const [row] = await app.database.all<{ stored: string }>(
    sql`SELECT ${
      pemTextSql("texts")
    } AS stored FROM certificate_texts AS texts ORDER BY certificate_id DESC LIMIT 1`,
  );
  const stored = readPemText(row?.stored ?? null);
  assert(!stored.includes("\r") && stored.includes("BEGIN CERTIFICATE"), stored);
});

/** Texts that may have several lines: the list, its path in the API, an object, and the other fields of its form. */
const SEVERAL_LINES = [
  ["certificates", PATHS.certificates, seed.certificates.acmeWeb, "description"],
  ["devices", PATHS.devices, seed.devices.edge, "comments"],
  ["tags", PATHS.tags, seed.tags.pci, "description"],
] as const;
for (const [list, path, id, name] of SEVERAL_LINES) {
  Deno.test(`/${list}/: a form keeps the lines of ${name}`, async () => {
    await using app = await testApp();
    const body = { [name]: "one\n\ntwo" };
    const { status } = await (await app.as("superuser"))(`${path}${id}/`, { method: "PATCH", body });
    assert.equal(status, 200);
    const browser = await browserOf(app, superuser({ username: "someone" }));
    const { html } = await browser.get(`/${list}/${id}/edit/`);
    const [, shown] = new RegExp(`<textarea[^>]* name="${name}"[^>]*>([^<]*)</textarea>`).exec(html) ?? [];
    assert.equal(shown?.trim(), "one\n\ntwo");
  });
}

Deno.test("saving a form with the CR LF line breaks of a browser changes no text", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const path = `/tags/${seed.tags.pci}/edit/`;
  const save = async (): Promise<void> => {
    const version = hidden((await browser.get(path)).html, "version");
    const fields = { name: "First", slug: "pci", description: "one\r\n\r\ntwo", version };
    assert.equal((await browser.post(path, fields)).status, 303);
  };
  const changes = async (): Promise<number> =>
    (await app.database.all(sql`SELECT id FROM object_changes`)).length;
  await save();
  const before = await changes();
  await save();
  assert.equal(await changes(), before);
});

const PLACES: [
  path: string,
  fields: Record<string, string | readonly string[]>,
  name: string,
  says: RegExp,
][] = [
  ["/services/new/", { name: "kept", ports: "443\n70000" }, "ports", /^Line 2: .*1 to 65535/],
  ["/services/new/", { name: "kept", ports: "443\n\n70000" }, "ports", /^Line 3: /],
  ["/services/new/", { name: "kept", ports: "443, 70000" }, "ports", /^Entry 2: /],
  ["/csrs/new/", { common_name: "kept", sans: `a.example\n${"x".repeat(70_000)}` }, "sans", /^Line 2: /],
  [
    "/users/new/",
    { username: "kept", groups: ["1", "x".repeat(1_000)] },
    "groups",
    /^Entry 2: No group is called /,
  ],
  [
    "/profile/tokens/",
    { description: "kept", allowed_ips: "10.0.0.0/8\nhere" },
    "allowed_ips",
    /^Entry 2: /,
  ],
];
for (const [path, fields, name, says] of PLACES) {
  const shown = JSON.stringify(fields[name]).slice(0, 40);
  Deno.test(`${path}: an error of a part of ${name} has its number, counted from one (${shown})`, async () => {
    await using app = await testApp();
    const { status, html } = await (await browserOf(app)).post(path, fields);
    assert.equal(status, 400);
    assert.match(errorAt(html, name), says);
    assert.doesNotMatch(errorAt(html, name), /(^|\. )\d+: /);
  });
}

Deno.test("The form of a signing request begins with its PEM, from which the other fields are read", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const path of ["/csrs/new/", "/csrs/1/edit/"]) {
    const names = [
      ...(await browser.get(path)).html.matchAll(/ id="f-([a-z_0-9]+)"/g),
    ].map(([, one]) => one);
    assert.equal(names[0], "pem_content", path);
    const { fields } = signingRequests;
    const writable = Object.keys(fields).filter((one) => fields[one]?.input !== undefined);
    assert.deepEqual(new Set(names), new Set(writable), path);
  }
});
