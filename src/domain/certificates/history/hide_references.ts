/** Removes the ids of hidden objects from change records. */

import { type Context, permittedIds, visible } from "../../../auth/mod.ts";
import { isEverything } from "../../../filters/mod.ts";
import { certificates } from "../mod.ts";

/** Changed fields of an entry. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

/** Returns whether objects to which a certificate can refer may be hidden from the caller. */
export function hidesReferences(ctx: Context): boolean {
  return Object.values(certificates.fields).some(({ target }) =>
    target !== undefined && !isEverything(visible(ctx, target().map))
  );
}

/**
 * Removes the ids of hidden objects from lists, and replaces single ids by null. Removes a change if both
 * sides are equal after that.
 */
export async function hideReferences(ctx: Context, steps: readonly Changes[]): Promise<void> {
  for (const { name, target } of Object.values(certificates.fields)) {
    const changes = steps.flatMap((step) => step[name] ?? []);
    if (target === undefined || changes.length === 0) continue;
    const ids = changes.flatMap(({ from, to }) => [from, to].flat()).filter((id) => typeof id === "number");
    const seen = await permittedIds({ ctx, reader: ctx.database }, {
      action: "view",
      map: target().map,
      ids: [...new Set(ids)],
    });
    const shown = (id: unknown): boolean => typeof id === "number" && seen.has(id);
    for (const change of changes) {
      for (const side of ["from", "to"] as const) {
        const value = change[side];
        change[side] = Array.isArray(value) ? value.filter(shown) : shown(value) ? value : null;
      }
    }
    for (const step of steps) {
      const change = step[name];
      if (change !== undefined && JSON.stringify(change.from) === JSON.stringify(change.to)) {
        delete step[name];
      }
    }
  }
}
