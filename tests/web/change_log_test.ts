/** The change log: names of objects without one. */

import assert from "node:assert/strict";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { browserOf } from "./imports/browser.ts";

/** Names have tags where they may be truncated or broken. */
const withoutTags = (html: string): string =>
  html.replace(/^.*<main/s, "").replaceAll(/<\/?(?:span|bdi)[^>]*>|<wbr>/g, "");

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
