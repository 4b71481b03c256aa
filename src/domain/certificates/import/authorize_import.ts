/** Authorizes imports. */

import { authorize, type Context, isGranted, newRows, restriction } from "../../../auth/mod.ts";
import { forbidden } from "../../../base/errors.ts";
import { and, type Condition } from "../../../filters/mod.ts";
import { certificates } from "../mod.ts";

/** The action `add` on certificates also allows imports until release 1.0. */
const LEGACY_ADD_OPENS_IMPORTS = true;

/** Authorizes an import. Returns the condition that imported certificates must match. Errors: forbidden. */
export function authorizeImport(ctx: Context): Condition {
  const { map } = certificates;
  const granted = restriction(ctx, "import", map) !== undefined;
  const legacy = LEGACY_ADD_OPENS_IMPORTS && !granted && restriction(ctx, "add", map) !== undefined;
  if (!legacy) return authorize(ctx, "import", certificates.map);
  ctx.log.log("warn", "deprecated", {
    request_id: ctx.requestId,
    message: 'The action "add" allows imports only until release 1.0. Grant the action "import" instead.',
    username: ctx.actor.username,
  });
  return authorize(ctx, "add", certificates.map);
}

/** Authorizes a bulk import, which also needs the action `bulk_operations`. Errors: forbidden. */
export function authorizeBulkImport(ctx: Context): Condition {
  const bulk = newRows(ctx, "bulk_operations", certificates.map);
  if (bulk === undefined) throw forbidden();
  return and(authorizeImport(ctx), bulk);
}

/** Returns whether the caller may import anything. */
export function mayImport(ctx: Context): boolean {
  return isGranted(ctx, "import", certificates.objectType) ||
    LEGACY_ADD_OPENS_IMPORTS && isGranted(ctx, "add", certificates.objectType);
}

/** Returns whether the caller may bulk-import anything. */
export function mayBulkImport(ctx: Context): boolean {
  return mayImport(ctx) && isGranted(ctx, "bulk_operations", certificates.objectType);
}
