/**
 * Checks changes of group membership. Membership grants the group's permissions, so a change requires
 * `change` on the added and removed groups. With only `change` on users, nobody can add anyone to a group,
 * including themselves. (They can set passwords, and so act as any of these users except superusers.)
 */

import { permittedIds } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { linksOf, type Values, type WriteStep } from "../../../resource/mod.ts";
import { groups } from "../groups/mod.ts";
import type { ObjectRow } from "../../../db/mod.ts";

/**
 * Refuses changes of groups that the caller may not change. Errors: forbidden. One statement if the caller's
 * permission has constraints.
 */
export async function guardMembership(
  { ctx, tx, drafts }: WriteStep<ObjectRow, Values & { groups?: number[] }>,
): Promise<void> {
  if (ctx.actor.isSuperuser) return;
  const changed = drafts.flatMap((draft) =>
    draft.input.groups === undefined ? [] : difference(linksOf(draft, "groups"), draft.input.groups)
  );
  const ids = [...new Set(changed)];
  const mine = await permittedIds({ ctx, reader: tx }, {
    action: "change",
    map: groups.map,
    ids,
  });
  if (ids.every((id) => mine.has(id))) return;
  throw new AppError(
    "forbidden",
    "To add users to a group or remove them, you need permission to change the group.",
  );
}

/** Returns the ids that only one of the two lists contains. */
function difference(one: readonly number[], other: readonly number[]): number[] {
  return [...one.filter((id) => !other.includes(id)), ...other.filter((id) => !one.includes(id))];
}
