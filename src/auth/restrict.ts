/** Turns an actor's grants into the condition of the rows on which an action is allowed, and checks ids against it. */

import { type SQL, sql } from "drizzle-orm";
import { AppError, forbidden } from "../base/errors.ts";
import { memoize } from "../base/memoize.ts";
import { idsIn, type Reader } from "../db/mod.ts";
import {
  across,
  and,
  compileCondition,
  type CompileContext,
  type Condition,
  EVERYTHING,
  type FieldMap,
  isEverything,
  mapIn,
  mergeAlternatives,
  NOTHING,
  or,
  parseConstraint,
  type ScanBudget,
  scanBudget,
  type TextSearch,
  type ViewRestriction,
} from "../filters/mod.ts";
import type { Context, Grant } from "./context.ts";

/**
 * Returns the condition of the rows on which the actor may perform `action`; undefined when no grant names the action.
 * Several grants are combined with OR; a grant without constraints covers every row. Rows that are part of another
 * object (`FieldMap.within`) are included only if the actor may view that object. Errors: forbidden beyond
 * {@link MAX_ACTOR_COMPARISONS}.
 */
export function restriction(ctx: Acting, action: string, map: FieldMap): Condition | undefined {
  const { actor } = ctx;
  if (actor.isSuperuser) return EVERYTHING;
  const grants = actor.grants.filter((grant) => names(grant, action, map.objectType));
  if (grants.length === 0) return undefined;
  // Constraints may name custom fields.
  const rows = grantedRows(grants, mapIn(ctx, map));
  if (rows === undefined) throw tooManyComparisons(action, map.objectType);
  return and(rows, parentVisible(ctx, map));
}

/** The actor, and the database whose custom fields constraints may name. */
type Acting = Pick<Context, "actor" | "database">;

/** Permissions are refused when they are saved beyond this limit; older ones may exceed it. */
function tooManyComparisons(action: string, objectType: string): AppError {
  return new AppError(
    "forbidden",
    `Your permissions for "${action}" on ${objectType} have more than ${MAX_ACTOR_COMPARISONS} comparisons in ` +
      "their constraints. Ask an administrator to simplify them.",
  );
}

/** Rows that are part of an object that the actor may view; all rows of a resource that is not part of another one. */
function parentVisible(ctx: Acting, map: FieldMap): Condition {
  if (map.within === undefined) return EVERYTHING;
  const relation = map.fields[map.within];
  if (relation?.kind !== "reference") throw new Error(`No reference "${map.within}" in ${map.objectType}`);
  return across(map.within, restriction(ctx, "view", relation.target()) ?? NOTHING);
}

/** Returns the condition of the rows that the actor may view; none without a grant. */
export function visible(ctx: Context, map: FieldMap): Condition {
  return restriction(ctx, "view", map) ?? NOTHING;
}

/**
 * Authorizes an action and returns the condition of the rows on which it is allowed. Errors: forbidden when no grant
 * names the action, or when a read-only token does anything but view.
 */
export function authorize(ctx: Context, action: string, map: FieldMap): Condition {
  refuseReadOnlyToken(ctx, action);
  const condition = restriction(ctx, action, map);
  if (condition === undefined) throw forbidden();
  return condition;
}

/** Whether a grant of the actor names the action, so that an interface may offer it. The operation authorizes again. */
export function isGranted({ actor }: Context, action: string, objectType: string): boolean {
  if (action !== "view" && !actor.mayWrite) return false;
  return actor.isSuperuser || actor.grants.some((grant) => names(grant, action, objectType));
}

/** Authorizes by any of several actions and returns the rows that at least one of them covers. Errors: forbidden. */
export function authorizeAny(ctx: Context, actions: readonly string[], map: FieldMap): Condition {
  for (const action of actions) refuseReadOnlyToken(ctx, action);
  const held = actions.map((action) => restriction(ctx, action, map))
    .filter((condition) => condition !== undefined);
  if (held.length === 0) throw forbidden();
  return or(...held);
}

/** Refuses every action except `view` to a read-only token. Errors: forbidden. */
export function refuseReadOnlyToken(ctx: Context, action: string): void {
  if (action === "view" || ctx.actor.mayWrite) return;
  throw new AppError("forbidden", "This token is read-only and may not be used for changes.");
}

/** Compiles a restriction to SQL on the table under `alias`; undefined when it covers every row. */
export function restrictionSql(
  ctx: Context,
  condition: Condition,
  map: FieldMap,
  alias: string,
  search?: TextSearch,
): SQL | undefined {
  if (isEverything(condition)) return undefined;
  return compileCondition(condition, mapIn(ctx, map), {
    ...compileContext(ctx, alias),
    ...searching(search),
  });
}

function searching(search: TextSearch | undefined): Pick<CompileContext, "search"> {
  return search === undefined ? {} : { search };
}

/** Compiles a caller's filter to SQL. Related rows that the caller may not view do not match. */
export function filterSql(
  ctx: Context,
  condition: Condition,
  map: FieldMap,
  alias: string,
  search?: TextSearch,
): SQL {
  return compileCondition(condition, mapIn(ctx, map), { ...filterContext(ctx, alias), ...searching(search) });
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
  return (target, alias) => {
    const map = typeof target === "string" ? ctx.mapOf(target) : target;
    return restrictionSql(ctx, visible(ctx, map), map, alias);
  };
}

/** Returns the remaining cost budget for regular expressions, which all lists of one request share. */
export const scanBudgetOf: (ctx: Context) => ScanBudget = memoize(() => scanBudget());

function compileContext(ctx: Context, alias: string): CompileContext {
  return {
    alias,
    now: ctx.clock.now(),
    userId: ctx.actor.userId,
    thresholds: { criticalDays: ctx.settings.criticalDays, warningDays: ctx.settings.warningDays },
  };
}

/**
 * Comparisons of all grants of one actor for one action on one object type; values that one field is compared with for
 * equality count once. Every request evaluates them: 300 text searches take 0.13 s on 20,000 rows.
 */
export const MAX_ACTOR_COMPARISONS = 300;

/** Whether a grant names the action on the object type. */
export function names(grant: Grant, action: string, objectType: string): boolean {
  return grant.actions.includes(action) && grant.objectTypes.includes(objectType);
}

/** Returns the rows that any of `grants` covers; undefined beyond {@link MAX_ACTOR_COMPARISONS}. */
export function grantedRows(grants: readonly Grant[], map: FieldMap): Condition | undefined {
  const open = grants.filter(({ constraints }) => isOpen(constraints));
  // One without constraints covers the rows of all others, which are not even parsed then.
  const effective = open.length > 0 ? open.slice(0, 1) : grants;
  return mergeAlternatives(conditionsOf(effective, map), { max: MAX_ACTOR_COMPARISONS });
}

/** Whether constraints leave out no row. */
export function isOpen(constraints: unknown): boolean {
  if (Array.isArray(constraints)) return constraints.length === 0 || constraints.some(isOpen);
  return Object.keys(constraints ?? {}).length === 0;
}

/** Parses one constraint after the other, so that a caller can stop at a limit. */
function* conditionsOf(grants: readonly Grant[], map: FieldMap): Generator<Condition> {
  for (const grant of grants) yield constraintOf(grant)(map);
}

/**
 * Parses a stored constraint. One that is no longer valid, because a field was removed in a later release or a custom
 * field was deleted, covers no row; new ones are validated when they are saved. The result lives as long as the grant,
 * which the actor cache keeps for a while.
 */
const constraintOf = memoize(({ constraints }: Grant) =>
  memoize((map: FieldMap): Condition => {
    const { condition, errors } = parseConstraint(constraints, map);
    return Object.keys(errors).length > 0 ? NOTHING : condition;
  })
);

/** Returns those of `ids` on which the actor may perform `action`. One statement, none for an unrestricted actor. */
export async function permittedIds(
  { ctx, reader }: { ctx: Context; reader: Reader },
  { action, map, ids }: { action: string; map: FieldMap; ids: readonly number[] },
): Promise<Set<number>> {
  const test = restrictionSql(ctx, restriction(ctx, action, map) ?? NOTHING, map, map.table);
  if (test === undefined || ids.length === 0) return new Set(ids);
  const table = sql.identifier(map.table);
  const rows = await reader.all<{ id: number }>(
    sql`SELECT ${table}.id FROM ${table} WHERE ${table}.id IN ${idsIn(ids)} AND ${test}`,
  );
  return new Set(rows.map((row) => row.id));
}
