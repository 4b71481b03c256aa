/** Checks constraints while a user types them, and lists the fields that they can contain. */

import { authorize, type Context, isGranted, isObjectType } from "../../../auth/mod.ts";
import { mapIn, parseConstraint } from "../../../filters/mod.ts";
import { countObjects, resourceOfType } from "../../../resource/mod.ts";
import { compileConstraints, constrainedMap } from "./constraints.ts";
import { CONSTRAINTS } from "./fields.ts";

const PERMISSION = "users.objectpermission";

/** Result of checking constraints. */
export interface CheckedConstraints {
  readonly errors: readonly string[];
  /** Number of matching objects that the caller may view, for the first object types only. */
  readonly matches: readonly { readonly objectType: string; readonly count: number }[];
}

/** Maximum number of types whose matching objects are counted while a user types. */
const MAX_COUNTED_TYPES = 5;

/**
 * Returns the errors that saving `constraints` (JSON text) for these object types would cause, or else the
 * number of matching objects. Ignores unknown types. Errors: forbidden (the caller may neither add nor change
 * permissions).
 */
export async function checkConstraints(
  { ctx, input }: {
    ctx: Context;
    input: { readonly objectTypes: readonly string[]; readonly constraints: string };
  },
): Promise<CheckedConstraints> {
  const { errors, constraints } = validated({ ctx, input });
  if (errors.length > 0) return { errors, matches: [] };
  const types = input.objectTypes.filter((type) => isObjectType(type) && isGranted(ctx, "view", type));
  const matches = [];
  for (const objectType of types.slice(0, MAX_COUNTED_TYPES)) {
    const resource = resourceOfType(objectType);
    if (resource === undefined) continue;
    const { condition: filter } = parseConstraint(constraints, mapIn(ctx, resource.map));
    matches.push({ objectType, count: await countObjects({ ctx, resource, filter }) });
  }
  return { errors, matches };
}

function validated(
  { ctx, input }: {
    ctx: Context;
    input: { readonly objectTypes: readonly string[]; readonly constraints: string };
  },
): { errors: readonly string[]; constraints: unknown } {
  if (!isGranted(ctx, "add", PERMISSION)) authorize(ctx, "change", ctx.mapOf(PERMISSION));
  const given = parseJson(input.constraints);
  if (given === undefined) return { errors: ["Expected JSON."], constraints: null };
  const read = CONSTRAINTS.safeParse(given);
  if (!read.success) {
    return { errors: read.error.issues.map(({ message }) => message), constraints: null };
  }
  const objectTypes = input.objectTypes.filter(isObjectType);
  const errors = compileConstraints(ctx, { objectTypes, actions: [], constraints: read.data });
  return { errors, constraints: read.data };
}

/** Parses JSON text: null if empty, undefined if invalid. */
function parseJson(text: string): unknown {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the field paths that constraints on a type can contain, including fields of referenced objects. */
export function constraintNames(ctx: Context, objectType: string): string[] {
  return Object.entries(constrainedMap(ctx, objectType)?.fields ?? {}).flatMap(([name, field]) =>
    field.kind === "reference" || field.kind === "many"
      ? [name, ...field.keys.map((key) => `${name}__${key}`)]
      : [name]
  );
}
