/** Removes the ids of hidden objects from change records. */

import { type Context, permittedIds, visible } from "../../../auth/mod.ts";
import { isDictionary, isEverything } from "../../../filters/mod.ts";
import { CUSTOM_COLUMN, customFieldsOf, type Resource, resourceOfType } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";

/** Changed fields of an entry. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

/** Returns whether objects to which a certificate can refer may be hidden from the caller. */
export function hidesReferences(ctx: Context): boolean {
  const custom = customTargets(ctx).map(([, target]) => target);
  const targets = Object.values(certificates.fields).flatMap(({ target }) => target?.() ?? []);
  return [...targets, ...custom].some(({ map }) => !isEverything(visible(ctx, map)));
}

/** Returns the custom fields that refer to objects, with the resources of these. */
function customTargets({ database }: Context): [name: string, target: Resource][] {
  return customFieldsOf(database, certificates.objectType).flatMap(({ name, type, relatedType }) => {
    const target = type === "object" ? resourceOfType(relatedType ?? "") : undefined;
    return target === undefined ? [] : [[name, target]];
  });
}

/** Replaces the ids of hidden objects in values of custom fields by null. */
async function hideCustomReferences(ctx: Context, steps: readonly Changes[]): Promise<void> {
  const values = steps.flatMap(({ [CUSTOM_COLUMN]: change }) => [change?.from, change?.to])
    .filter(isDictionary);
  for (const [name, { map }] of customTargets(ctx)) {
    const ids = [...new Set(values.map((value) => value[name]).filter((id) => typeof id === "number"))];
    const seen = await permittedIds({ ctx, reader: ctx.database }, { action: "view", map, ids });
    for (const value of values) if (!seen.has(Number(value[name]))) value[name] = null;
  }
  for (const step of steps) dropEqual(step, CUSTOM_COLUMN);
}

function dropEqual(step: Changes, name: string): void {
  const change = step[name];
  if (change !== undefined && JSON.stringify(change.from) === JSON.stringify(change.to)) delete step[name];
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
    for (const step of steps) dropEqual(step, name);
  }
  await hideCustomReferences(ctx, steps);
}
