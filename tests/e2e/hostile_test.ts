/** Names with markup, quotes, marks of direction or extreme length are shown as text on every page. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { listPath } from "../../src/web/paths.ts";
import { closeBrowser } from "./support/chromium.ts";
import { ENDLESS, fillHostile, MARKUP } from "./support/hostile_inventory.ts";
import { shots, WIDTHS } from "./support/shots.ts";
import { CHIEF, openSite } from "./support/site.ts";
import { horizontalOverflow, visit, type Walk } from "./support/walk.ts";
import { pagesUnderTest } from "./pages.ts";

/** Bytes of a page that shows every text of an object, escaped: three of 64 KB, each a few times. */
const MAX_BYTES = 2_000_000;

/** A list has the first 150 characters of a name; the imported one has its marks of direction escaped. */
const SHOWN_NAMES = [
  MARKUP,
  `${ENDLESS.slice(0, 150)}…`,
  MARKUP.replace("\u202e", "\\u{202E}").replace("\u2067", "\\u{2067}"),
];

Deno.test({
  name: "hostile texts are only text on every page",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t): Promise<void> {
    await using site = await openSite();
    const hostile = await fillHostile(site);
    const viewport = { width: WIDTHS.phone, height: 844 };
    // A new window takes longer than a new page.
    await visit(site, { as: CHIEF, viewport }, async (window) => {
      window.page.on("dialog", (dialog) => assert.fail(`A dialog has opened: ${dialog.message()}`));
      // Pages without an id show both kinds of objects.
      const seen = new Set<string>();
      for (const kind of ["markup", "endless"] as const) {
        const ids = new Map(
          resources.map((one) => [listPath(one), hostile[kind].get(one.objectType) ?? 1]),
        );
        for (const { name, path, status } of await pagesUnderTest(site, ids)) {
          if (status !== undefined || seen.has(path)) continue;
          seen.add(path);
          await t.step(`${name} (${kind})`, () => look(window, { name: `hostile-${kind}-${name}`, path }));
        }
      }
    });
    await closeBrowser();
  },
});

async function look(
  { page, go, assertFaultless }: Walk,
  { name, path }: { name: string; path: string },
): Promise<void> {
  assert.equal(await go(path), 200);
  const found = await page.evaluate(() => ({
    evil: (globalThis as { evil?: number }).evil,
    elements: document.querySelectorAll("[data-evil]").length,
    scripts: [...document.scripts].filter((script) => script.src === "").length,
    bytes: document.documentElement.outerHTML.length,
  }));
  assert.deepEqual({ ...found, bytes: 0 }, {
    evil: undefined,
    elements: 0,
    scripts: 0,
    bytes: 0,
  });
  assert.ok(found.bytes < MAX_BYTES, `${found.bytes} characters`);
  assert.deepEqual(await horizontalOverflow(page), []);
  await shots(page, name);
  assertFaultless();
}

Deno.test({
  name: "a list shows hostile names as they were written, and its other cells keep their places",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(): Promise<void> {
    await using site = await openSite();
    await fillHostile(site);
    await visit(site, { as: CHIEF }, async ({ page, go }) => {
      await go(`/certificates/?q=${encodeURIComponent("data-evil")}`);
      const names = page.locator("main td a.object");
      const texts = await names.allInnerTexts();
      assert.deepEqual(texts.toSorted(), SHOWN_NAMES.toSorted());
      // A mark of direction ends with its element, so texts next to the name keep their places.
      const isolated = await names.evaluateAll((links) =>
        links.every((link) => link.querySelector("bdi") !== null)
      );
      assert.ok(isolated, "A name is not in an element of its own direction");
    });
    await closeBrowser();
  },
});
