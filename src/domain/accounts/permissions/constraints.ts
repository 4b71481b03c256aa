/** Compiles constraints when they are saved, so that no later request trips over them. */

import type { Context } from "../../../auth/mod.ts";
import { type FieldMap, parseConstraint } from "../../../filters/mod.ts";
import type { Permission } from "./delegation.ts";

/** What is wrong with the constraints on any of the types that they are to hold for; each message names the key. */
export function compileConstraints(ctx: Context, { objectTypes, constraints }: Permission): string[] {
  if (constraints === null || constraints === undefined) return [];
  return objectTypes.flatMap((objectType) => {
    const map = mapOf(ctx, objectType);
    if (map === undefined) {
      return [
        `${objectType}: Such objects cannot be constrained in this release; leave the constraints empty.`,
      ];
    }
    return faults(constraints, map).map((fault) => `${objectType}: ${fault}`);
  });
}

/** Undefined for types that no resource of this release stands for. */
export function mapOf(ctx: Context, objectType: string): FieldMap | undefined {
  try {
    return ctx.mapOf(objectType);
  } catch {
    return undefined;
  }
}

function faults(constraints: unknown, map: FieldMap): string[] {
  const { errors } = parseConstraint(constraints, map);
  return Object.entries(errors).flatMap(([key, list]) =>
    list.map((message) => key === "__all__" ? message : `“${key}”: ${message}`)
  );
}
