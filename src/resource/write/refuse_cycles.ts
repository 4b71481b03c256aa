/** Refuses cycles of references to the same resource: successors, parents. */

import type { Finding } from "../../base/findings.ts";
import { sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { idsIn, type Transaction } from "../../db/mod.ts";
import type { Draft } from "../model/field.ts";
import { refuse } from "./write_call.ts";

/** The reference that is followed, and the messages for an object that leads back to itself. */
export interface CycleRule {
  readonly table: SQLiteTable;
  /** A reference to the same resource, and its column. */
  readonly field: string;
  readonly column: string;
  /** The messages for an object that refers to itself, and for one that does so through others. */
  readonly itself: Finding;
  readonly cycle: Finding;
}

/**
 * Refuses drafts whose new reference leads back to them, through stored rows or other drafts of the call. A
 * stored cycle can still be resolved. One statement, none if no reference changes.
 */
export async function refuseCycles(
  tx: Transaction,
  drafts: readonly Draft[],
  { table, field, column, itself, cycle }: CycleRule,
): Promise<void> {
  const changed = new Map<number, number | null>();
  for (const draft of drafts) {
    const next = newTarget(draft, field, column);
    if (next !== undefined) changed.set(draft.id, next);
  }
  const targets = [...changed.values()].filter((next) => next !== null);
  if (targets.length === 0) return;
  const key = sql.identifier(column);
  const stored = await tx.all<{ id: number; next: number | null }>(
    sql`WITH RECURSIVE reached (id) AS (
          SELECT id FROM ${table} WHERE id IN ${idsIn(targets)}
          UNION SELECT ${key} FROM reached JOIN ${table} USING (id) WHERE ${key} IS NOT NULL
        ) SELECT id, ${key} AS next FROM reached JOIN ${table} USING (id)`,
  );
  const next = new Map(stored.map((one) => [one.id, one.next]));
  for (const [id, target] of changed) next.set(id, target);
  const cyclic = onCycles(next);
  for (const draft of drafts) {
    const target = changed.get(draft.id);
    if (typeof target !== "number" || !cyclic.has(draft.id)) continue;
    refuse(draft, field, target === draft.id ? itself : cycle);
  }
}

/** Returns the target in a draft, from its input or derived columns; undefined if it does not change. */
function newTarget({ input, row, before }: Draft, field: string, column: string): number | null | undefined {
  const given: unknown = row[column] ?? input[field];
  if (given !== null && typeof given !== "number") return undefined;
  return given === (before?.[column] ?? null) ? undefined : given;
}

/** Returns the ids on cycles. Visits each id at most twice. */
function onCycles(next: ReadonlyMap<number, number | null>): ReadonlySet<number> {
  const cyclic = new Set<number>();
  const walkOf = new Map<number, number>();
  for (const start of next.keys()) {
    let at: number | null = start;
    while (at !== null && !walkOf.has(at)) {
      walkOf.set(at, start);
      at = next.get(at) ?? null;
    }
    // Reached again in the same walk, so everything from here on is a cycle.
    if (at === null || walkOf.get(at) !== start) continue;
    for (let one: number = at; !cyclic.has(one); one = next.get(one) ?? at) cyclic.add(one);
  }
  return cyclic;
}
