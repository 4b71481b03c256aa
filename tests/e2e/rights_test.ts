/** Users see what they may view, and are offered what they may do. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { resources } from "../../src/domain/registry.ts";
import { listPath } from "../../src/web/paths.ts";
import { routes } from "../../src/web/routes.ts";
import { auditor, managerOf, readerOf, stranger } from "../support/actors.ts";
import { seed } from "../support/seed.ts";
import { CHIEF, type Site } from "./support/site.ts";
import { visit, walk } from "./support/walk.ts";

const HIDDEN = `/certificates/${seed.certificates.globexWeb}/`;
const OWN = `/certificates/${seed.certificates.acmeCritical}/`;
/** Labels of buttons and links that change something. */
const CHANGES = /^(new|create|edit|delete|add|import|renew|assign|set status|validate|check|save|revoke)\b/i;

/** Every user may have these, so the pages offer them to all. */
const OWN_LISTS = ["/calendar-feeds/", "/saved-views/", "/subscriptions/"];

/** Returns the changes that a page offers, outside the layout that all pages share. */
async function offersOf(page: Page): Promise<string[]> {
  const texts = await page.locator("main").locator("button:visible, a[role=button]:visible").allInnerTexts();
  return texts.map((text) => text.trim()).filter((text) => CHANGES.test(text));
}

/** Lists that have pages. */
const LISTS = resources.map(listPath).filter((path) => routes.some((route) => route.path === path));

async function changesIn({ service: { database } }: Site): Promise<number> {
  const [row] = await database.all<{ count: number }>(sql`SELECT count(*) AS count FROM object_changes`);
  return row?.count as number;
}

walk(
  "a user who may only view is offered no change on any list or object",
  { as: auditor() },
  async ({ page, go, site }) => {
    assert.ok(LISTS.length > 10);
    for (const path of LISTS.filter((path) => !OWN_LISTS.includes(path))) {
      assert.equal(await go(path), 200, path);
      assert.deepEqual(await offersOf(page), [], path);
      const first = page.locator("main td a.object").first();
      if (await first.count() === 0) continue;
      await first.click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      assert.deepEqual(await offersOf(page), [], page.url());
    }
    // The same pages do offer changes to others, which shows that the labels above are current.
    await visit(site, { as: CHIEF }, async (chief) => {
      await chief.go(OWN);
      assert.ok((await offersOf(chief.page)).length >= 2);
    });
  },
);

walk(
  "a caller who may only view is refused, and nothing changes",
  { as: auditor() },
  async ({ page, go, site }) => {
    const before = await changesIn(site);
    assert.equal(await go("/tenants/new/"), 403);
    const csrf = await page.locator('input[name="csrf"]').first().inputValue();
    for (
      const path of ["/tenants/new/", `/tenants/${seed.tenants.acme}/edit/`, "/certificates/add/store/"]
    ) {
      const answer = await page.request.post(path, { form: { csrf, name: "Mine", slug: "mine" } });
      assert.ok([400, 403].includes(answer.status()), `${path}: ${answer.status()}`);
    }
    await page.request.post(`/tenants/${seed.tenants.idle}/delete/`, { form: { csrf } });
    assert.equal(await changesIn(site), before);
  },
);

walk(
  "another tenant's certificate looks like a missing one",
  { as: readerOf("acme") },
  async ({ page, go }) => {
    await go("/certificates/");
    const names = await page.locator("main td a.object").allInnerTexts();
    assert.ok(names.length > 0);
    assert.deepEqual(names.filter((name) => name.includes("globex")), []);
    await page.getByRole("searchbox", { name: "Search everything" }).fill("globex");
    await page.keyboard.press("Enter");
    await page.getByText(/Nothing matches/).first().waitFor();

    const looks: string[] = [];
    for (const path of [HIDDEN, "/certificates/987654/"]) {
      assert.equal(await go(path), 404);
      looks.push((await page.locator("main").innerText()).replaceAll(/\d{4,}/g, ""));
    }
    assert.equal(looks[0], looks[1]);
    assert.equal(await go(OWN), 200);
  },
);

walk(
  "a manager of one tenant changes its certificates and no others",
  { as: managerOf("acme") },
  async ({ page, go, site }) => {
    await go(`${OWN}edit/`);
    await page.getByLabel("Private key location").fill("in the safe");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("in the safe").first().waitFor();
    const before = await changesIn(site);
    assert.equal(await go(`${HIDDEN}edit/`), 404);
    await go("/");
    assert.ok(!(await page.content()).includes("globex"), "The dashboard names another tenant");
    assert.equal(await changesIn(site), before);
  },
);

walk(
  "a user without permissions sees an explanation and nothing else",
  { as: stranger() },
  async ({ page, go }) => {
    for (const path of LISTS) {
      const status = await go(path);
      // Users may view their own account and feeds.
      assert.equal(status, ["/users/", ...OWN_LISTS].includes(path) ? 200 : 403, path);
    }
    assert.equal(await go("/profile/"), 200);
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Profile");
  },
);
