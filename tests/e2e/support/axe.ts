/** Checks accessibility with axe-core. */

import assert from "node:assert/strict";
import axe from "axe-core/axe.min.js";
import type { Page } from "playwright-core";

/** A finding and its place. */
export interface AxeFinding {
  readonly rule: string;
  readonly impact: string;
  readonly where: readonly string[];
}

/** Rules whose results depend on colors and sizes; those of most others follow from the markup. */
export const STYLE_RULES = [
  "color-contrast",
  "link-in-text-block",
  "scrollable-region-focusable",
] as const;

/**
 * Checks the page in its current state, by these rules only if there are any. The DevTools protocol injects axe, so that
 * the page's CSP needs no change.
 */
export async function axeFindings(page: Page, rules: readonly string[] = []): Promise<AxeFinding[]> {
  // Once per document, because the source has half a megabyte.
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(axe.source);
  const options = {
    resultTypes: ["violations"],
    ...rules.length === 0 ? {} : { runOnly: { type: "rule", values: [...rules] } },
  };
  const results = await page.evaluate(async (options) => {
    // deno-lint-ignore no-explicit-any -- it runs in the page, where axe is
    const { violations } = await (globalThis as any).axe.run(document, options);
    return violations as { id: string; impact: string | null; nodes: { target: string[]; html: string }[] }[];
  }, options);
  return results.map(({ id, impact, nodes }) => ({
    rule: id,
    impact: impact ?? "minor",
    where: nodes.slice(0, 5).map(({ target, html }) => `${target.join(" ")}: ${html.slice(0, 200)}`),
  }));
}

/** Fails on any finding, even a minor one; `except` are rules that do not apply to the page, `only` replaces all. */
export async function assertAccessible(
  page: Page,
  what: string,
  { except = [], only = [] }: { except?: readonly string[]; only?: readonly string[] } = {},
): Promise<void> {
  const findings = (await axeFindings(page, only)).filter(({ rule }) => !except.includes(rule));
  assert.deepEqual(findings, [], `${what}: ${JSON.stringify(findings, null, 2)}`);
}
