/** A test in the browser, with a service, a window, and checks of the console. */

import assert from "node:assert/strict";
import type { BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { adminOf, startService, testFolder } from "../../cli/process.ts";
import type { TestAppOptions } from "../../support/app.ts";
import { browser, closeBrowser } from "./chromium.ts";
import { type Actor, openSite, type Site } from "./site.ts";

/** Options of a test in the browser. */
export interface WalkOptions {
  /** The signed-in user; by default none. */
  readonly as?: Actor;
  /** Whether scripts run; true by default. */
  readonly scripts?: boolean;
  /** Size of the window; 1280 × 900 by default. */
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly app?: TestAppOptions;
}

/** The values that a test gets. */
export interface Walk {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly site: Site;
  /** Goes to a path of the site and returns the status of the response. */
  readonly go: (path: string) => Promise<number>;
  /** Fails with the errors of the window since the last call. It is also called when a window closes. */
  readonly assertFaultless: () => void;
}

/** Time limit for anything to appear on a page, in milliseconds, also on a busy machine. */
const PATIENCE_MS = 120_000;

let closes = false;

/** Registers a test in the browser. It fails if the console has an error or a script throws. */
export function walk(name: string, options: WalkOptions, fn: (walk: Walk) => Promise<void>): void {
  if (!closes) Deno.test.afterAll(closeBrowser);
  closes = true;
  Deno.test({
    name,
    // The browser is a separate program that outlives a test; its work is not a leak of the test.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(): Promise<void> {
      await using site = await openSite(options.app);
      await visit(site, options, fn);
    },
  });
}

/** Opens a window on an existing site, and closes it when `fn` has ended. */
export async function visit(
  site: Site,
  options: WalkOptions,
  fn: (walk: Walk) => Promise<void>,
): Promise<void> {
  const { as } = options;
  const enter = as === undefined ? {} : { enter: (context: BrowserContext) => site.enter(context, as) };
  await openWindow(site.origin, { ...options, ...enter }, (window) => fn({ ...window, site }));
}

/** A window. */
export type Window = Omit<Walk, "site">;

/** Opens a window on any service, and closes it when `fn` has ended. */
export async function openWindow(
  origin: string,
  options: Pick<WalkOptions, "scripts" | "viewport"> & { enter?: (context: BrowserContext) => Promise<void> },
  fn: (window: Window) => Promise<void>,
): Promise<void> {
  const { scripts = true, viewport = { width: 1280, height: 900 } } = options;
  const settings: BrowserContextOptions = {
    baseURL: origin,
    javaScriptEnabled: scripts,
    viewport,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
  };
  const context = await (await browser()).newContext(settings);
  try {
    context.setDefaultTimeout(PATIENCE_MS);
    await options.enter?.(context);
    const page = await context.newPage();
    const faults = watch(page);
    const assertFaultless = (): void => assert.deepEqual(faults.splice(0), []);
    const go = async (path: string): Promise<number> => (await page.goto(path))?.status() ?? 0;
    await fn({ page, context, go, assertFaultless });
    assertFaultless();
  } finally {
    await context.close();
  }
}

/** Registers a test of the pages of a separate service, which `deno task start` starts for the first time. */
export function firstWalk(
  name: string,
  options: Pick<WalkOptions, "scripts"> & { readonly env?: Readonly<Record<string, string>> },
  fn: (window: Window & { readonly password: string; readonly origin: string }) => Promise<void>,
): void {
  Deno.test({
    name,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(): Promise<void> {
      await using folder = await testFolder();
      await using service = await startService({ ...options.env, CERTMGR_DATA_DIR: folder.path });
      const { password } = adminOf(service.greeting);
      const origin = service.url;
      await openWindow(origin, options, (window) => fn({ ...window, password, origin }));
      await closeBrowser();
    },
  });
}

/** Records errors of a window: on the console (also CSP violations), of scripts, and responses with 500. */
export function watch(page: Page): string[] {
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !isRefusal(message)) faults.push(`Console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`Script: ${error.stack ?? error.message}`));
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`Answer: ${response.status()} of ${response.url()}`);
  });
  return faults;
}

/**
 * Returns whether a message is about a 4xx response. Chromium reports these as errors, but tests check them themselves.
 */
function isRefusal(message: ConsoleMessage): boolean {
  return /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
}

/**
 * Returns the elements that extend beyond the right edge of the window; wide content must scroll inside its container.
 */
export async function horizontalOverflow(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll("body *")]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) =>
        `${element.tagName}.${element.className}: ${element.textContent?.trim().slice(0, 40)}`
      )
      .slice(0, 5);
  });
}

/** Returns tables that hide a part of their content although no columns were chosen. */
export async function cutTables(page: Page): Promise<string[]> {
  return await page.locator("main .table.dense:not(.chosen)").evaluateAll((tables) =>
    tables.filter((table) =>
      getComputedStyle(table).overflowX === "clip" &&
      (table.firstElementChild as HTMLElement).offsetWidth > table.clientWidth + 1
    )
      .map((table) => `${table.getAttribute("aria-label")}: ${table.firstElementChild?.clientWidth} px`)
  );
}

/** Opens the tables of all charts, and returns the number of tables. */
export async function openChartTables(page: Page): Promise<number> {
  return await page.locator("main details.as-table").evaluateAll((all) => {
    for (const one of all) (one as HTMLDetailsElement).open = true;
    return all.length;
  });
}

/** Returns the headings of cards with an open table of a chart that extends beyond its card. */
export async function overflowingCards(page: Page): Promise<string[]> {
  return await page.locator("main .card:has(.as-table[open])").evaluateAll((cards) =>
    cards.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((card) => card.querySelector("h2")?.textContent ?? "")
  );
}
