/** Resets derived columns (such as a chain status) of referring rows when their target changes. */

import { type SQL, sql } from "drizzle-orm";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import { idsIn } from "../../db/mod.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import { type Referrer, referrersOf, refersTo } from "../model/registry.ts";
import type { Draft } from "../model/definition.ts";
import { loadForChange, storeDrafts } from "./drafts.ts";
import type { WriteCall } from "./write_call.ts";

/**
 * Resets the columns that other rows derive from changed drafts, with change records. Ignores the caller's
 * restrictions, because this is a consequence of the change. A few statements per 1,000 rows, none if nothing depends
 * on the changed fields.
 */
export async function resetReferrers(call: WriteCall, drafts: readonly Draft[]): Promise<void> {
  for (const referrer of referrersOf(call.resource)) {
    const resetRule = referrer.field.foreignKey?.resetRule;
    if (resetRule === undefined) continue;
    const changed = drafts.filter(({ before, input }) =>
      resetRule.on.some((name) => name in input && input[name] !== before?.[name])
    );
    if (changed.length > 0) await clear(call, referrer, idsIn(changed.map((draft) => draft.id)));
  }
}

async function clear({ ctx, tx }: WriteCall, referrer: Referrer, ids: SQL): Promise<void> {
  const { resource, field } = referrer;
  const columns = field.foreignKey?.resetRule?.columns ?? {};
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
    const drafts = [...rows].map(([id, before]): Draft => ({
      id,
      before,
      input: {},
      row: { ...columns },
      errors: {},
      reveal: {},
    }));
    await storeDrafts(call, drafts);
  }
}
