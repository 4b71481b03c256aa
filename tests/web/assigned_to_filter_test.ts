/** The filters of the list of certificates by the device, virtual machine or service that they are assigned on. */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { type Actor, granted } from "../support/actors.ts";
import { type Client, type TestApp, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { type Browser, browserOf, formOf, textOf } from "./imports/browser.ts";

const TARGETS = [
  ["device", "dcim.device", seed.devices.idle],
  ["virtual_machine", "virtualization.virtualmachine", seed.machines.idle],
  ["service", "ipam.service", seed.services.idle],
] as const;

/** Assigns a certificate to an object of each type, and returns their ids in the order of {@link TARGETS}. */
async function assigned(app: TestApp): Promise<readonly number[]> {
  const ids = await storeCertificates(
    app,
    TARGETS.map(([name], index) =>
      metadata(960 + index, { common_name: `${name.replace("_", "-")}.example` })
    ),
  );
  const client = await app.as("superuser");
  for (const [index, [, type, id]] of TARGETS.entries()) {
    await callJson(client, PATHS.assignments, "POST", {
      certificate: ids[index],
      assigned_object_type: type,
      assigned_object_id: id,
    });
  }
  return ids;
}

async function idsOf(app: TestApp, query: string, as?: Client): Promise<number[]> {
  const response = await (as ?? await app.as("superuser"))(
    `${PATHS.certificates}?fields=id&ordering=id&${query}`,
  );
  assert.equal(response.status, 200, query);
  return (await response.json()).results.map(({ id }: { id: number }) => id);
}

Deno.test("device_id, virtual_machine_id and service_id find the certificates of the object, in REST and GraphQL", async () => {
  await using app = await testApp();
  const ids = await assigned(app);
  const client = await app.as("superuser");
  for (const [index, [name, , id]] of TARGETS.entries()) {
    assert.deepEqual(await idsOf(app, `${name}_id=${id}`), [ids[index]]);
    assert.deepEqual(await idsOf(app, `${name}_id=999999`), []);
    const query = `{ certificate_list(filters: { ${name}_id: [${id}] }) { id } }`;
    const { data } = await callJson(client, "/graphql/", "POST", { query });
    assert.deepEqual((data as { certificate_list: unknown }).certificate_list, [{ id: ids[index] }]);
  }
});

Deno.test("hidden objects, assignments and certificates are not found by these filters", async () => {
  await using app = await testApp();
  const [on] = await assigned(app);
  const [[, type, id]] = TARGETS;
  const assignment = (await (await (await app.as("superuser"))(
    `${PATHS.assignments}?certificate_id=${on}`,
  )).json()).results[0].id;
  const without = (hidden: string, constraints: Record<string, unknown>): Actor =>
    granted([
      { types: OBJECT_TYPES.filter((one) => one !== hidden), actions: ["view"] },
      { types: [hidden], actions: ["view"], constraints },
    ], { username: hidden.replace(".", "-") });
  const all = granted([{ types: OBJECT_TYPES, actions: ["view"] }], { username: "reader" });
  assert.deepEqual(await idsOf(app, `device_id=${id}`, await app.as(all)), [on]);
  for (
    const [hidden, one] of [
      [type, id],
      ["certmgr.certificateassignment", assignment],
      ["certmgr.certificate", on],
    ] as const
  ) {
    const actor = await app.as(without(hidden, { id__n: one }));
    assert.deepEqual(await idsOf(app, `device_id=${id}`, actor), [], hidden);
    assert.deepEqual(await idsOf(app, "device=box", actor), [], hidden);
    if (hidden !== "certmgr.certificate") {
      assert((await idsOf(app, "device__empty=true&limit=0", actor)).includes(on as number), hidden);
    }
  }
});

Deno.test("a thousand objects may be given, and a value that is not an id is refused with the name of the filter", async () => {
  await using app = await testApp();
  const [on] = await assigned(app);
  const [[, , id]] = TARGETS;
  const some = (count: number): string =>
    Array.from({ length: count }, (_, index) => `device_id=${index === 0 ? id : 10_000 + index}`).join("&");
  assert.deepEqual(await idsOf(app, some(1_000)), [on]);
  const client = await app.as("superuser");
  for (const query of [some(1_001), "device_id=box", "service_id=-"]) {
    const response = await client(`${PATHS.certificates}?${query}`);
    assert.equal(response.status, 400);
    assert.deepEqual(Object.keys(await response.json()), [query.split("=")[0]]);
  }
});

/** Returns the names in a list, after the redirect to the canonical URL. */
async function names(browser: Browser, query: string): Promise<{ found: string[]; search: string }> {
  const first = await browser.get(`/certificates/?${query}`);
  const path = first.status === 303 ? String(first.location) : `/certificates/?${query}`;
  const { status, html } = first.status === 303 ? await browser.get(path) : first;
  assert.equal(status, 200, path);
  const found = [...html.matchAll(/title="((?:device|virtual-machine|service)\.example)"/g)];
  return { found: found.map(([, name]) => String(name)), search: new URL(path, "http://a").search };
}

Deno.test("the form takes a suggestion, an id or a name, and shows what is chosen", async () => {
  await using app = await testApp();
  await assigned(app);
  const browser = await browserOf(app);
  const [[, , id]] = TARGETS;
  const found = ["device.example"];
  assert.deepEqual(await names(browser, `device_id=box+(%23${id})`), { found, search: `?device_id=${id}` });
  assert.deepEqual(await names(browser, `device_id=${id}`), { found, search: `?device_id=${id}` });
  assert.deepEqual(await names(browser, "device_id=box"), { found, search: "?device=box" });
  assert.deepEqual(await names(browser, "device_id=nothing"), { found: [], search: "?device=nothing" });
  const { html } = await browser.get(`/certificates/?device_id=${id}&device_id=${seed.devices.edge}`);
  const form = formOf(html, /<form method="get"[^>]*class="filter-form">.*?<\/form>/s);
  assert.deepEqual(form["where.field"], ["device_id", "device_id"]);
  assert.deepEqual(form["where.value"], [`box (#${id})`, `edge-1 (#${seed.devices.edge})`]);
  assert.match(textOf(html), /Assigned to device: box/);
  const hidden = await browserOf(
    app,
    granted([
      { types: OBJECT_TYPES.filter((type) => type !== "dcim.device"), actions: ["view"] },
      { types: ["dcim.device"], actions: ["view"], constraints: { id__n: id } },
    ], { username: "ranger" }),
  );
  const seen = await hidden.get(`/certificates/?device_id=${id}`);
  const missing = await hidden.get("/certificates/?device_id=999999");
  const without = (html: string): string => textOf(html).replace(/to device: ID \d+/, "to device: …");
  assert.equal(without(seen.html), without(missing.html));
  assert.doesNotMatch(textOf(seen.html), /\bbox\b/);
});

Deno.test("the page of a device leads to the list of its certificates", async () => {
  await using app = await testApp();
  await assigned(app);
  const browser = await browserOf(app);
  for (const [index, path] of ["devices", "virtual-machines", "services"].entries()) {
    const [name, , id] = TARGETS[index] as typeof TARGETS[number];
    const { html } = await browser.get(`/${path}/${id}/`);
    const [, link = ""] = /<a href="(\/certificates\/\?[^"]*)">View all certificates/.exec(html) ?? [];
    assert.equal(link, `/certificates/?${name}_id=${id}`);
    assert.deepEqual((await names(browser, link.split("?")[1] as string)).found, [
      `${name.replace("_", "-")}.example`,
    ]);
  }
});
