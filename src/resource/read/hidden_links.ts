/** Keeps references to objects that the caller may not view, and therefore cannot send, when an object is updated. */

import { type Context, permittedIds } from "../../auth/mod.ts";
import type { Reader } from "../../db/mod.ts";
import type { Draft, Resource } from "../model/definition.ts";
import { linksOf } from "../model/fields/links.ts";

/**
 * Adds linked objects that the caller may not view to a written list, which would otherwise remove them without the
 * caller's knowledge. At most one statement, none for a caller without view restrictions.
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
 * Keeps a reference to an object that the caller may not view if the caller writes null, because null is what the
 * caller has read. At most one statement, none for a caller without view restrictions.
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
