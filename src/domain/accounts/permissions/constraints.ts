/** Compiles constraints when they are saved, so that no later request fails because of them. */

import type { Context } from "../../../auth/mod.ts";
import { type FieldMap, mapIn, parseConstraint, quoteInput } from "../../../filters/mod.ts";
import type { Permission } from "./delegation.ts";

/** Returns the errors of constraints for all their object types. Each message names the key. */
export function compileConstraints(ctx: Context, { objectTypes, constraints }: Permission): string[] {
  if (constraints === null || constraints === undefined) return [];
  return objectTypes.flatMap((objectType) => {
    const map = constrainedMap(ctx, objectType);
    if (map === undefined) {
      return [
        `${objectType}: This release has no such objects, so they cannot be constrained. Leave the constraints empty.`,
      ];
    }
    return faults(constraints, mapIn(ctx, map)).map((fault) => `${objectType}: ${fault}`);
  });
}

/** Returns the field map of a type; undefined if this release has no such resource. */
export function constrainedMap(ctx: Context, objectType: string): FieldMap | undefined {
  try {
    return ctx.mapOf(objectType);
  } catch {
    return undefined;
  }
}

function faults(constraints: unknown, map: FieldMap): string[] {
  const { errors } = parseConstraint(constraints, map);
  return Object.entries(errors).flatMap(([key, list]) =>
    list.map((message) => key === "__all__" ? message : `${quoteInput(key)}: ${message}`)
  );
}
