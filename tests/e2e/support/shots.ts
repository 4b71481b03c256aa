/** Takes screenshots of pages: light and dark, phone and wide screen. Only if CERTMGR_SHOTS names a folder. */

import type { Page } from "playwright-core";

/** Widths in CSS pixels: a phone, and a wide screen. */
export const WIDTHS = { phone: 390, wide: 1440 } as const;
/** A tablet, and the narrowest screen that WCAG 1.4.10 requires. */
export const FURTHER_WIDTHS = { tablet: 1024, narrowest: 320 } as const;
export const SCHEMES = ["light", "dark"] as const;
const HEIGHT = 900;

/** Returns whether screenshots are requested. */
export function wantsShots(): boolean {
  return (Deno.env.get("CERTMGR_SHOTS") ?? "") !== "";
}

/** Saves four screenshots `<name>-<scheme>-<width>.png` of the whole page. Does nothing without CERTMGR_SHOTS. */
export async function shots(page: Page, name: string): Promise<void> {
  const folder = Deno.env.get("CERTMGR_SHOTS") ?? "";
  if (folder === "") return;
  await Deno.mkdir(folder, { recursive: true });
  const before = page.viewportSize();
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of Object.values(WIDTHS)) {
      await page.setViewportSize({ width, height: HEIGHT });
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null });
  if (before !== null) await page.setViewportSize(before);
}
