/** The change log keeps ids of what a certificate referred to; of those, the caller reads what he may see. */

import { type Context, permittedIds } from "../../access/mod.ts";
import { certificates } from "../certificates/mod.ts";

/** Fields of one step that changed. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

/** Takes ids of objects that the caller may not see out of changes: from a list they go, alone they become null. */
export async function hideReferences(ctx: Context, steps: readonly Changes[]): Promise<void> {
  for (const { name, target } of Object.values(certificates.fields)) {
    const changes = steps.flatMap((step) => step[name] ?? []);
    if (target === undefined || changes.length === 0) continue;
    const ids = changes.flatMap(({ from, to }) => [from, to].flat()).filter((id) => typeof id === "number");
    const seen = await permittedIds({ ctx, reader: ctx.database }, {
      action: "view",
      objectType: target().objectType,
      ids: [...new Set(ids)],
    });
    const shown = (id: unknown): boolean => typeof id === "number" && seen.has(id);
    for (const change of changes) {
      for (const side of ["from", "to"] as const) {
        const value = change[side];
        change[side] = Array.isArray(value) ? value.filter(shown) : shown(value) ? value : null;
      }
    }
  }
}
