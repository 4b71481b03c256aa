/** Creates rows without reading them back, for operations whose response contains few of their columns. */

import { forbidden } from "../../base/errors.ts";
import { WRITTEN_CHARS } from "../../base/limits.ts";
import { inBatches, insertRows, type ObjectRow } from "../../db/mod.ts";
import { recordChanges } from "../../changes/mod.ts";
import type { Draft } from "../model/field.ts";
import { storedOutside } from "./drafts.ts";
import { newRow, sideStatements } from "./row_statements.ts";
import { fieldLists } from "../model/field_lists.ts";
import { snapshot } from "../read/select.ts";
import type { WriteCall } from "./write_call.ts";

/**
 * Stores validated new drafts, and returns their rows: columns of the table and of the change record, without
 * computed values and those of other resources. Errors: forbidden (the actor's constraint excludes a row), with the message `outside`.
 */
export async function storeNew(
  call: WriteCall,
  drafts: readonly Draft[],
  { outside }: { outside?: string } = {},
): Promise<ObjectRow[]> {
  const { ctx, tx, resource } = call;
  const now = ctx.clock.now();
  const stored = drafts.map((draft) => ({ draft, row: newRow(resource.table, draft, now) }));
  const rows = stored.map(({ row }) => row);
  const batches = inBatches(rows, WRITTEN_CHARS);
  await tx.runAll([
    ...batches.map((some) => insertRows(resource.table, some)),
    ...sideStatements(resource, drafts),
  ]);
  if ((await storedOutside(call, drafts)).size > 0) throw forbidden(outside);
  const { side } = fieldLists(resource);
  for (const { row, draft } of stored) {
    for (const field of side) Object.assign(row, field.side.values?.(draft));
  }
  await recordChanges(
    tx,
    ctx,
    stored.map(({ row, draft }) => ({
      action: "create",
      objectType: resource.objectType,
      objectId: row.id,
      repr: resource.display(row),
      prechange: null,
      postchange: snapshot(resource, row),
      message: draft.message,
    })),
  );
  return rows;
}
