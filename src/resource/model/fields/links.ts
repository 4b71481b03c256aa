/** Ids of linked objects in the columns of the change record. */

import type { Draft } from "../definition.ts";
import { parseNested } from "./reference.ts";

/** Returns the ids in a list of references before a change; none for a new object. */
export function linksOf({ before }: Draft, field: string): number[] {
  return parseNested(before?.[`${field}_ids`]) as number[] | null ?? [];
}
