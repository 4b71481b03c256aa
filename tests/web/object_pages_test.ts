/** Pages of objects list the certificates that belong to them, as far as the user may view them. */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { type Browser, browserOf, textOf } from "./imports/browser.ts";

/** Stores two certificates of different tenants with the same tag, on the same device. */
async function tagged(app: TestApp): Promise<{ tag: number; device: number; tenant: number }> {
  const client = await app.as("superuser");
  const make = async (path: string, body: Record<string, unknown>): Promise<number> =>
    (await callJson(client, `/api/${path}/`, "POST", body)).id as number;
  const tenants = await Promise.all(
    ["Dingo", "Emu"].map((name) => make("tenancy/tenants", { name, slug: name.toLowerCase() })),
  );
  const tag = await make("extras/tags", { name: "Outback", slug: "outback" });
  const device = await make("dcim/devices", { name: "uluru-lb" });
  const names = ["dingo.example", "emu.example"];
  const ids = await storeCertificates(
    app,
    names.map((common_name, index) =>
      metadata(970 + index, { common_name, tenant: tenants[index], tags: [{ id: tag }] })
    ),
  );
  for (const certificate of ids) {
    await make("plugins/certmgr/assignments", {
      certificate,
      assigned_object_type: "dcim.device",
      assigned_object_id: device,
    });
  }
  return { tag, device, tenant: tenants[0] as number };
}

async function listed(browser: Browser, path: string): Promise<{ names: string[]; count: string }> {
  const { status, html } = await browser.get(path);
  assert.equal(status, 200, path);
  const [, section = ""] = /<section aria-labelledby="certificates">(.*?)<\/section>/s.exec(html) ?? [];
  const [, count = ""] = /<span class="count">([^<]*)/.exec(section) ?? [];
  const names = ["dingo.example", "emu.example"].filter((name) => section.includes(`title="${name}"`));
  return { names, count };
}

Deno.test("the page of a tenant, a tag or a device lists its certificates, with their number", async () => {
  await using app = await testApp();
  const { tag, device, tenant } = await tagged(app);
  const browser = await browserOf(app);
  const both = { names: ["dingo.example", "emu.example"], count: "2" };
  assert.deepEqual(await listed(browser, `/tags/${tag}/`), both);
  assert.deepEqual(await listed(browser, `/devices/${device}/`), both);
  assert.deepEqual(await listed(browser, `/tenants/${tenant}/`), { names: ["dingo.example"], count: "1" });
});

Deno.test("hidden certificates are neither listed nor counted on pages of other objects", async () => {
  await using app = await testApp();
  const { tag, device } = await tagged(app);
  const others = OBJECT_TYPES.filter((type) => type !== "certmgr.certificate");
  const browser = await browserOf(
    app,
    granted([
      { types: others, actions: ["view"] },
      { types: ["certmgr.certificate"], actions: ["view"], constraints: { tenant__slug: "dingo" } },
    ], { username: "ranger" }),
  );
  const one = { names: ["dingo.example"], count: "1" };
  assert.deepEqual(await listed(browser, `/tags/${tag}/`), one);
  assert.deepEqual(await listed(browser, `/devices/${device}/`), one);
});

Deno.test("links to related lists say how many objects the user may view, and lists that they may not view have none", async () => {
  await using app = await testApp();
  const { tenant } = await tagged(app);
  await callJson(await app.as("superuser"), "/api/dcim/devices/", "POST", { name: "kata-tjuta", tenant });
  const chief = await browserOf(app);
  assert.match((await chief.get(`/tenants/${tenant}/`)).html, /Devices<\/a><span class="count"> 1</);
  const reader = await browserOf(app, granted([{ types: ["tenancy.tenant"], actions: ["view"] }]));
  assert.doesNotMatch((await reader.get(`/tenants/${tenant}/`)).html, /\/devices\/\?tenant_id/);
});

Deno.test("a page shows fields with a value, and names the others in one line", async () => {
  await using app = await testApp();
  const { device } = await tagged(app);
  const { html } = await (await browserOf(app)).get(`/devices/${device}/`);
  assert.match(html, /Not set: [^<]*Platform/);
  assert.doesNotMatch(html, /<dt[^>]*>Platform</);
  assert.match(html, /<dt[^>]*>Status</);
});

Deno.test("the page of a user says that they have never signed in", async () => {
  await using app = await testApp();
  const { id } = await callJson(await app.as("superuser"), "/api/users/users/", "POST", {
    username: "never-here",
    password: "a long enough password",
  });
  const text = textOf((await (await browserOf(app)).get(`/users/${id}/`)).html);
  assert.match(text, /Last sign-in never/);
  assert.doesNotMatch(text, /Not set: [^.]*Last sign-in/);
});

Deno.test("a long host in a list has places to break at after its dots", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const host = "a-quite-long-name.staging.internal.example";
  assert.equal((await browser.post("/endpoints/import/", { names: host, confirm: "1" })).status, 303);
  const { html } = await browser.get("/endpoints/?q=quite-long");
  const [, name = ""] = /<a href="\/endpoints\/\d+\/"[^>]*>(.*?)<\/a>/s.exec(html) ?? [];
  assert.equal(
    name.replace(/<\/?(?:bdi|span)[^>]*>/g, ""),
    "a-quite-long-name.<wbr>staging.<wbr>internal.<wbr>example<wbr>:443",
  );
});

Deno.test("the page of a tenant lists its contacts by priority, and offers to assign one to users who may", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const tenant =
    (await callJson(client, "/api/tenancy/tenants/", "POST", { name: "Quoll", slug: "quoll" })).id;
  const path = `/tenants/${tenant}/`;
  const section = async (browser: Browser): Promise<string> => {
    const { html } = await browser.get(path);
    return /<section aria-labelledby="contacts">.*?<\/section>/s.exec(html)?.[0] ?? "";
  };
  const browser = await browserOf(app);
  assert.match(textOf(await section(browser)), /No contact is assigned to this tenant\./);
  const assigned = { object_type: "tenancy.tenant", object_id: tenant };
  await callJson(client, "/api/tenancy/contact-assignments/", "POST", [
    { ...assigned, contact: { name: "Nobody" }, priority: "inactive" },
    { ...assigned, contact: { name: "Network team" }, role: { slug: "technical" } },
    { ...assigned, contact: { name: "Web team" }, role: { slug: "owner" }, priority: "primary" },
  ]);
  const html = await section(browser);
  assert.match(
    textOf(html),
    /Web team ?Owner ?Primary ?Open ?Network team ?Technical ?Open ?Nobody ?Inactive ?Open/,
  );
  const link = `/contact-assignments/new/?object_type=tenancy.tenant&amp;object_id=${tenant}`;
  assert.ok(html.includes(`href="${link}"`));
  assert.match((await browser.get(link.replace("&amp;", "&"))).html, /Quoll/);
  const viewer = granted([{
    types: ["tenancy.tenant", "tenancy.contact", "tenancy.contactassignment"],
    actions: ["view"],
  }]);
  assert.doesNotMatch(await section(await browserOf(app, viewer)), /Assign contact/);
  const outsider = granted([{ types: ["tenancy.tenant"], actions: ["view"] }], { username: "outsider" });
  assert.equal(await section(await browserOf(app, outsider)), "");
});
