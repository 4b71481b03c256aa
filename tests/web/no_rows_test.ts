/** Lists without rows say what was searched and filtered. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testApp } from "../support/app.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const CASES: readonly (readonly [path: string, text: RegExp])[] = [
  ["/certificates/?q=nothing+such", /No certificates match "nothing such"\. .*Show all certificates/],
  ["/certificates/?tag=none", /No certificates match these filters\. .*Remove all filters/],
  ["/tenants/?q=nothing+such", /No tenants match "nothing such"\. Show all tenants/],
  ["/devices/?q=nothing+such&status=active", /No devices match "nothing such" and these filters\./],
  ["/tenants/?slug=none", /No tenants match these filters\./],
  ["/certificates/?offset=500", /No entries on this page\. Go to the first page/],
  ["/devices/?offset=500", /No entries on this page\. Go to the first page/],
];

Deno.test("a list without rows quotes the text that was searched, and mentions other filters", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const [path, text] of CASES) {
    assert.match(textOf((await browser.get(path)).html), text, path);
  }
});

for (
  const [path, change, text] of [
    [
      "/certificates/",
      sql`UPDATE certificates SET status = 'replaced'`,
      /Search replaced and revoked ones too/,
    ],
    [
      "/certificates/?columns=owner",
      sql`UPDATE certificates SET status = 'replaced'`,
      /Search replaced and revoked ones too/,
    ],
    ["/certificates/", sql`DELETE FROM certificates`, /No certificates yet\. Import them from files/],
  ] as const
) {
  Deno.test(`${path} is called empty only if there are no objects: ${text}`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    await app.database.write((tx) => tx.run(change));
    assert.match(textOf((await browser.get(path)).html), text);
  });
}
