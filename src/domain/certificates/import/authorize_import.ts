/** Who may import. */

import { authorize, type Context, isGranted, restriction } from "../../../auth/mod.ts";
import { and, type Condition } from "../../../filters/mod.ts";
import { certificates } from "../mod.ts";

/** Until release 1.0 `add` on certificates opens the imports too (specification, Permissions, rule 1). */
const LEGACY_ADD_OPENS_IMPORTS = true;

/** Authorises an import: gives where its results must lie. Errors: forbidden. */
export function authorizeImport(ctx: Context): Condition {
  const map = ctx.mapOf(certificates.objectType);
  const granted = restriction(ctx.actor, "import", map) !== undefined;
  const legacy = LEGACY_ADD_OPENS_IMPORTS && !granted && restriction(ctx.actor, "add", map) !== undefined;
  if (!legacy) return authorize(ctx, "import", certificates.objectType);
  ctx.log.log("warn", "deprecated", {
    request_id: ctx.requestId,
    message: "Import by add_certificate ends with release 1.0, grant import_certificate instead",
    username: ctx.actor.username,
  });
  return authorize(ctx, "add", certificates.objectType);
}

/** Authorises a bulk import, which needs `bulk_operations` too (specification, Permissions). Errors: forbidden. */
export function authorizeBulkImport(ctx: Context): Condition {
  const bulk = authorize(ctx, "bulk_operations", certificates.objectType);
  return and(authorizeImport(ctx), bulk);
}

/** Whether imports may be offered to the caller. */
export function mayImport(ctx: Context): boolean {
  return isGranted(ctx, "import", certificates.objectType) ||
    LEGACY_ADD_OPENS_IMPORTS && isGranted(ctx, "add", certificates.objectType);
}

/** Whether bulk imports may be. */
export function mayBulkImport(ctx: Context): boolean {
  return mayImport(ctx) && isGranted(ctx, "bulk_operations", certificates.objectType);
}
