/** Lists by keyboard alone: from the top of the page to a row, from row to row, selecting, opening, and the help. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { seed } from "../support/seed.ts";
import { CHIEF } from "./support/site.ts";
import { walk } from "./support/walk.ts";

const LISTS = [
  "/certificates/",
  "/tenants/",
  "/devices/",
  "/tags/",
  "/contacts/",
  "/authorities/",
];
/** Of these, only the way to the first row is tried. */
const OTHER_LISTS = ["/endpoints/", "/assignments/", "/policies/", "/services/"];
/** Maximum number of keys, Tab and Enter, from the top of a page to its first row. */
const MAX_STOPS = 6;

/** Returns the index of the row with the focus; -1 outside of rows. */
function focusedRow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const rows = [...document.querySelectorAll("main tbody tr:not(.group)")];
    return rows.findIndex((row) => row.contains(document.activeElement));
  });
}

async function pressesToFirstRow(page: Page): Promise<number> {
  for (let presses = 1; presses <= MAX_STOPS; presses++) {
    // The first skip link is enough.
    const skips = await page.evaluate(() => document.activeElement?.classList.contains("skip"));
    await page.keyboard.press(skips ? "Enter" : "Tab");
    if (await focusedRow(page) === 0) return presses;
  }
  return Infinity;
}

walk(
  "each list is used by keyboard alone: a few keys reach its first row, j and k move, x selects, Enter opens",
  {
    as: CHIEF,
  },
  async ({ page, go }) => {
    for (const list of OTHER_LISTS) {
      await go(list);
      assert((await pressesToFirstRow(page)) <= MAX_STOPS, list);
    }
    for (const list of LISTS) {
      await go(list);
      assert((await pressesToFirstRow(page)) <= MAX_STOPS, list);
      // j begins at the row with the focus.
      await page.keyboard.press("j");
      assert.equal(await focusedRow(page), 1, list);
      await page.keyboard.press("k");
      assert.equal(await focusedRow(page), 0, list);
      await page.keyboard.press("j");
      await page.keyboard.press("x");
      assert.equal(
        await page.textContent("[data-selected-text]"),
        "1 selected",
        list,
      );
      assert.equal(await focusedRow(page), 1, "the focus stays in its row");
      const opened = await page.getAttribute(
        "main tbody tr:nth-child(2) a.object",
        "href",
      );
      // Both from the link and from the checkbox before it.
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname === opened);
    }
  },
);

walk("g and a letter go to a place, f filters, e edits, r renews, and typed text does none of it", {
  as: CHIEF,
}, async ({ page, go }) => {
  await go("/");
  for (const [letter, path] of [["e", "/endpoints/"], ["a", "/authorities/"], ["c", "/certificates/"]]) {
    await page.keyboard.press("g");
    await page.keyboard.press(letter as string);
    await page.waitForURL((url) => url.pathname === path);
  }
  await page.keyboard.press("f");
  await page.locator(".filter-box[open] select:focus").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  assert.equal(new URL(page.url()).pathname, "/certificates/");
  const path = `/certificates/${seed.certificates.acmeCritical}/`;
  for (const [key, end] of [["e", "edit/"], ["r", "renew/"]] as const) {
    await go(path);
    await page.keyboard.press(key);
    await page.waitForURL((url) => url.pathname === `${path}${end}`);
  }
});

walk("keys without Ctrl are switched off on the profile", { as: CHIEF }, async ({ page, go }) => {
  const path = `/certificates/${seed.certificates.acmeCritical}/`;
  const pressed = async (): Promise<string> => {
    await go(path);
    await page.keyboard.press("e");
    await page.waitForTimeout(300);
    return new URL(page.url()).pathname;
  };
  const box = page.getByLabel(/^Keys without Ctrl/);
  await go("/profile/");
  await box.uncheck();
  assert.equal(await pressed(), path);
  await page.keyboard.press("/");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("searchbox").waitFor();
  await go("/profile/");
  assert.equal(await box.isChecked(), false);
  await box.check();
  assert.equal(await pressed(), `${path}edit/`);
});

walk("Shift and a click select or clear the rows from the one clicked last, and the bar counts them", {
  as: CHIEF,
}, async ({ page, go }) => {
  await go("/certificates/?show=all");
  const boxes = page.locator('main tbody input[type="checkbox"]');
  const ticked = (): Promise<number> => page.locator('main tbody input[type="checkbox"]:checked').count();
  const click = async (row: number, ...modifiers: "Shift"[]): Promise<void> => {
    await boxes.nth(row).click({ modifiers });
    const count = await ticked();
    assert.equal(await page.textContent("[data-selected-text]"), `${count} selected`);
    assert.equal(await page.locator("[data-selection][data-open]").count(), count > 0 ? 1 : 0);
  };
  assert((await boxes.count()) >= 5);
  // Without a row before it, only the clicked one.
  await click(4, "Shift");
  assert.equal(await ticked(), 1);
  await click(1, "Shift");
  assert.equal(await ticked(), 4);
  assert.equal(await boxes.nth(0).isChecked(), false);
  await click(3, "Shift");
  assert.deepEqual([await boxes.nth(1).isChecked(), await boxes.nth(4).isChecked()], [false, true]);
  assert.equal(await ticked(), 1);
  await click(0);
  assert.equal(await ticked(), 2);
  assert.equal(await page.evaluate(() => getSelection()?.toString()), "", "no text is selected");
});

walk("Escape and a click outside close the panel of the filters and the menus of a list", {
  as: CHIEF,
}, async ({ page, go }) => {
  await go("/certificates/");
  const open = page.locator(".list-bar details[open]");
  const boxes = page.locator(".list-bar :is(.filter-box, .menu) > summary:visible");
  const count = await boxes.count();
  assert(count >= 3);
  for (let index = 0; index < count; index++) {
    const box = boxes.nth(index);
    await box.click();
    assert.equal(await open.count(), 1);
    await page.keyboard.press("Escape");
    assert.equal(await open.count(), 0);
    assert(await box.evaluate((element) => element === document.activeElement), "the focus is on the button");
    await box.click();
    await page.locator("h1").click();
    assert.equal(await open.count(), 0);
  }
  await boxes.first().click();
  await page.locator(".filter-panel input:visible, .filter-panel select:visible").first().focus();
  await page.locator(".filter-panel legend:visible").first().click();
  assert.equal(await open.count(), 1, "a click inside does not close it");
});

walk("after an action on rows the focus is on its message, on the same list", {
  as: CHIEF,
}, async ({ page, go }) => {
  await go("/tags/?ordering=-name");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Delete…" }).press("Enter");
  await page.getByRole("button", { name: /^Delete/ }).press("Enter");
  await page.waitForURL((url) => url.pathname === "/tags/" && url.search === "?ordering=-name");
  const focused = await page.evaluate(() => document.activeElement?.className);
  assert.match(focused ?? "", /flash/);
  // A sorted column is marked as sorted, and each table has a caption.
  assert.equal(
    await page.getAttribute("main th[aria-sort]", "aria-sort"),
    "descending",
  );
  assert.equal(await page.textContent("main table > caption"), "Tags");
});
