/** The global search, by keyboard. */

import assert from "node:assert/strict";
import { CHIEF } from "./support/site.ts";
import { walk } from "./support/walk.ts";

walk(
  "Ctrl-K opens the search on every page; arrows and Enter open what it finds",
  { as: CHIEF },
  async ({ page, go }) => {
    for (const path of ["/", "/tenants/", "/profile/"]) {
      await go(path);
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("searchbox").waitFor();
      await page.keyboard.type("x");
      await page.keyboard.press("Escape");
      assert.equal(await page.getByRole("dialog").count(), 0);
    }
    // Right after Escape, before the next frame.
    await page.keyboard.press("/");
    await page.locator("dialog li").first().waitFor();
    await page.keyboard.type("webh");
    // Enter waits for the results of the typed text, and opens the first one.
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("webh");
    // The arrow waits for the results, and Enter for the arrow.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Webhook deliveries" }).waitFor();
  },
);

walk("the palette opens the form of a new object", { as: CHIEF }, async ({ page, go }) => {
  await go("/certificates/");
  await page.keyboard.press("Control+k");
  await page.locator("dialog li").first().waitFor();
  await page.keyboard.type("new tenant");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "New tenant" }).waitFor();
});

walk(
  "after going back, the list shows how many rows are still selected",
  { as: CHIEF },
  async ({ page, go }) => {
    await go("/certificates/");
    for (const index of [0, 2]) await page.locator("main tbody input").nth(index).check();
    await page.locator(".selection > strong", { hasText: "2 selected" }).waitFor();
    await page.locator("main tbody a.object[href^='/certificates/']").nth(1).click();
    await page.waitForURL(/\/certificates\/\d+\/$/);
    await page.goBack();
    await page.locator(".selection > strong", { hasText: "2 selected" }).waitFor();
    assert.equal(await page.locator("main tbody input:checked").count(), 2);
  },
);

walk(
  "without scripts the search in the header leads to the page of results",
  { as: CHIEF, scripts: false },
  async ({ page, go }) => {
    await go("/");
    await page.getByRole("searchbox", { name: "Search everything" }).fill("example");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Search" }).waitFor();
    assert(await page.locator("section.found a").count() > 0);
  },
);

walk("j, k and x move and select in a list", { as: CHIEF }, async ({ page, go }) => {
  await go("/certificates/");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("x");
  assert.equal(await page.locator("main tbody tr").first().getByRole("checkbox").isChecked(), true);
  await page.locator(".selection > strong", { hasText: "1 selected" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/certificates\/\d+\/$/);
});

walk(
  "the menu marks the current place, also the last one",
  { as: CHIEF, viewport: { width: 1280, height: 600 } },
  async ({ page, go }) => {
    await go("/permissions/");
    const box = await page.getByRole("navigation", { name: "Main" }).locator("[aria-current]").boundingBox();
    assert.ok(box!.y > 0 && box!.y + box!.height < 600, `The entry is at ${box!.y}`);
    assert.equal(await page.evaluate(() => scrollY), 0);
  },
);
