/** How much a page moves while it loads (https://web.dev/articles/cls). */

import type { Page } from "playwright-core";

/** Milliseconds that scripts are held back: what they change must not move what has been shown already. */
const LATE_MS = 100;

/** Measures the loads that follow. Scripts come after the first picture in any case, so that load changes nothing. */
export async function watchLayoutShift(page: Page): Promise<() => Promise<number>> {
  await page.route("**/assets/**/*.js", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    await route.continue();
  });
  await page.addInitScript(() => {
    const shift = { sum: 0 };
    Object.assign(globalThis, { shift });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { hadRecentInput: boolean; value: number }[]) {
        if (!entry.hadRecentInput) shift.sum += entry.value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return async () => {
    // Shifts are reported with the frame after them.
    await page.evaluate(() =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))
    );
    return await page.evaluate(() => (globalThis as unknown as { shift: { sum: number } }).shift.sum);
  };
}
