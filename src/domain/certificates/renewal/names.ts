/** Names that a certificate covers. */

import type { Row } from "../../../db/mod.ts";

/** Returns the common name and the alternative names. */
export function namesOf(row: Row): string[] {
  return [row.common_name as string, ...JSON.parse(row.sans as string) as string[]];
}

/** Returns the names that a successor does not cover. A wildcard covers one label (RFC 6125 §6.4.3). */
export function lostNames(old: readonly string[], successor: readonly string[]): string[] {
  const covered = new Set(successor.map((name) => name.toLowerCase()));
  return [...new Set(old)].filter((name) => {
    const lower = name.toLowerCase();
    return !covered.has(lower) && !covered.has(lower.replace(/^[^.*]+\./, "*."));
  });
}

/** Returns whether two certificates share a name, ignoring case. */
export function shareName(one: Row, other: Row): boolean {
  const names = new Set(namesOf(one).map((name) => name.toLowerCase()));
  return namesOf(other).some((name) => names.has(name.toLowerCase()));
}
