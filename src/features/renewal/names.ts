/** The names that a certificate stands for. */

import type { Row } from "../../db/mod.ts";

/** Common name and alternative names, in lower case, each once. */
export function namesOf(row: Row): string[] {
  const sans = JSON.parse(row.sans as string) as string[];
  return [...new Set([row.common_name as string, ...sans].map((name) => name.toLowerCase()))];
}

/** Whether two certificates share a name. */
export function shareName(one: Row, other: Row): boolean {
  const names = new Set(namesOf(one));
  return namesOf(other).some((name) => names.has(name));
}
