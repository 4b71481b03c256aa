/** Successors of certificates: following `replaced_by` must come to an end. */

import { sql } from "drizzle-orm";
import { idsIn, type Transaction } from "../../db/mod.ts";
import { type Draft, refuse } from "../../resource/mod.ts";

const ITSELF = "A certificate cannot replace itself.";
const CYCLE = "A certificate cannot be replaced by one that it replaces, directly or through others.";

/**
 * Refuses drafts whose new successor leads back to themselves, through stored certificates and other drafts of the
 * call. One statement, none where no successor changes. A cycle that was stored before can still be resolved.
 */
export async function refuseCycles(tx: Transaction, drafts: readonly Draft[]): Promise<void> {
  const changed = new Map<number, number | null>();
  for (const draft of drafts) {
    const next = successorOf(draft);
    if (next !== undefined) changed.set(draft.id, next);
  }
  const targets = [...changed.values()].filter((next) => next !== null);
  if (targets.length === 0) return;
  const stored = await tx.all<{ id: number; next: number | null }>(
    sql`WITH RECURSIVE reached (id) AS (
          SELECT id FROM certificates WHERE id IN ${idsIn(targets)}
          UNION SELECT replaced_by_id FROM reached JOIN certificates USING (id) WHERE replaced_by_id IS NOT NULL
        ) SELECT id, replaced_by_id AS next FROM reached JOIN certificates USING (id)`,
  );
  const next = new Map(stored.map((one) => [one.id, one.next]));
  for (const [id, target] of changed) next.set(id, target);
  const cyclic = onCycles(next);
  for (const draft of drafts) {
    const target = changed.get(draft.id);
    if (typeof target !== "number" || !cyclic.has(draft.id)) continue;
    refuse(draft, "replaced_by", target === draft.id ? ITSELF : CYCLE);
  }
}

/** The successor that a draft gives, by its field or as a derived column; undefined where it stays what it was. */
function successorOf({ input, row, before }: Draft): number | null | undefined {
  const given = (row.replaced_by_id ?? input.replaced_by) as unknown;
  if (given !== null && typeof given !== "number") return undefined;
  return given === (before?.replaced_by_id ?? null) ? undefined : given;
}

/** Ids that are met again when their successors are followed. Each is visited twice at most. */
function onCycles(next: ReadonlyMap<number, number | null>): ReadonlySet<number> {
  const cyclic = new Set<number>();
  const walkOf = new Map<number, number>();
  for (const start of next.keys()) {
    let at: number | null = start;
    while (at !== null && !walkOf.has(at)) {
      walkOf.set(at, start);
      at = next.get(at) ?? null;
    }
    // Met in this walk, not in an earlier one: everything from here on is a cycle.
    if (at === null || walkOf.get(at) !== start) continue;
    for (let one: number = at; !cyclic.has(one); one = next.get(one) as number) cyclic.add(one);
  }
  return cyclic;
}
