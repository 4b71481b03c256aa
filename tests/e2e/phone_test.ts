/** On a phone, tables fit the screen. Breadcrumbs end with the parent page, on any screen. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { WIDTHS } from "./support/shots.ts";
import { CHIEF } from "./support/site.ts";
import { walk } from "./support/walk.ts";

const AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0";

walk("on a phone the tokens and sessions of a profile are visible without horizontal scrolling", {
  as: CHIEF,
  viewport: { width: WIDTHS.phone, height: 844 },
}, async ({ page, site, go }) => {
  const address = "2001:db8:85a3:8d3:1319:8a2e:370:7348";
  await site.service.database.write(async (tx) => {
    await tx.run(sql`UPDATE sessions SET user_agent = ${AGENT}, address = ${address}`);
    await tx.run(sql`UPDATE tokens SET description = 'nightly report of the data centre'
      WHERE user_id = (SELECT id FROM users WHERE username = ${CHIEF.username})`);
  });
  await go("/profile/");
  for (const name of ["API tokens", "Sessions"]) {
    const table = page.locator(`.table[aria-label="${name}"]`);
    const [content, seen] = await table.evaluate((one) => [one.scrollWidth, one.clientWidth] as const);
    assert.ok(content <= seen, `${name}: ${content} px in ${seen} px`);
  }
  for (const text of ["nightly report of the data centre", address]) {
    assert.equal(await page.getByText(text).filter({ visible: true }).count(), 1, text);
  }
});

walk("breadcrumbs have separators between them, and none after the last", {
  as: CHIEF,
}, async ({ page, go }) => {
  await go("/certificates/1/edit/");
  const separators = await page.locator(".crumbs li").evaluateAll((items) =>
    items.map((item) =>
      ["::before", "::after"].map((part) => getComputedStyle(item, part).content.includes("/"))
    )
  );
  assert.deepEqual(separators, [[false, false], [true, false]]);
});
