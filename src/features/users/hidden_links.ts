/** Lists of references are written whole, but nobody can name what he does not see. */

import { type Context, permittedIds } from "../../access/mod.ts";
import type { Transaction } from "../../db/mod.ts";
import type { Draft, Resource } from "../../resource/mod.ts";
import { readIds } from "../groups/mod.ts";

/**
 * Puts the linked objects that the caller may not see back into a list that he has written: it would take them away
 * without his knowing. Gives the links that each draft had before.
 */
export async function keepHiddenLinks(
  { ctx, tx, drafts }: { ctx: Context; tx: Transaction; drafts: readonly Draft[] },
  { field, target }: { field: string; target: Resource },
): Promise<Map<Draft, number[]>> {
  const written = drafts.filter((draft) => field in draft.input);
  const before = new Map(written.map((draft) => [draft, linksOf(draft, field)]));
  const ids = [...new Set([...before.values()].flat())];
  const seen = await permittedIds({ ctx, reader: tx }, {
    action: "view",
    objectType: target.objectType,
    ids,
  });
  for (const [draft, links] of before) {
    const hidden = links.filter((id) => !seen.has(id));
    if (hidden.length > 0) draft.input[field] = [...draft.input[field] as number[], ...hidden];
  }
  return before;
}

function linksOf({ before }: Draft, field: string): number[] {
  return before === undefined ? [] : readIds(before[`${field}_ids`]);
}
