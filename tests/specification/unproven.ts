/** Which lines of the specification lack their proof. */

import type { Line } from "./line.ts";

/** Every reason why a line is not proven; texts of the test files by the titles that they register. */
export function unproven(lines: readonly Line[], sources: ReadonlyMap<string, string>): string[] {
  const titles = [...sources.keys()];
  return lines.flatMap(({ id, provenBy }) => {
    if (provenBy.length === 0) return [`${id}: no test is named`];
    return provenBy.filter((proof) => !isThere(proof)).map((proof) => `${id}: no test is titled "${proof}"`);
  });

  function isThere(proof: string): boolean {
    if (proof.endsWith("…")) return titles.some((title) => title.startsWith(proof.slice(0, -1)));
    const [title = "", words] = proof.split(" › ");
    const source = sources.get(title);
    return source !== undefined && (words === undefined || source.includes(words));
  }
}

/** Ids that more than one line has. */
export function doubled(lines: readonly Line[]): string[] {
  const byId = Map.groupBy(lines, ({ id }) => id);
  return [...byId].filter(([, same]) => same.length > 1).map(([id]) => id);
}
