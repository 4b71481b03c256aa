/** Pages of objects that refer to one of several types: the object is shown with its type in words, never as an id. */

import assert from "node:assert/strict";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { browserOf } from "./imports/browser.ts";

const PAGES = ["/services/1/", "/assignments/1/", "/contact-assignments/1/"];

for (const path of PAGES) {
  Deno.test(`${path} names its object and the type in words`, async () => {
    await using app = await testApp();
    const { status, html } = await (await browserOf(app)).get(path);
    assert.equal(status, 200);
    const [, facts = ""] = /<dl class="facts">(.*?)<\/dl>/s.exec(html) ?? [];
    assert.doesNotMatch(
      facts,
      /\b(?:dcim|tenancy|virtualization|ipam|certmgr)\.[a-z]+\b|object type|object ID/i,
    );
    assert.match(facts, /<span class="faint">(?:device|virtual machine|service|tenant|certificate)</);
  });
}

Deno.test("An object that the user may not view is named by its type only", async () => {
  await using app = await testApp();
  const actor = granted([{
    types: ["certmgr.certificateassignment", "certmgr.certificate"],
    actions: ["view"],
  }]);
  const { html } = await (await browserOf(app, actor)).get("/assignments/1/");
  assert.match(html, /A (?:device|virtual machine|service) that you may not view/);
});

Deno.test("The list of assignments has a column for the certificate and one for its object", async () => {
  await using app = await testApp();
  const { html } = await (await browserOf(app)).get("/assignments/");
  const [, head = ""] = /<thead>(.*?)<\/thead>/s.exec(html) ?? [];
  const labels = head.replaceAll(/<[^>]*>/g, " ");
  assert.match(labels, /Certificate.*Installed on.*Main/s);
});

Deno.test("A service is called by its host and port", async () => {
  await using app = await testApp();
  const [{ id }] = await make(app, PATHS.services, [{
    name: "https shop.acme.example",
    ports: [443],
    device: { id: seed.devices.edge },
  }]);
  const { html } = await (await browserOf(app, { username: "reader", superuser: true, grants: [] })).get(
    `/services/${id}/`,
  );
  const [, title = ""] = /<h1>(.*?)<\/h1>/s.exec(html) ?? [];
  assert.equal(title.replaceAll(/<[^>]*>/g, ""), "shop.acme.example:443");
});
