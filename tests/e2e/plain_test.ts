/** The main functions without scripts. */

import assert from "node:assert/strict";
import { TEST_NOW } from "../support/test_ca/mod.ts";
import { formatDate } from "../../src/base/clock.ts";
import { CHIEF } from "./support/site.ts";
import { WIDTHS } from "./support/shots.ts";
import { walk } from "./support/walk.ts";

walk(
  "an object is created, changed, found and deleted without scripts",
  { as: CHIEF, scripts: false },
  async ({ page, go }) => {
    await go("/tenants/");
    await page.getByRole("button", { name: "New tenant" }).click();
    await page.getByLabel("Name").fill("Vandelay");
    await page.getByLabel("Slug").fill("not a slug");
    await page.getByRole("button", { name: "Create tenant" }).click();
    const slug = page.getByLabel("Slug");
    assert.equal(await slug.getAttribute("aria-invalid"), "true");
    assert.equal(await page.getByLabel("Name").inputValue(), "Vandelay");
    await slug.fill("vandelay");
    await page.getByRole("button", { name: "Create tenant" }).click();
    await page.getByRole("status").getByText("Tenant created.").waitFor();

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Description").fill("TPS reports");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Tenant saved.").waitFor();
    assert.match(await page.locator("main").innerText(), /TPS reports/);

    await go("/tenants/?q=vandelay");
    await page.getByRole("link", { name: "Vandelay" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("status").getByText("Tenant deleted.").waitFor();
    assert.equal(await page.getByRole("link", { name: "Vandelay" }).count(), 0);
  },
);

walk("several objects are selected and deleted without scripts, after a confirmation", {
  as: CHIEF,
  scripts: false,
}, async ({ page, go }) => {
  await go("/certificates/");
  const rows = page.locator("main tbody tr");
  const before = await rows.count();
  const names = await page.locator("main tbody a.object[href^='/certificates/']").allInnerTexts();
  for (const index of [0, 1]) await page.getByRole("checkbox", { name: /^Select/ }).nth(index).check();
  await page.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("heading", { name: /^Delete 2 certificates/ }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("status").getByText("2 certificates deleted.").waitFor();
  await page.waitForLoadState("domcontentloaded");
  assert.equal(await rows.count(), before - 2);
  const left = await page.locator("main tbody a.object[href^='/certificates/']").allInnerTexts();
  assert.deepEqual(left, names.slice(2));
});

walk("on a phone the menu opens without scripts", {
  as: CHIEF,
  scripts: false,
  viewport: { width: WIDTHS.phone, height: 844 },
}, async ({ page, go }) => {
  await go("/tenants/");
  const menu = page.getByRole("navigation", { name: "Main" });
  assert.equal(await menu.isVisible(), false);
  await page.getByRole("button", { name: "Menu" }).click();
  await menu.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Tags" }).click();
  await page.waitForURL("**/tags/");
});

walk(
  "times are in UTC without scripts, and in the browser's time zone with scripts",
  { as: CHIEF, scripts: false },
  async ({ page, go }) => {
    await go("/profile/");
    const time = page.locator("time[data-time]").first();
    assert.match(await time.innerText(), new RegExp(`^${formatDate(TEST_NOW)} \\d\\d:\\d\\d UTC$`));
  },
);

walk(
  "a user in Berlin sees local time, with UTC in the title",
  { as: CHIEF },
  async ({ page, go }) => {
    await go("/profile/");
    const time = page.locator("time[data-time]").first();
    // A list shows a relative time if it is less than a week by the clock of the browser.
    const title = /^2026-06-15 14:00 · (.+) · 2026-06-15 12:00:00 UTC$/;
    const [, distance] = title.exec(await time.getAttribute("title") ?? "") ?? [];
    assert([distance, "2026-06-15 14:00"].includes(await time.innerText()), String(distance));
  },
);
