/**
 * Every page: no axe findings, no console errors, no horizontal scrolling, no layout shifts, and no page of more than
 * 100 KB. The first page of each kind is checked completely, from 320 to 1440 pixels; of other forms only what differs
 * between them: their fields.
 */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { assertAccessible, STYLE_RULES } from "./support/axe.ts";
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
import { firstIds, isList, kindOf, pagesUnderTest, type PageUnderTest } from "./pages.ts";

/**
 * Maximum bytes of a page's HTML, uncompressed and without its styles and scripts; of a list with the usual number of
 * rows.
 */
const MAX_PAGE_BYTES = 100_000;
const USUAL_ROWS = 50;
/** Rows of a list in the browser, because axe needs time for each and finds nothing new in further ones. */
const SHOWN_ROWS = 12;
/** Forms and confirmations of all objects, which differ in their fields only. */
const FORM = /\/(?:new|edit|delete)\/$/;
const CONFIRMATION = /\/delete\/$/;
const HEIGHT = 900;
/** Width of an A4 page between its margins, in pixels. */
const PAPER_WIDTH = 688;
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
    const kinds = new Set<string>();
    const groups = Map.groupBy(pages, ({ path }) => {
      if (path.startsWith("/sign-in/")) return "signed out";
      const kind = kindOf(path);
      if (!kinds.has(kind)) return kinds.add(kind), "first of a kind";
      return FORM.test(path) ? "form" : "other";
    });
    const viewport = { width: WIDTHS.wide, height: HEIGHT };
    // A new window takes longer than a new page.
    for (const [group, shown] of groups) {
      const as = group === "signed out" ? {} : { as: CHIEF };
      await visit(site, { ...as, viewport }, async (window) => {
        const look = group === "form" ? lookAtForm : lookWith(await watchLayoutShift(window.page), group);
        for (const page of shown) await t.step(page.name, () => look(window, page));
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
        await go("/compliance/?limit=100");
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

type Look = (window: Walk, page: PageUnderTest) => Promise<void>;

/** Opens a page on a wide screen in light colors. */
async function open({ page }: Walk, { path, status = 200 }: PageUnderTest): Promise<void> {
  await page.emulateMedia({ colorScheme: SCHEMES[0] });
  await page.setViewportSize({ width: WIDTHS.wide, height: HEIGHT });
  const response = await page.goto(path);
  assert.equal(response?.status(), status);
  const listed = isList(path) ? await page.request.get(`${path}?limit=${USUAL_ROWS}`) : response;
  const bytes = (await listed?.body())?.length ?? 0;
  assert.ok(bytes < MAX_PAGE_BYTES, `${bytes} bytes, expected less than ${MAX_PAGE_BYTES}`);
}

/** Checks what the fields of a form can break. */
async function lookAtForm(window: Walk, shown: PageUnderTest): Promise<void> {
  const { page, assertFaultless } = window;
  await open(window, shown);
  await shots(page, shown.name);
  if (!CONFIRMATION.test(shown.path)) await assertAccessible(page, shown.path);
  await page.setViewportSize({ width: FURTHER_WIDTHS.narrowest, height: HEIGHT });
  await assertFits(page, FURTHER_WIDTHS.narrowest);
  assertFaultless();
}

/** Returns a complete check; pages whose kind was checked already are loaded once, on a wide screen. */
function lookWith(layoutShift: () => Promise<number>, group: string): Look {
  const isFirst = group !== "other";
  const assertSteady = async (width: number): Promise<void> => {
    const shift = await layoutShift();
    assert.ok(shift < MAX_LAYOUT_SHIFT, `The page moves: ${shift} at ${width} px`);
  };
  return async (window, shown) => {
    const { page, assertFaultless } = window;
    const { path, name } = shown;
    await open(window, shown);
    await assertSteady(WIDTHS.wide);
    await shots(page, name);
    // Axe and the widths below include the tables of charts.
    const tables = await openChartTables(page);
    if (path === "/") assert.ok(tables > 0, "No table of a chart");
    await assertAccessible(page, `${path} (${SCHEMES[0]}, ${WIDTHS.wide})`);
    await assertFits(page, WIDTHS.wide);
    await page.emulateMedia({ colorScheme: SCHEMES[1] });
    await page.setViewportSize({ width: WIDTHS.phone, height: HEIGHT });
    await assertAccessible(
      page,
      `${path} (${SCHEMES[1]}, ${WIDTHS.phone})`,
      isFirst ? {} : { only: STYLE_RULES },
    );
    await assertFits(page, WIDTHS.phone);
    for (const width of Object.values(FURTHER_WIDTHS)) {
      await page.setViewportSize({ width, height: HEIGHT });
      await assertFits(page, width);
      assert.deepEqual(await cutTables(page), [], `Tables are cut at ${width} px`);
    }
    if (isFirst) {
      for (const width of [FURTHER_WIDTHS.tablet, WIDTHS.phone]) {
        await page.setViewportSize({ width, height: HEIGHT });
        await page.goto(path);
        await assertSteady(width);
      }
    }
    assertFaultless();
  };
}

async function assertFits(page: Page, width: number): Promise<void> {
  assert.deepEqual(await horizontalOverflow(page), [], `The page is wider than ${width} px`);
  assert.deepEqual(await overflowingCards(page), [], `A card is too narrow at ${width} px`);
}
