/** Finds lines of the specification without a test. */

import type { Line } from "./line.ts";

/** Returns the reasons why lines are not proven; `sources` has the texts of test files by title. */
export function unproven(lines: readonly Line[], sources: ReadonlyMap<string, string>): string[] {
  const titles = [...sources.keys()];
  return lines.flatMap(({ id, provenBy }) => {
    if (provenBy.length === 0) return [`${id}: no test is named`];
    return provenBy.filter((proof) => !isProven(proof)).map((proof) => `${id}: no test is titled "${proof}"`);
  });

  function isProven(proof: string): boolean {
    if (proof.endsWith("…")) return titles.some((title) => title.startsWith(proof.slice(0, -1)));
    const [title = "", words] = proof.split(" › ");
    const source = sources.get(title);
    return source !== undefined && (words === undefined || source.includes(words));
  }
}

/** Returns the ids that several lines have. */
export function duplicateIds(lines: readonly Line[]): string[] {
  const byId = Map.groupBy(lines, ({ id }) => id);
  return [...byId].filter(([, same]) => same.length > 1).map(([id]) => id);
}
