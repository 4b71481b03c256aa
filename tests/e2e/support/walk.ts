/** One walk through the pages: a test with a service, a browser window, and an eye on the console. */

import assert from "node:assert/strict";
import type { BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import type { TestAppOptions } from "../../support/app.ts";
import { browser, closeBrowser } from "./chromium.ts";
import { type Actor, openSite, type Site } from "./site.ts";

/** How a walk is made. */
export interface WalkOptions {
  /** Who is signed in already; nobody when absent. */
  readonly as?: Actor;
  /** Whether scripts run; they do unless said otherwise. */
  readonly scripts?: boolean;
  /** Width and height of the window; 1280 × 900. */
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly app?: TestAppOptions;
}

/** What a walk has. */
export interface Walk {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly site: Site;
  /** Goes to a path of the site; gives the status of the answer. */
  readonly go: (path: string) => Promise<number>;
}

/** Milliseconds that anything on a page may take to appear; machines that run tests are slow. */
const PATIENCE_MS = 30_000;

let closes = false;

/** A test that walks through pages. A message of error on the console, or a broken script, fails it. */
export function walk(name: string, options: WalkOptions, fn: (walk: Walk) => Promise<void>): void {
  if (!closes) Deno.test.afterAll(closeBrowser);
  closes = true;
  Deno.test({
    name,
    // The browser is a program of its own that outlives a test; what it does meanwhile is nobody's leak.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(): Promise<void> {
      await using site = await openSite(options.app);
      await visit(site, options, fn);
    },
  });
}

/** A window on a site that is there already; closed when `fn` is done. */
export async function visit(
  site: Site,
  options: WalkOptions,
  fn: (walk: Walk) => Promise<void>,
): Promise<void> {
  const { as, scripts = true, viewport = { width: 1280, height: 900 } } = options;
  const settings: BrowserContextOptions = {
    baseURL: site.origin,
    javaScriptEnabled: scripts,
    viewport,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
  };
  const context = await (await browser()).newContext(settings);
  try {
    context.setDefaultTimeout(PATIENCE_MS);
    if (as !== undefined) await site.enter(context, as);
    const page = await context.newPage();
    const faults = watch(page);
    await fn({
      page,
      context,
      site,
      go: async (path) => (await page.goto(path))?.status() ?? 0,
    });
    assert.deepEqual(faults(), []);
  } finally {
    await context.close();
  }
}

/** Notes what goes wrong in a window: errors on the console (breaches of the CSP too), scripts, answers of 500. */
export function watch(page: Page): () => string[] {
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !isRefusal(message)) faults.push(`Console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`Script: ${error.stack ?? error.message}`));
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`Answer: ${response.status()} of ${response.url()}`);
  });
  return () => faults;
}

/** Chromium calls a page that is answered 4xx an error; refusals are looked at by the tests themselves. */
function isRefusal(message: ConsoleMessage): boolean {
  return /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
}

/** What sticks out to the right of the window; wide things are to scroll within themselves. */
export async function sidewaysScroll(page: Page): Promise<string[]> {
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
