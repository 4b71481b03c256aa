/** Changes objects: all of them or none. Resets derived columns of rows that refer to them. */

import type { Finding } from "../../base/findings.ts";
import type { Answer, Identity } from "../model/objects.ts";
import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { AppError, invalid, notFound } from "../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import { idsIn, type ObjectRow } from "../../db/mod.ts";
import { type Condition, EVERYTHING } from "../../filters/mod.ts";
import type { ParsedBody, Resource } from "../model/definition.ts";
import type { Draft } from "../model/field.ts";
import { type Referrer, referrersOf, refersTo } from "../model/registry.ts";
import { answerOf, etagOf } from "../read/get.ts";
import { bulkIds, errorsOfMissing } from "./bulk_ids.ts";
import { authorizeWrite, requireBulkSize, storeValid } from "./create.ts";
import { loadForChange, storeOnly, validateDrafts } from "./drafts.ts";
import { limitLongTexts, parseObjects } from "./parse.ts";
import { changeDraft, type WriteCall } from "./write_call.ts";
import { first } from "../../base/first.ts";

/** PATCH merges. PUT (`replace`) requires all required fields. */
export type UpdateMode = "patch" | "replace";

/** Returns whether the caller accepts a stored version (`If-Match`). */
export type VersionTest = (etag: string) => boolean;

/** Changes an object. Errors: invalid, forbidden, not_found, precondition_failed. */
export async function updateObject<Of extends Identity>(
  options: {
    ctx: Context;
    resource: Resource<Of>;
    id: number;
    input: unknown;
    mode: UpdateMode;
    accepts?: VersionTest | undefined;
  },
): Promise<Answer<Of>> {
  const { ctx, resource, id, mode, accepts } = options;
  const allowed = authorizeWrite(ctx, resource, "change");
  const parsed = first(await parseObjects(resource, [options.input], mode));
  await resource.hooks?.beforeWrite?.({ ctx, given: [parsed] });
  const objects = await ctx.database.write(async (tx) => {
    const call: WriteCall<Of> = { ctx, tx, resource, allowed };
    const before = (await loadForChange(call, [id])).get(id);
    if (before === undefined) throw notFound();
    if (accepts !== undefined && !accepts(etagOf(before))) throw preconditionFailed();
    const refusal = (errors: Finding[][]): AppError => invalid(first(errors));
    return await storeUpdates(call, [draftOf(before, parsed, mode)], refusal);
  });
  resource.hooks?.afterCommit?.(ctx);
  return first(objects);
}

/**
 * Changes a list of `{id, …}`. Errors: invalid with a list that is aligned with the input, too_large,
 * precondition_failed.
 * @param accepts Returns whether the caller accepts the stored version of an object; by default any.
 */
export async function updateObjects<Of extends Identity>(
  { ctx, resource, input, mode, accepts }: {
    ctx: Context;
    resource: Resource<Of>;
    input: readonly unknown[];
    mode: UpdateMode;
    accepts?: (id: number, etag: string) => boolean;
  },
): Promise<Answer<Of>[]> {
  const allowed: Condition = authorizeWrite(ctx, resource, "change");
  requireBulkSize(input);
  const ids = bulkIds(input);
  const parsed = await parseObjects(resource, input, mode);
  await resource.hooks?.beforeWrite?.({ ctx, given: parsed });
  const objects = await ctx.database.write(async (tx) => {
    const call: WriteCall<Of> = { ctx, tx, resource, allowed };
    const rows = await loadForChange(call, ids, { bounded: true });
    if (rows.size < ids.length) throw invalid(errorsOfMissing(ids, rows));
    for (const [id, row] of accepts === undefined ? [] : rows) {
      if (!accepts?.(id, etagOf(row))) throw preconditionFailed();
    }
    return await storeUpdates(
      call,
      parsed.flatMap((one, index) => {
        const before = rows.get(ids[index] ?? 0);
        return before === undefined ? [] : [draftOf(before, one, mode)];
      }),
      invalid,
    );
  });
  resource.hooks?.afterCommit?.(ctx);
  return objects;
}

/** Validates and stores drafts of existing objects. Returns what the response shows of them. */
export async function storeUpdates<Of extends Identity>(
  call: WriteCall<Of>,
  drafts: readonly Draft[],
  refusal: (errors: Finding[][]) => AppError,
): Promise<Answer<Of>[]> {
  const sent = drafts.map(({ input }) => Object.keys(input));
  await validateDrafts(call, drafts);
  limitLongTexts(call.resource, drafts.map(({ row }) => row));
  const objects = await storeValid(call, drafts, refusal);
  await resetReferrers(call, drafts);
  return objects.map((object, index) => answerOf(call.ctx, call.resource, object, sent[index]));
}

function draftOf(
  before: ObjectRow,
  { input, errors, reveal, message }: ParsedBody,
  mode: UpdateMode,
): Draft {
  return changeDraft(before, {
    ...(mode === "replace" ? { replaces: true } : {}),
    input: { ...input },
    errors: structuredClone(errors),
    reveal: { ...reveal },
    message,
  });
}

/** Returns the error for an `If-Match` that does not match the stored version. */
export function preconditionFailed(): AppError {
  return new AppError("precondition_failed", "Precondition failed.");
}

/**
 * Resets the columns that other rows derive from changed drafts, with change records. Ignores the caller's
 * restrictions, because this is a consequence of the change. A few statements per 1,000 rows, none if nothing
 * depends on the changed fields.
 */
async function resetReferrers(call: WriteCall, drafts: readonly Draft[]): Promise<void> {
  for (const referrer of referrersOf(call.resource)) {
    const resetRule = referrer.field.refers?.foreignKey?.resetRule;
    if (resetRule === undefined) continue;
    const changed = drafts.filter(({ before, input }) =>
      resetRule.on.some((name) => name in input && input[name] !== before?.[name])
    );
    if (changed.length > 0) await clear(call, referrer, idsIn(changed.map((draft) => draft.id)));
  }
}

async function clear({ ctx, tx }: WriteCall, referrer: Referrer, ids: SQL): Promise<void> {
  const { resource, field } = referrer;
  const columns = field.refers?.foreignKey?.resetRule?.columns ?? {};
  const held = Object.entries(columns).map(([name, cell]) => sql`${sql.identifier(name)} IS NOT ${cell}`);
  const call: WriteCall = { ctx, tx, resource, allowed: EVERYTHING };
  for (;;) {
    const found = await tx.all<{ id: number }>(
      sql`SELECT id FROM ${resource.table} WHERE ${refersTo(referrer, ids)} AND (${
        sql.join(held, sql` OR `)
      }) LIMIT ${MAX_BULK_OBJECTS}`,
    );
    if (found.length === 0) return;
    const rows = await loadForChange(call, found.map((row) => row.id));
    await storeOnly(call, [...rows.values()].map((before) => changeDraft(before, { row: { ...columns } })));
  }
}
