/** References to objects that are too numerous to list: comboboxes by keyboard and mouse, and the search without scripts. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { seed } from "../support/seed.ts";
import { assertAccessible } from "./support/axe.ts";
import { shots } from "./support/shots.ts";
import { CHIEF, type Site } from "./support/site.ts";
import { walk } from "./support/walk.ts";

/** Stores 150 devices, `rack-100` to `rack-249`, and as many tenants: more than a select lists. */
async function fill({ service }: Site): Promise<void> {
  const many = sql`WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 249)`;
  await service.database.write(async (tx) => {
    await tx.run(
      sql`INSERT INTO devices (id, name, created, last_updated) ${many} SELECT i, 'rack-' || i, 0, 0 FROM n`,
    );
    await tx.run(
      sql`INSERT INTO tenants (id, name, slug, created, last_updated)
        ${many} SELECT i, 'Team ' || i, 'team-' || i, 0, 0 FROM n`,
    );
  });
}

const activeOption = (page: Page): Promise<string | null> =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute("aria-activedescendant");
    return document.getElementById(id ?? "")?.textContent ?? null;
  });

walk("a combobox is used by keyboard alone", { as: CHIEF }, async ({ page, go, site }) => {
  await fill(site);
  await go("/assignments/new/");
  await page.getByLabel(/^Certificate/).selectOption({ index: 1 });
  const field = page.getByRole("combobox", { name: "Assigned to" });
  assert.equal(await field.getAttribute("aria-expanded"), "false");
  await field.focus();
  await page.keyboard.type("rack-20");
  const list = page.getByRole("listbox");
  // The status and the options of a text appear together.
  await page.getByRole("status").getByText("10 matches").waitFor();
  assert.deepEqual(await list.getByRole("option").count(), 10);
  assert.equal(await field.getAttribute("aria-expanded"), "true");
  assert.equal(await list.getAttribute("id"), await field.getAttribute("aria-controls"));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await activeOption(page), "rack-201 device");
  assert.equal(await list.getByRole("option", { selected: true }).textContent(), "rack-201 device");
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press("ArrowUp");
  assert.equal(await activeOption(page), "rack-208 device", "beyond the first option is the last one");
  await assertAccessible(page, "an open combobox");
  await shots(page, "combobox");
  await page.keyboard.press("Escape");
  assert.equal(await field.getAttribute("aria-expanded"), "false");
  assert.equal(await field.inputValue(), "rack-20");
  await page.keyboard.press("ArrowDown");
  await list.getByRole("option").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await field.inputValue(), "rack-200 (device #200)");
  assert.equal(await field.getAttribute("aria-activedescendant"), null);
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Assignment created.").waitFor();
  assert.match(await page.locator("h1").innerText(), /on rack-200$/);
});

walk("a combobox is used by mouse, and reports when nothing matches", { as: CHIEF }, async ({
  page,
  go,
  site,
}) => {
  await fill(site);
  await go("/assignments/new/");
  const field = page.getByRole("combobox", { name: "Assigned to" });
  await field.fill("no such rack");
  await page.getByRole("status").getByText("No matches").waitFor();
  await field.fill("");
  await page.getByRole("status").getByText("First 20 matches. Type to narrow.").waitFor();
  await page.getByRole("option", { name: "rack-105 device" }).click();
  assert.equal(await field.inputValue(), "rack-105 (device #105)");
  await page.getByLabel("Notes").focus();
  assert.equal(await page.getByRole("listbox").count(), 0, "the list is closed and hidden");
});

walk(
  "a filter by one of many objects takes a suggestion, and its address has only the id",
  { as: CHIEF },
  async ({
    page,
    go,
    site,
  }) => {
    await fill(site);
    await go("/certificates/");
    await page.locator("summary", { hasText: "Filters" }).first().click();
    await page.getByRole("combobox", { name: "Field 1" }).selectOption("tenant_id");
    const field = page.locator('input[role="combobox"][name="where.value"]');
    await field.fill("team 17");
    await page.getByRole("option", { name: "Team 173" }).click();
    await page.getByRole("button", { name: "Apply filters" }).click();
    await page.waitForURL(/\/certificates\/\?tenant_id=173$/);
    await page.getByRole("link", { name: "Remove filter Tenant: Team 173" }).waitFor();
  },
);

walk("certificates are assigned to one of many devices by keyboard, and the assignment is undone", {
  as: CHIEF,
}, async ({ page, go, site }) => {
  await fill(site);
  await go("/certificates/?q=acme");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.locator(".selection > strong", { hasText: "1 selected" }).waitFor();
  await page.getByRole("button", { name: "Assign…" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Assign \S*acme\S*$/ }).waitFor();
  await page.getByRole("combobox", { name: "Assigned to" }).focus();
  await page.keyboard.type("rack-249");
  await page.getByRole("status").getByText("1 match", { exact: true }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("1 certificate assigned.").waitFor();
  await page.waitForURL(/\/certificates\/\?q=acme$/);
  await shots(page, "assigned");
  await page.getByRole("button", { name: "Undo" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("1 assignment removed again.").waitFor();
  await go("/assignments/?assigned_object_type=dcim.device&q=rack-249");
  assert.equal(await page.getByRole("link", { name: /rack-249/ }).count(), 0);
});

walk("without scripts a reference is searched on the form, which keeps its entries", {
  as: CHIEF,
  scripts: false,
}, async ({ page, go, site }) => {
  await fill(site);
  await go("/assignments/new/");
  await page.getByLabel(/^Certificate/).selectOption(String(seed.certificates.acmeWeb));
  await page.getByLabel("Notes").fill("In the basement");
  await page.getByLabel("Assigned to").fill("no such rack");
  await page.getByRole("button", { name: "Search", exact: true }).last().click();
  await page.getByText('Nothing matches "no such rack".').waitFor();
  await page.getByLabel("Assigned to").fill("rack-11");
  await page.getByRole("button", { name: "Search", exact: true }).last().click();
  await page.getByText('10 matches for "rack-11".').waitFor();
  assert.equal(await page.getByLabel("Notes").inputValue(), "In the basement");
  await page.getByLabel("Assigned to").selectOption({ label: "rack-117 (device)" });
  // Enter in a field saves; it does not search again.
  await page.getByLabel(/^Certificate/).focus();
  await page.getByRole("button", { name: /^Create/ }).click();
  await page.getByRole("status").getByText("Assignment created.").waitFor();
  assert.match(await page.locator("h1").innerText(), /on rack-117$/);
});

walk("without scripts Enter in a field saves the form instead of searching", {
  as: CHIEF,
  scripts: false,
}, async ({ page, go, site }) => {
  await fill(site);
  await go("/devices/new/");
  await page.getByLabel("Name").fill("rack-new");
  await page.getByLabel("Tenant").fill("Team 150");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Device created.").waitFor();
  assert.match(await page.locator("main").innerText(), /Team 150/);
});
