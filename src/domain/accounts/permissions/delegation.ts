/**
 * Who may give rights away. Whoever may add or change object permissions without constraints is an administrator and
 * may grant anything (but not superuser status: that is a field of the account). Whoever may do so within constraints
 * administers a part, and can grant what he holds himself, as far as he holds it: without constraints of his own, or
 * with the same ones.
 */

import { type Context, type ObjectType, restriction } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { isEverything } from "../../../filters/mod.ts";

/** What a permission grants. */
export interface Permission {
  readonly objectTypes: readonly ObjectType[];
  readonly actions: readonly string[];
  readonly constraints: unknown;
}

const PERMISSION = "users.objectpermission";

/** Errors: forbidden, when the permission grants more than a partial administrator holds. */
export function guardDelegation(
  ctx: Context,
  { permission, action }: { permission: Permission; action: "add" | "change" },
): void {
  const rows = restriction(ctx.actor, action, ctx.mapOf(PERMISSION));
  if (rows !== undefined && isEverything(rows)) return;
  for (const objectType of permission.objectTypes) {
    for (const name of permission.actions) {
      if (!holds(ctx, { objectType, action: name, constraints: permission.constraints })) {
        throw new AppError(
          "forbidden",
          `You cannot grant "${name}" on ${objectType} beyond your own permission.`,
        );
      }
    }
  }
}

function holds(
  { actor }: Context,
  { objectType, action, constraints }: { objectType: string; action: string; constraints: unknown },
): boolean {
  const wanted = JSON.stringify(constraints);
  return actor.grants.some((grant) =>
    grant.objectTypes.includes(objectType) && grant.actions.includes(action) &&
    (isOpen(grant.constraints) || JSON.stringify(grant.constraints) === wanted)
  );
}

/** Whether constraints leave out no row. */
function isOpen(constraints: unknown): boolean {
  if (Array.isArray(constraints)) return constraints.length === 0 || constraints.some(isOpen);
  return constraints === null || Object.keys(constraints as Record<string, unknown>).length === 0;
}
