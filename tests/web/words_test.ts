/** Words and values of pages: one noun for each type, colors of tags, what a phone shows of checks. */

import assert from "node:assert/strict";
import { testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { browserOf } from "./imports/browser.ts";

const TITLES = [
  ["/csrs/new/", "New signing request"],
  ["/authorities/new/", "New authority"],
  ["/policies/new/", "New policy"],
] as const;
for (const [path, title] of TITLES) {
  Deno.test(`${path} has the title "${title}", as the list has`, async () => {
    await using app = await testApp();
    const { html } = await (await browserOf(app)).get(path);
    assert.match(html, new RegExp(`<h1>${title}</h1>`));
  });
}

Deno.test("A tag shows its color as a square, in lists of tags and where it is used", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const path of ["/tags/", `/certificates/${seed.certificates.acmeWeb}/`]) {
    assert.match(
      (await browser.get(path)).html,
      /<rect width="10" height="10" rx="2" fill="#[0-9a-f]{6}"/,
      path,
    );
  }
});

Deno.test("A narrow list of checks has the severity and the policy under the certificate", async () => {
  await using app = await testApp();
  const { html } = await (await browserOf(app)).get("/checks/?result=fail");
  const [, under = ""] = /<div class="narrow">(.*?)<\/td>/s.exec(html) ?? [];
  assert.match(under, /critical.*Long keys/s);
});

Deno.test("The line under a name has only parts with content", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  let parts = 0;
  for (
    const path of [
      "/certificates/?show=all",
      "/devices/",
      "/services/",
      "/tenants/",
      "/endpoints/",
      "/checks/",
    ]
  ) {
    const { html } = await browser.get(path);
    for (const [, line = ""] of html.matchAll(/<div class="narrow">(.*?)<\/div>/gs)) {
      for (const part of line.split(/(?<=^|<\/span>)<span(?: class="folded")?>/).slice(1)) {
        assert.match(part.replace(/<[^>]*>/g, ""), /\S/, `${path}: ${line}`);
        parts++;
      }
    }
  }
  assert.ok(parts > 0);
});
