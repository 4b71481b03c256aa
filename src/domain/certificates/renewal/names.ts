/** The names that a certificate stands for. */

import type { Row } from "../../../db/mod.ts";

/** Common name and alternative names as they stand. */
export function namesOf(row: Row): string[] {
  return [row.common_name as string, ...JSON.parse(row.sans as string) as string[]];
}

/** Names of a certificate that its successor does not stand for; a wildcard stands for one label (RFC 6125 §6.4.3). */
export function lostNames(old: readonly string[], successor: readonly string[]): string[] {
  const covered = new Set(successor.map((name) => name.toLowerCase()));
  return [...new Set(old)].filter((name) => {
    const lower = name.toLowerCase();
    return !covered.has(lower) && !covered.has(lower.replace(/^[^.*]+\./, "*."));
  });
}

/** Whether two certificates share a name; case does not matter. */
export function shareName(one: Row, other: Row): boolean {
  const names = new Set(namesOf(one).map((name) => name.toLowerCase()));
  return namesOf(other).some((name) => names.has(name.toLowerCase()));
}
