/** Checks constraints while they are typed, and lists the fields that they may name. */

import { authorize, type Context, isGranted, isObjectType } from "../../../auth/mod.ts";
import { compileConstraints, constrainedMap } from "./constraints.ts";
import { CONSTRAINTS } from "./fields.ts";

const PERMISSION = "users.objectpermission";

/**
 * Returns the errors that saving `constraints` (JSON text) for these object types would have; ignores unknown types. No
 * statement. Errors: forbidden (the caller may neither add nor change permissions).
 */
export function checkConstraints(
  { ctx, input }: {
    ctx: Context;
    input: { readonly objectTypes: readonly string[]; readonly constraints: string };
  },
): string[] {
  if (!isGranted(ctx, "add", PERMISSION)) authorize(ctx, "change", ctx.mapOf(PERMISSION));
  const given = parseJson(input.constraints);
  if (given === undefined) return ["Expected JSON."];
  const read = CONSTRAINTS.safeParse(given);
  if (!read.success) return read.error.issues.map(({ message }) => message);
  const objectTypes = input.objectTypes.filter(isObjectType);
  return compileConstraints(ctx, { objectTypes, actions: [], constraints: read.data });
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

/** Returns the field paths that constraints on a type may use, including names of referenced objects. */
export function constraintNames(ctx: Context, objectType: string): string[] {
  return Object.entries(constrainedMap(ctx, objectType)?.fields ?? {}).flatMap(([name, field]) =>
    field.kind === "reference" || field.kind === "many"
      ? [name, ...field.keys.map((key) => `${name}__${key}`)]
      : [name]
  );
}
