/** Judges constraints before they are saved, for whoever is typing them; and says what they may be made of. */

import { authorize, type Context, isGranted, isObjectType } from "../../../auth/mod.ts";
import { compileConstraints, mapOf } from "./constraints.ts";
import { CONSTRAINTS } from "./fields.ts";

const PERMISSION = "users.objectpermission";

/**
 * What saving would find wrong with `constraints`, a JSON text, for these object types; unknown types are passed over.
 * No statement. Errors: forbidden, for those who may neither add nor change permissions.
 */
export function checkConstraints(
  { ctx, input }: {
    ctx: Context;
    input: { readonly objectTypes: readonly string[]; readonly constraints: string };
  },
): string[] {
  if (!isGranted(ctx, "add", PERMISSION)) authorize(ctx, "change", PERMISSION);
  const given = parseJson(input.constraints);
  if (given === undefined) return ["Expected JSON."];
  const read = CONSTRAINTS.safeParse(given);
  if (!read.success) return read.error.issues.map(({ message }) => message);
  const objectTypes = input.objectTypes.filter(isObjectType);
  return compileConstraints(ctx, { objectTypes, actions: [], constraints: read.data });
}

/** Undefined for what is no JSON; nothing at all is null. */
function parseJson(text: string): unknown {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields that constraints on a type may name; of what they refer to, the fields that name it. */
export function constraintNames(ctx: Context, objectType: string): string[] {
  return Object.entries(mapOf(ctx, objectType)?.fields ?? {}).flatMap(([name, field]) =>
    field.kind === "reference" || field.kind === "many"
      ? [name, ...field.keys.map((key) => `${name}__${key}`)]
      : [name]
  );
}
