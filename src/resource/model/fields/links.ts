/** Ids of linked objects, as the change record's columns have them. */

import type { Draft } from "../definition.ts";
import { parseNested } from "./reference.ts";

/** The ids that a list of references held before a change; none for what is created. */
export function linksOf({ before }: Draft, field: string): number[] {
  return parseNested(before?.[`${field}_ids`]) as number[] | null ?? [];
}
