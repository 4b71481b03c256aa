/** The names that a certificate stands for. */

import type { Row } from "../../db/mod.ts";

/** Common name and alternative names as they stand. */
export function namesOf(row: Row): string[] {
  return [row.common_name as string, ...JSON.parse(row.sans as string) as string[]];
}

/** Whether two certificates share a name; case does not matter. */
export function shareName(one: Row, other: Row): boolean {
  const names = new Set(namesOf(one).map((name) => name.toLowerCase()));
  return namesOf(other).some((name) => names.has(name.toLowerCase()));
}
