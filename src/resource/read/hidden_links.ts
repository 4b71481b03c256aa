/** Lists of references are written whole, but nobody can name what he does not see. */

import { type Context, permittedIds } from "../../auth/mod.ts";
import type { Reader } from "../../db/mod.ts";
import type { Draft, Resource } from "../model/definition.ts";
import { linksOf } from "../model/fields/links.ts";

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

/**
 * Keeps a reference to an object that the caller may not see when he writes null: null is what he was shown, and
 * what he sends back with the rest. One statement at the most, none where he sees everything.
 */
export async function keepHiddenReference(
  { ctx, reader, drafts }: { ctx: Context; reader: Reader; drafts: readonly Draft[] },
  { field, column, target }: { field: string; column: string; target: Resource },
): Promise<void> {
  const cleared = drafts.filter((draft) =>
    draft.input[field] === null && typeof draft.before?.[column] === "number"
  );
  const ids = [...new Set(cleared.map((draft) => draft.before?.[column] as number))];
  const seen = await permittedIds({ ctx, reader }, { action: "view", objectType: target.objectType, ids });
  for (const draft of cleared) {
    const id = draft.before?.[column] as number;
    if (!seen.has(id)) draft.input[field] = id;
  }
}
