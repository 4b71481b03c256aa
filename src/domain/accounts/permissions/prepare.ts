/** Validates permissions: object types, actions, constraints (also while a user types them), and what can be granted. */

import { z } from "zod";
import {
  authorize,
  canonicalAction,
  type Context,
  isGranted,
  isObjectType,
  isOpen,
  OBJECT_TYPES,
  type ObjectType,
  restriction,
} from "../../../auth/mod.ts";
import { boundedList } from "../../../base/bounded_list.ts";
import { AppError } from "../../../base/errors.ts";
import { concerns, type Finding, finding, issue, ofIssue, textOf, within } from "../../../base/findings.ts";
import { MAX_CHOICES, MAX_CONSTRAINT_CHARS } from "../../../base/limits.ts";
import { pacer } from "../../../base/pace.ts";
import type { ObjectRow } from "../../../db/mod.ts";
import {
  type FieldMap,
  isDictionary,
  isEverything,
  mapIn,
  nearest,
  parseConstraint,
  quoteInput,
} from "../../../filters/mod.ts";
import {
  countObjects,
  documented,
  type Draft,
  effectiveJson,
  type Field,
  json,
  quote,
  refuse,
  resourceOfType,
  type Values,
  type WriteStep,
} from "../../../resource/mod.ts";

interface CheckedConstraints {
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
    return { errors: read.error.issues.map((one) => textOf(ofIssue(one))), constraints: null };
  }
  const objectTypes = input.objectTypes.filter(isObjectType);
  const errors = compileConstraints(ctx, { objectTypes, actions: [], constraints: read.data });
  return { errors: errors.map((one) => textOf(one)), constraints: read.data };
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

const names = boundedList(z.string({ error: issue("unexpected", { expected: "text" }) }).trim(), {
  max: MAX_CHOICES,
  error: ({ input }) =>
    input === undefined ? issue("required") : issue("unexpected", { expected: "a list of names" }),
  empty: issue("expected_some", { thing: "name" }),
});

/** Defines a field with a list of object types or actions. */
export function namesField<const Name extends string>(
  name: Name,
  description: string,
): Field<Name, string[]> {
  return json(name, { description, required: true, schema: names });
}

// Not z.record, which silently drops the key "__proto__", and without a filter the permission would apply to
// more rows.
const checked = z.custom<Values | Values[]>(
  (given) => isDictionary(given) || (Array.isArray(given) && given.every(isDictionary)),
  { error: issue("unexpected", { expected: "an object of filters, a list of such objects, or null" }) },
).refine(
  (given) => JSON.stringify(given).length <= MAX_CONSTRAINT_CHARS,
  {
    error: issue("too_long", { max: MAX_CONSTRAINT_CHARS }),
  },
);

/** The form of constraints. Their content is validated for each object type. */
export const CONSTRAINTS = documented(checked, {
  anyOf: [{ type: "object" }, { type: "array", items: { type: "object" } }],
}).nullable();

/**
 * Defines the field `constraints`: an object means AND, a list of objects OR. null, `{}` and `[]` select all
 * rows.
 */
export function constraintsField(): Field<"constraints", z.infer<typeof CONSTRAINTS>> {
  return json("constraints", {
    description:
      'The objects it applies to, as filters by field path: `{"tenant__name": "acme"}` (AND), a list of such objects (OR), or null (all). `"$user"` is the id of the caller.',
    schema: CONSTRAINTS,
    fallback: null,
  });
}

interface Permission {
  readonly objectTypes: readonly ObjectType[];
  readonly actions: readonly string[];
  readonly constraints: unknown;
}

const PERMISSION = "users.objectpermission";

/**
 * Refuses a permission that grants more than the caller may grant. Who may add or change permissions without
 * constraints can grant anything, except superuser status, which is a field of the account. Within constraints,
 * users can grant their own permissions, if these have no constraints or the same ones. Errors: forbidden.
 */
function guardDelegation(
  ctx: Context,
  { permission, action }: { permission: Permission; action: "add" | "change" },
): void {
  const rows = restriction(ctx, action, ctx.mapOf(PERMISSION));
  if (rows !== undefined && isEverything(rows)) return;
  for (const objectType of permission.objectTypes) {
    for (const name of permission.actions) {
      if (!holds(ctx, { objectType, action: name, constraints: permission.constraints })) {
        throw new AppError(
          "forbidden",
          `You cannot grant "${name}" on ${objectType} beyond your own permission.`,
        );
      }
    }
  }
}

function holds(
  { actor }: Context,
  { objectType, action, constraints }: { objectType: string; action: string; constraints: unknown },
): boolean {
  const given = JSON.stringify(constraints);
  return actor.grants.some((grant) =>
    grant.objectTypes.includes(objectType) && grant.actions.includes(action) &&
    (isOpen(grant.constraints) || JSON.stringify(grant.constraints) === given)
  );
}

/** Returns the errors of constraints for all their object types. Each message names the key. */
export function compileConstraints(ctx: Context, { objectTypes, constraints }: Permission): Finding[] {
  if (constraints === null || constraints === undefined) return [];
  return objectTypes.flatMap((objectType) => {
    const map = constrainedMap(ctx, objectType);
    if (map === undefined) {
      return [{ ...finding("not_constrainable"), path: [objectType] }];
    }
    const { errors } = parseConstraint(constraints, mapIn(ctx, map));
    return within(errors, quoteInput).map((one) => ({
      ...one,
      path: [[objectType, ...one.path ?? []].join(": ")],
    }));
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

/**
 * Validates names, shortens actions (`add_device` → `add`), compiles constraints, and limits what can be
 * granted.
 */
export async function preparePermissions(step: WriteStep): Promise<void> {
  const pause = pacer();
  for (const draft of step.drafts) {
    await pause();
    const objectTypes = readObjectTypes(draft);
    const actions = objectTypes === undefined ? undefined : readActions(draft, objectTypes);
    if (objectTypes === undefined || actions === undefined || concerns(draft.errors, "constraints")) {
      continue;
    }
    const permission: Permission = { objectTypes, actions, constraints: effectiveJson(draft, "constraints") };
    for (const message of compileConstraints(step.ctx, permission)) refuse(draft, "constraints", message);
    guardDelegation(step.ctx, { permission, action: draft.before === undefined ? "add" : "change" });
  }
}

type PermissionDraft = Draft<ObjectRow, Values & { object_types?: string[]; actions?: string[] }>;

function readObjectTypes(draft: PermissionDraft): ObjectType[] | undefined {
  const names = effectiveJson(draft, "object_types");
  if (names === undefined || concerns(draft.errors, "object_types")) return undefined;
  for (const name of names.filter((name) => !isObjectType(name))) {
    const near = nearest(name, OBJECT_TYPES);
    refuse(draft, "object_types", finding("unknown_object_type", { value: quote(name), suggestion: near }));
  }
  if (concerns(draft.errors, "object_types")) return undefined;
  const types = [...new Set(names.filter(isObjectType))];
  if ("object_types" in draft.input) draft.input.object_types = types;
  return types;
}

/** Returns the actions in their short form; undefined if there are errors. */
function readActions(draft: PermissionDraft, objectTypes: readonly ObjectType[]): string[] | undefined {
  const given = effectiveJson(draft, "actions");
  if (given === undefined || concerns(draft.errors, "actions")) return undefined;
  const actions = new Set<string>();
  for (const text of given) {
    const action = canonicalAction(text, objectTypes);
    if (action !== undefined) actions.add(action);
    else {refuse(
        draft,
        "actions",
        finding("unknown_action", { value: quote(text), object_types: objectTypes }),
      );}
  }
  if (concerns(draft.errors, "actions")) return undefined;
  if ("actions" in draft.input) draft.input.actions = [...actions];
  return [...actions];
}
