/** Changes objects: all of them or none. */

import type { Context } from "../../auth/mod.ts";
import { AppError, type FieldErrors, invalid, notFound } from "../../base/errors.ts";
import type { Row } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { authorizeWrite, requireBulkSize } from "./create.ts";
import type { Draft, ParsedBody, Resource } from "../model/definition.ts";
import { anyErrors, loadForChange, storeDrafts, validateDrafts } from "./drafts.ts";
import type { WriteCall } from "./write_call.ts";
import { etagOf } from "../read/get.ts";
import { parseObjects } from "./parse.ts";
import { resetReferrers } from "./reset_referrers.ts";
import { bulkIds, missing } from "./bulk_ids.ts";

/** PATCH merges; PUT (`replace`) needs all required fields. */
export type UpdateMode = "patch" | "replace";

/** Whether the caller accepts a stored version (`If-Match`). */
export type VersionTest = (etag: string) => boolean;

/** Changes one object. Errors: invalid, forbidden, not_found, precondition_failed. */
export async function updateObject(
  options: {
    ctx: Context;
    resource: Resource;
    id: number;
    input: unknown;
    mode: UpdateMode;
    accepts?: VersionTest | undefined;
  },
): Promise<Record<string, unknown>> {
  const { ctx, resource, id, mode, accepts } = options;
  const allowed = authorizeWrite(ctx, resource, "change");
  const [parsed] = await parseObjects(resource, [options.input], mode) as [ParsedBody];
  await resource.beforeWrite?.({ ctx, given: [parsed] });
  const objects = await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource, allowed };
    const before = (await loadForChange(call, [id])).get(id);
    if (before === undefined) throw notFound();
    if (accepts !== undefined && !accepts(etagOf(before))) throw preconditionFailed();
    return await change(
      call,
      [draftOf(id, { before, parsed, mode })],
      ([errors]) => invalid(errors as FieldErrors),
    );
  });
  resource.afterCommit?.(ctx);
  return objects[0] as Record<string, unknown>;
}

/** Changes a list of `{id, …}`. Errors: invalid with a list aligned with the input, too_large. */
export async function updateObjects(
  { ctx, resource, input, mode }: {
    ctx: Context;
    resource: Resource;
    input: readonly unknown[];
    mode: UpdateMode;
  },
): Promise<Record<string, unknown>[]> {
  const allowed: Condition = authorizeWrite(ctx, resource, "change");
  requireBulkSize(input);
  const ids = bulkIds(input);
  const parsed = await parseObjects(resource, input, mode);
  await resource.beforeWrite?.({ ctx, given: parsed });
  const objects = await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource, allowed };
    const rows = await loadForChange(call, ids, { bounded: true });
    if (rows.size < ids.length) throw invalid(missing(ids, rows));
    return await change(
      call,
      ids.map((id, index) =>
        draftOf(id, { before: rows.get(id) as Row, parsed: parsed[index] as ParsedBody, mode })
      ),
      invalid,
    );
  });
  resource.afterCommit?.(ctx);
  return objects;
}

async function change(
  call: WriteCall,
  drafts: readonly Draft[],
  refusal: (errors: FieldErrors[]) => AppError,
): Promise<Record<string, unknown>[]> {
  await validateDrafts(call, drafts);
  if (anyErrors(drafts)) throw refusal(drafts.map((draft) => draft.errors));
  const objects = await storeDrafts(call, drafts);
  await resetReferrers(call, drafts);
  return objects;
}

function draftOf(
  id: number,
  { before, parsed: { input, errors, reveal }, mode }: { before: Row; parsed: ParsedBody; mode: UpdateMode },
): Draft {
  return {
    id,
    before,
    ...(mode === "replace" ? { replaces: true } : {}),
    input: { ...input },
    row: {},
    errors: structuredClone(errors),
    reveal: { ...reveal },
  };
}

/** Returns the error for an `If-Match` that does not match the stored version. */
export function preconditionFailed(): AppError {
  return new AppError("precondition_failed", "Precondition failed.");
}
