/**
 * Limits what users can grant. A user who may add or change object permissions without constraints is an
 * administrator, and can grant anything except superuser status, which is a field of the account. A user who
 * may do so only within constraints can grant their own permissions, if these have no constraints or the same
 * ones.
 */

import { type Context, isOpen, type ObjectType, restriction } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { isEverything } from "../../../filters/mod.ts";

export interface Permission {
  readonly objectTypes: readonly ObjectType[];
  readonly actions: readonly string[];
  readonly constraints: unknown;
}

const PERMISSION = "users.objectpermission";

/** Refuses a permission that grants more than the caller may grant. Errors: forbidden. */
export function guardDelegation(
  ctx: Context,
  { permission, action }: { permission: Permission; action: "add" | "change" },
): void {
  const rows = restriction(ctx, action, ctx.mapOf(PERMISSION));
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
  const given = JSON.stringify(constraints);
  return actor.grants.some((grant) =>
    grant.objectTypes.includes(objectType) && grant.actions.includes(action) &&
    (isOpen(grant.constraints) || JSON.stringify(grant.constraints) === given)
  );
}
