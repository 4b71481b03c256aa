/** Undoes the updates of a request shortly after it. */

import { type Context, permittedIds } from "../../auth/mod.ts";
import { invalid } from "../../base/errors.ts";
import { isSameValue, ownRecentChanges } from "../../changes/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { Draft } from "../model/field.ts";
import { snapshot } from "../read/select.ts";
import { authorizeWrite } from "./create.ts";
import { loadForChange } from "./drafts.ts";
import { storeUpdates } from "./update.ts";
import { changeDraft, type WriteCall } from "./write_call.ts";
import { givenIds } from "../model/fields/reference.ts";

/**
 * Restores `fields` that a request of the same user changed in the last ten minutes, except values that have
 * changed again since. Returns the number of objects. The number of statements does not depend on the number
 * of objects. Errors: forbidden, invalid (a related object was deleted in the meantime).
 */
export async function undoUpdates(
  { ctx, resource, requestId, fields }: {
    ctx: Context;
    resource: Resource;
    requestId: string;
    fields: readonly string[];
  },
): Promise<number> {
  const allowed = authorizeWrite(ctx, resource, "change");
  const restored = await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource, allowed };
    const changes = await ownRecentChanges(
      { ctx, reader: tx },
      { requestId, objectType: resource.objectType, action: "update" },
    );
    const rows = await loadForChange(call, changes.map(({ object_id }) => object_id), { bounded: true });
    const drafts = changes.flatMap(({ object_id: id, prechange: old, postchange: changed }): Draft[] => {
      const before = rows.get(id);
      if (before === undefined || old === null || changed === null) return [];
      const now = snapshot(resource, before);
      const input = Object.fromEntries(
        fields.filter((name) =>
          !isSameValue(old[name], changed[name]) && isSameValue(changed[name], now[name])
        )
          .map((name) => [name, old[name]]),
      );
      if (Object.keys(input).length === 0) return [];
      return [changeDraft(before, { input, message: "Bulk edit undone" })];
    });
    if (drafts.length === 0) return 0;
    await leaveHiddenLinks(call, drafts);
    await storeUpdates(call, drafts, (errors) => invalid(errors));
    return drafts.length;
  });
  if (restored > 0) resource.hooks?.afterCommit?.(ctx);
  return restored;
}

/**
 * Removes links to hidden objects from lists, because the caller cannot write them. A write keeps existing
 * ones.
 */
async function leaveHiddenLinks(
  { ctx, tx, resource }: WriteCall,
  drafts: readonly Draft[],
): Promise<void> {
  for (const { name, many, refers: { target } = {} } of Object.values(resource.fields)) {
    if (!many || target === undefined) continue;
    const ids = drafts.flatMap(({ input }) => givenIds(input[name]));
    if (ids.length === 0) continue;
    const seen = await permittedIds({ ctx, reader: tx }, { action: "view", map: target().map, ids });
    for (const { input } of drafts) {
      if (name in input) input[name] = givenIds(input[name]).filter((id) => seen.has(id));
    }
  }
}
