/** From an actor's grants to the rows that an action may touch. */

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

/** Parsed constraints, kept as long as the grant itself (actors are served from memory for a while). */
const parsed = new WeakMap<Grant, Map<string, Condition>>();

/**
 * The rows of `map` on which `actor` may do `action`; undefined when no grant names the action at all.
 * Several grants are OR; a grant without constraints opens every row. Rows that are part of another one are there
 * only where the actor may view that one.
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

/** Rows whose whole (`FieldMap.within`) the actor may view; all rows where there is none. */
function parentVisible(actor: Actor, map: FieldMap): Condition {
  if (map.within === undefined) return EVERYTHING;
  const relation = map.fields[map.within];
  if (relation?.kind !== "reference") throw new Error(`No reference "${map.within}" in ${map.objectType}`);
  return across(map.within, restriction(actor, "view", relation.target()) ?? NOTHING);
}

/**
 * A stored constraint that does not parse (a field has gone, a regular expression is in it) opens nothing; such a one
 * cannot be saved.
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

/** The rows that the actor may see; none without a grant. */
export function visible(ctx: Context, objectType: string): Condition {
  return restriction(ctx.actor, "view", ctx.mapOf(objectType)) ?? NOTHING;
}

/**
 * Authorises an action: gives the rows that it may touch, or refuses (403) when no grant names it.
 * A read-only token is refused anything but viewing.
 */
export function authorize(ctx: Context, action: string, objectType: string): Condition {
  requireWritable(ctx, action);
  const condition = restriction(ctx.actor, action, ctx.mapOf(objectType));
  if (condition === undefined) throw forbidden();
  return condition;
}

/** Whether some grant of the caller names the action: what a surface may offer him. The verb itself judges anew. */
export function isGranted({ actor, mapOf }: Context, action: string, objectType: string): boolean {
  if (action !== "view" && !actor.mayWrite) return false;
  return restriction(actor, action, mapOf(objectType)) !== undefined;
}

/** Authorises by the first of several actions that the actor holds. */
export function authorizeAny(ctx: Context, actions: readonly string[], objectType: string): Condition {
  for (const action of actions) requireWritable(ctx, action);
  const held = actions.map((action) => restriction(ctx.actor, action, ctx.mapOf(objectType)))
    .filter((condition) => condition !== undefined);
  if (held.length === 0) throw forbidden();
  return or(...held);
}

/** Refuses a read-only token any action but viewing. */
export function requireWritable(ctx: Context, action: string): void {
  if (action === "view" || ctx.actor.mayWrite) return;
  throw new AppError("forbidden", "This token is read-only and may not be used for changes.");
}

/** A restriction as SQL on the table under `alias`; undefined when it holds every row. */
export function restrictionSql(
  ctx: Context,
  condition: Condition,
  objectType: string,
  alias: string,
): SQL | undefined {
  if (isEverything(condition)) return undefined;
  return compileCondition(condition, ctx.mapOf(objectType), compileContext(ctx, alias));
}

/** A caller's filter as SQL: what it crosses to must be visible to the caller. */
export function filterSql(ctx: Context, condition: Condition, objectType: string, alias: string): SQL {
  return compileCondition(condition, ctx.mapOf(objectType), filterContext(ctx, alias));
}

/** What a caller's filter is compiled for. */
export function filterContext(ctx: Context, alias: string): CompileContext {
  return {
    ...compileContext(ctx, alias),
    visible: (related) => visible(ctx, related),
    shown: viewRestrictions(ctx),
  };
}

/** What the caller may view, as SQL: for conditions and orders that look at other tables. */
export function viewRestrictions(ctx: Context): ViewRestriction {
  return (objectType, alias) => restrictionSql(ctx, visible(ctx, objectType), objectType, alias);
}

const budgets = new WeakMap<Context, ScanBudget>();

/** What the regular expressions of a request may still cost, in all of its lists together. */
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
