/** Turns an actor's grants into the condition of the rows on which an action is allowed. */

import type { SQL } from "drizzle-orm";
import { AppError, forbidden } from "../base/errors.ts";
import {
  across,
  and,
  compileCondition,
  type CompileContext,
  type Condition,
  EVERYTHING,
  type FieldMap,
  isEverything,
  NOTHING,
  or,
  parseConstraint,
  type ScanBudget,
  scanBudget,
  type ViewRestriction,
} from "../filters/mod.ts";
import type { Actor, Context, Grant } from "./context.ts";

/** Parsed constraints; they live as long as the grant, which the actor cache keeps for a while. */
const parsed = new WeakMap<Grant, Map<string, Condition>>();

/**
 * Returns the condition of the rows on which `actor` may perform `action`; undefined when no grant names the action.
 * Several grants are combined by OR; a grant without constraints covers every row. Rows that are part of another
 * object (`FieldMap.within`) are included only if the actor may view that object.
 */
export function restriction(actor: Actor, action: string, map: FieldMap): Condition | undefined {
  if (actor.isSuperuser) return EVERYTHING;
  const terms: Condition[] = [];
  for (const grant of actor.grants) {
    if (!grant.actions.includes(action) || !grant.objectTypes.includes(map.objectType)) continue;
    const condition = constraintOf(grant, map);
    terms.push(condition);
  }
  return terms.length === 0 ? undefined : and(or(...terms), parentVisible(actor, map));
}

/** Rows that are part of an object that the actor may view; all rows of a resource that is no part of another one. */
function parentVisible(actor: Actor, map: FieldMap): Condition {
  if (map.within === undefined) return EVERYTHING;
  const relation = map.fields[map.within];
  if (relation?.kind !== "reference") throw new Error(`No reference "${map.within}" in ${map.objectType}`);
  return across(map.within, restriction(actor, "view", relation.target()) ?? NOTHING);
}

/**
 * Parses a stored constraint. One that is no longer valid, because a field was removed in a later release, covers
 * no row; new ones are validated when they are saved.
 */
function constraintOf(grant: Grant, map: FieldMap): Condition {
  const known = parsed.get(grant) ?? new Map<string, Condition>();
  parsed.set(grant, known);
  const cached = known.get(map.objectType);
  if (cached !== undefined) return cached;
  const { condition, errors } = parseConstraint(grant.constraints, map);
  const result = Object.keys(errors).length > 0 ? NOTHING : condition;
  known.set(map.objectType, result);
  return result;
}

/** Returns the condition of the rows that the actor may view; none without a grant. */
export function visible(ctx: Context, objectType: string): Condition {
  return restriction(ctx.actor, "view", ctx.mapOf(objectType)) ?? NOTHING;
}

/**
 * Authorizes an action and returns the condition of the rows on which it is allowed. Errors: forbidden when no grant
 * names the action, or when a read-only token does anything but view.
 */
export function authorize(ctx: Context, action: string, objectType: string): Condition {
  requireWritable(ctx, action);
  const condition = restriction(ctx.actor, action, ctx.mapOf(objectType));
  if (condition === undefined) throw forbidden();
  return condition;
}

/** Whether a grant of the actor names the action, so that an interface may offer it. The operation authorizes again. */
export function isGranted({ actor, mapOf }: Context, action: string, objectType: string): boolean {
  if (action !== "view" && !actor.mayWrite) return false;
  return restriction(actor, action, mapOf(objectType)) !== undefined;
}

/** Authorizes by any of several actions and returns the rows that at least one of them covers. Errors: forbidden. */
export function authorizeAny(ctx: Context, actions: readonly string[], objectType: string): Condition {
  for (const action of actions) requireWritable(ctx, action);
  const held = actions.map((action) => restriction(ctx.actor, action, ctx.mapOf(objectType)))
    .filter((condition) => condition !== undefined);
  if (held.length === 0) throw forbidden();
  return or(...held);
}

/** Refuses every action except `view` to a read-only token. Errors: forbidden. */
export function requireWritable(ctx: Context, action: string): void {
  if (action === "view" || ctx.actor.mayWrite) return;
  throw new AppError("forbidden", "This token is read-only and may not be used for changes.");
}

/** Compiles a restriction to SQL on the table under `alias`; undefined when it covers every row. */
export function restrictionSql(
  ctx: Context,
  condition: Condition,
  objectType: string,
  alias: string,
): SQL | undefined {
  if (isEverything(condition)) return undefined;
  return compileCondition(condition, ctx.mapOf(objectType), compileContext(ctx, alias));
}

/** Compiles a caller's filter to SQL. Related rows that the caller may not view do not match. */
export function filterSql(ctx: Context, condition: Condition, objectType: string, alias: string): SQL {
  return compileCondition(condition, ctx.mapOf(objectType), filterContext(ctx, alias));
}

/** Returns the context in which a caller's filter is compiled. */
export function filterContext(ctx: Context, alias: string): CompileContext {
  return {
    ...compileContext(ctx, alias),
    visible: (related) => visible(ctx, related),
    shown: viewRestrictions(ctx),
  };
}

/** Returns the caller's view restrictions as SQL, for conditions and orderings that read other tables. */
export function viewRestrictions(ctx: Context): ViewRestriction {
  return (objectType, alias) => restrictionSql(ctx, visible(ctx, objectType), objectType, alias);
}

const budgets = new WeakMap<Context, ScanBudget>();

/** Returns the remaining cost budget for regular expressions, which all lists of one request share. */
export function scanBudgetOf(ctx: Context): ScanBudget {
  const budget = budgets.get(ctx) ?? scanBudget();
  budgets.set(ctx, budget);
  return budget;
}

function compileContext(ctx: Context, alias: string): CompileContext {
  return {
    alias,
    now: ctx.clock.now(),
    userId: ctx.actor.userId,
    thresholds: { criticalDays: ctx.settings.criticalDays, warningDays: ctx.settings.warningDays },
  };
}
