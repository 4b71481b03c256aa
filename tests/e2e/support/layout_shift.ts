/** Measures the layout shifts of a page while it loads (https://web.dev/articles/cls). */

import type { Page } from "playwright-core";

/** Milliseconds by which scripts are delayed, because their changes must not move content that is already visible. */
const LATE_MS = 100;

/**
 * Measures the following page loads. Scripts always run after the first frame, so that the load of the machine does not
 * matter.
 */
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
    // Shifts are reported with the next frame.
    await page.evaluate(() =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))
    );
    return await page.evaluate(() => (globalThis as unknown as { shift: { sum: number } }).shift.sum);
  };
}
