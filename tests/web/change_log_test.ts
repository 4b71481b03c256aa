/** The change log: groups of the changes of a request, and names of objects without one. */

import assert from "node:assert/strict";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { browserOf } from "./imports/browser.ts";

/** Names have tags where they may be truncated or broken. */
const withoutTags = (html: string): string =>
  html.replace(/^.*<main/s, "").replaceAll(/<\/?(?:span|bdi)[^>]*>|<wbr>/g, "");

Deno.test("the change log groups the changes of one request under a heading, and shows the first three of many", async () => {
  await using app = await testApp();
  const ids = await storeCertificates(app, [metadata(1), metadata(2), metadata(3)]);
  const browser = await browserOf(app);
  const change = (status: string, some: readonly number[]): Promise<unknown> =>
    browser.post("/certificates/bulk/", { action: "status", status, ids: some.map(String) });
  await change("replaced", ids);
  await change("active", ids.slice(0, 1));
  const { html } = await browser.get("/changes/?action=update&limit=4");
  const heads = [...html.matchAll(/<tr class="group">.*?<\/tr>/gs)].map(([head]) => head);
  assert.equal(heads.length, 1, html);
  assert.match(heads[0] as string, /<strong>3 changes at once: 3 certificates</);
  assert.match(heads[0] as string, /<a href="[^"]*request_id__ie=[^"]*"><strong>3 changes/);
  assert.doesNotMatch(html, /<tr class="others">/);
  const link = /href="([^"]*request_id[^"]*)"/.exec(heads[0] as string)?.[1] ?? "";
  const { html: own } = await browser.get(link.replaceAll("&amp;", "&"));
  assert.equal([...own.matchAll(/<td class="first">/g)].length, 3);
  const five = [...ids, ...await storeCertificates(app, [metadata(4), metadata(5)])];
  await change("pending", five);
  const rowsOf = (page: string): string[] =>
    [...page.matchAll(/<tr class="(group|others)">|<td class="(first)">/g)].map(([, a, b]) => a ?? b ?? "");
  const { html: folded } = await browser.get("/changes/?action=update&limit=6&ordering=-id");
  assert.deepEqual(rowsOf(folded), ["group", "first", "first", "first", "others", "first", "first", "first"]);
  assert.match(folded, /Show 2 more changes<.*Hide 2 more changes</s);
  const { html: only } = await browser.get("/changes/?action=update&limit=5&ordering=-id");
  assert.doesNotMatch(only, /<tr class="others">/, "the only group of a page shows all rows");
  await change("active", five.slice(0, 4));
  const { html: four } = await browser.get("/changes/?action=update&limit=5&ordering=-id");
  assert.doesNotMatch(four, /<tr class="others">/, "a line does not take the place of a single row");
});

Deno.test("a change of an assignment has the names of its objects, as far as the user may view them", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const input = {
    certificate: seed.certificates.acmeWeb,
    assigned_object_type: "virtualization.virtualmachine",
    assigned_object_id: 1,
  };
  const { id } = await (await client(PATHS.assignments, { method: "POST", body: input })).json();
  await client(`${PATHS.assignments}${id}/`, {
    method: "PUT",
    body: { ...input, assigned_object_type: "dcim.device", assigned_object_id: seed.devices.spare },
  });
  const browser = await browserOf(app);
  const device = "edge-2";
  const list = withoutTags(
    (await browser.get("/changes/?changed_object_type=certmgr.certificateassignment")).html,
  );
  assert(list.includes(`>${device} · www.acme.example</a>`), list);
  const cells = /<div class="changed">.*?<\/td>/.exec(list)?.[0] ?? "";
  assert.match(
    cells,
    /Assigned to: virtual machine <a href="\/virtual-machines\/1\/".*→ device <a href="\/devices\/2\/"/,
  );
  assert.doesNotMatch(list, />(?:device|virtual machine) \d</);
  const path = /href="(\/changes\/\d+\/)"/.exec(list)?.[1] as string;
  const page = withoutTags((await browser.get(path)).html);
  assert(page.includes(`www.acme.example on ${device} was updated`), page);
  assert.doesNotMatch(page, /Assigned object type|virtualization\.virtualmachine/);
  const few = granted([
    { types: ["core.objectchange", "certmgr.certificateassignment", "dcim.device"], actions: ["view"] },
  ]);
  const hidden = withoutTags((await (await browserOf(app, few)).get(path)).html);
  assert(hidden.includes(`a certificate on ${device} was updated`), hidden);
  assert.doesNotMatch(hidden, /www\.acme\.example/);
});

Deno.test("the line under a changed object names the user and the first change, for phones", async () => {
  await using app = await testApp();
  const [id] = await storeCertificates(app, [metadata(1)]);
  const browser = await browserOf(app);
  await browser.post("/certificates/bulk/", { action: "status", status: "pending", ids: String(id) });
  const { html } = await browser.get("/changes/?action=update&limit=1&ordering=-id");
  const [, line = ""] = /<div class="narrow">(.*?)<\/td>/s.exec(html) ?? [];
  assert.match(line.replaceAll(/<[^>]*>/g, ""), /\w+: Status → pending/);
});

Deno.test("in a group, certificates of one name have their expiry, and only the heading has user and time", async () => {
  await using app = await testApp();
  const ids = await storeCertificates(app, [
    metadata(1, { common_name: "twin.example" }),
    metadata(2, { common_name: "twin.example", valid_to: "2027-02-23T00:00:00Z" }),
  ]);
  const browser = await browserOf(app);
  await browser.post("/certificates/bulk/", { action: "status", status: "pending", ids: ids.map(String) });
  const { html } = await browser.get("/changes/?action=update&limit=2&ordering=-id");
  const [, head = "", rows = ""] = /<tr class="group">(.*?)<\/tr>(.*?)<\/tbody>/s.exec(html) ?? [];
  assert.match(head, /<bdi>\w+<\/bdi>, <time/);
  assert.match(rows, /expires 2027-02-23/);
  assert.equal(
    rows.match(/<span class="whole faint">expires /g)?.length,
    4,
    "two rows, each also for phones",
  );
  assert.doesNotMatch(rows, /<time/);
  const { html: single } = await browser.get("/changes/?action=update&limit=1");
  assert.match(single, /<td[^>]*><time/);
  assert.doesNotMatch(single, /expires 20/);
});
