/**
 * Membership of a group belongs to the group as much as to the user, because it gives the group's rights: who changes
 * it needs `change` on the groups that are added or taken away. So `change` on users alone lets nobody into a group,
 * himself included. (It does let him set their passwords, and so act as any of them, superusers excepted.)
 */

import { permittedIds } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { linksOf, type WriteStep } from "../../../resource/mod.ts";
import { groups } from "../groups/mod.ts";

/** Errors: forbidden. One statement where the caller is restricted. */
export async function guardMembership({ ctx, tx, drafts }: WriteStep): Promise<void> {
  if (ctx.actor.isSuperuser) return;
  const changed = drafts.filter((draft) => "groups" in draft.input)
    .flatMap((draft) => difference(linksOf(draft, "groups"), draft.input.groups as number[]));
  const ids = [...new Set(changed)];
  const mine = await permittedIds({ ctx, reader: tx }, {
    action: "change",
    objectType: groups.objectType,
    ids,
  });
  if (ids.every((id) => mine.has(id))) return;
  throw new AppError(
    "forbidden",
    "To put users into a group, or to take them out, you need permission to change that group.",
  );
}

/** What is in one list only. */
function difference(one: readonly number[], other: readonly number[]): number[] {
  return [...one.filter((id) => !other.includes(id)), ...other.filter((id) => !one.includes(id))];
}
