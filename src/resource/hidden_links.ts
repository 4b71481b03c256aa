/** Lists of references are written whole, but nobody can name what he does not see. */

import { type Context, permittedIds } from "../access/mod.ts";
import type { Reader } from "../db/mod.ts";
import type { Draft, Resource } from "./definition.ts";
import { linksOf } from "./fields/links.ts";

/**
 * Puts linked objects that the caller may not see back into a list that he has written: it would take them away
 * without his knowing. One statement at the most, none where he sees everything.
 */
export async function keepHiddenLinks(
  { ctx, reader, drafts }: { ctx: Context; reader: Reader; drafts: readonly Draft[] },
  { field, target }: { field: string; target: Resource },
): Promise<void> {
  const before = new Map(
    drafts.filter((draft) => field in draft.input).map((draft) => [draft, linksOf(draft, field)]),
  );
  const ids = [...new Set([...before.values()].flat())];
  const seen = await permittedIds({ ctx, reader }, { action: "view", objectType: target.objectType, ids });
  for (const [draft, links] of before) {
    const hidden = links.filter((id) => !seen.has(id));
    if (hidden.length > 0) draft.input[field] = [...draft.input[field] as number[], ...hidden];
  }
}
