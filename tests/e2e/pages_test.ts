/**
 * Every page, light and dark, from 320 to 1440 pixels: no axe findings, no console errors, no horizontal scrolling, no
 * layout shifts, and no page of more than 100 KB.
 */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { resources } from "../../src/domain/registry.ts";
import { listPath } from "../../src/web/paths.ts";
import { assertAccessible } from "./support/axe.ts";
import { closeBrowser } from "./support/chromium.ts";
import { demoDatabase } from "./support/demo.ts";
import { watchLayoutShift } from "./support/layout_shift.ts";
import { FURTHER_WIDTHS, SCHEMES, shots, WIDTHS } from "./support/shots.ts";
import { CHIEF, openSite } from "./support/site.ts";
import {
  cutTables,
  horizontalOverflow,
  openChartTables,
  overflowingCards,
  visit,
  type Walk,
} from "./support/walk.ts";
import { firstIds, pagesUnderTest, type PageUnderTest } from "./pages.ts";

/**
 * Maximum bytes of a page's HTML, uncompressed and without its styles and scripts; of a list with the usual number of
 * rows.
 */
const MAX_PAGE_BYTES = 100_000;
const USUAL_ROWS = 50;
/** Rows of a list in the browser, because axe needs time for each and finds nothing new in further ones. */
const SHOWN_ROWS = 25;
/** Forms and confirmations: on a tablet the same rules of the style sheet apply as on a wide screen. */
const SAME_ON_TABLET = /\/(new|edit|delete)\/$/;
const HEIGHT = 900;
/** Width of an A4 page between its margins, in pixels. */
const PAPER_WIDTH = 688;
const LISTS: ReadonlySet<string> = new Set(resources.map(listPath));
/** Maximum cumulative layout shift; below 0.1 is good. */
const MAX_LAYOUT_SHIFT = 0.05;

Deno.test({
  name: "every page is light, accessible and fits its screen",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t): Promise<void> {
    await using site = await openSite({
      database: await demoDatabase(),
      settings: { defaultPageSize: SHOWN_ROWS },
    });
    const ids = await firstIds(site.service.database);
    const pages = await pagesUnderTest(site, ids);
    assert.ok(pages.length > 50, `Only ${pages.length} pages`);
    const { before = [], inside = [] } = Object.groupBy(
      pages,
      ({ path }) => path.startsWith("/sign-in/") ? "before" : "inside",
    );
    // A new window takes longer than a new page, so there is one for pages without a session, and one for all others.
    for (const [signedIn, shown] of [[{}, before], [{ as: CHIEF }, inside]] as const) {
      await visit(site, { ...signedIn, viewport: { width: WIDTHS.wide, height: HEIGHT } }, async (window) => {
        const layoutShift = await watchLayoutShift(window.page);
        for (const page of shown) await t.step(page.name, () => look(window, page, layoutShift));
      });
    }
    await closeBrowser();
  },
});

Deno.test({
  name: "on paper the names of the compliance report break only at dots and hyphens, and have no underline",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(): Promise<void> {
    await using site = await openSite({ database: await demoDatabase() });
    await visit(
      site,
      { as: CHIEF, viewport: { width: PAPER_WIDTH, height: HEIGHT } },
      async ({ page, go }) => {
        await page.emulateMedia({ media: "print" });
        await go("/compliance/?print=true");
        const parts = await page.locator(".expiries .table td > a.object").evaluateAll((links) =>
          links.flatMap((link) => {
            const texts = document.createTreeWalker(link, NodeFilter.SHOW_TEXT);
            const range = document.createRange();
            const found: { text: string; lines: number; line: string }[] = [];
            for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
              range.selectNodeContents(text);
              const line = getComputedStyle(link).textDecorationLine;
              found.push({ text: text.textContent ?? "", lines: range.getClientRects().length, line });
            }
            return found;
          })
        );
        assert.ok(parts.length > 10, `${parts.length} parts of names`);
        assert.deepEqual(parts.filter(({ text, lines }) => lines !== 1 && !/[ -]/.test(text)), []);
        assert.deepEqual(parts.filter(({ line }) => line !== "none"), []);
      },
    );
    await closeBrowser();
  },
});

async function look(
  { page, assertFaultless }: Walk,
  { path, name, status = 200 }: PageUnderTest,
  layoutShift: () => Promise<number>,
): Promise<void> {
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize({ width: WIDTHS.wide, height: HEIGHT });
  const response = await page.goto(path);
  assert.equal(response?.status(), status);
  const listed = LISTS.has(path) ? await page.request.get(`${path}?limit=${USUAL_ROWS}`) : response;
  const bytes = (await listed?.body())?.length ?? 0;
  assert.ok(bytes < MAX_PAGE_BYTES, `${bytes} bytes, expected less than ${MAX_PAGE_BYTES}`);
  assert.ok(
    await layoutShift() < MAX_LAYOUT_SHIFT,
    `The page moves: ${await layoutShift()} at ${WIDTHS.wide} px`,
  );
  await shots(page, name);
  // Axe and the widths below include the tables of charts.
  const tables = await openChartTables(page);
  if (path === "/" || path === "/compliance/") assert.ok(tables > 0, "No table of a chart");
  for (const [colorScheme, width] of [[SCHEMES[0], WIDTHS.wide], [SCHEMES[1], WIDTHS.phone]] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: HEIGHT });
    await assertAccessible(page, `${path} (${colorScheme}, ${width})`);
    await assertFits(page, width);
  }
  for (const width of Object.values(FURTHER_WIDTHS)) {
    await page.setViewportSize({ width, height: HEIGHT });
    await assertFits(page, width);
    assert.deepEqual(await cutTables(page), [], `Tables are cut at ${width} px`);
  }
  for (const width of SAME_ON_TABLET.test(path) ? [WIDTHS.phone] : [FURTHER_WIDTHS.tablet, WIDTHS.phone]) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.goto(path);
    const shift = await layoutShift();
    assert.ok(shift < MAX_LAYOUT_SHIFT, `The page moves: ${shift} at ${width} px`);
  }
  assertFaultless();
}

async function assertFits(page: Page, width: number): Promise<void> {
  assert.deepEqual(await horizontalOverflow(page), [], `The page is wider than ${width} px`);
  assert.deepEqual(await overflowingCards(page), [], `A card is too narrow at ${width} px`);
}
