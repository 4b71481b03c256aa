/** Lists without rows say what was searched and filtered. */

import assert from "node:assert/strict";
import { testApp } from "../support/app.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const CASES: readonly (readonly [path: string, text: RegExp])[] = [
  ["/certificates/?q=nothing+such", /No certificates match "nothing such"\. .*Show all certificates/],
  ["/certificates/?tag=none", /No certificates match these filters\. .*Remove all filters/],
  ["/tenants/?q=nothing+such", /No tenants match "nothing such"\. Show all tenants/],
  ["/devices/?q=nothing+such&status=active", /No devices match "nothing such" and these filters\./],
  ["/tenants/?slug=none", /No tenants match these filters\./],
];

Deno.test("a list without rows quotes the text that was searched, and mentions other filters", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const [path, text] of CASES) {
    assert.match(textOf((await browser.get(path)).html), text, path);
  }
});
