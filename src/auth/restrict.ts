/**
 * Converts an actor's permissions to the condition for the rows on which an action is allowed, and checks ids
 * against it.
 */

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
  type ViewRestriction,
} from "../filters/mod.ts";
import type { Context, Grant } from "./context.ts";

/**
 * Returns the condition for the rows on which the actor may perform `action`; undefined if no permission
 * includes the action. Several permissions are combined with OR. One without constraints covers every row.
 * Hidden rows are missing for every action: an actor with any permission to view the type acts only on rows
 * that they may view. One without any acts by the permissions of the action alone. Errors: forbidden (more
 * than {@link MAX_ACTOR_COMPARISONS} comparisons).
 */
export function restriction(ctx: Acting, action: string, map: FieldMap): Condition | undefined {
  const rows = newRows(ctx, action, map);
  if (rows === undefined || SELECTS_NONE.includes(action)) return rows;
  // Permissions that also include `view` cover no hidden row, unless the parent is hidden.
  const areViewed = map.within === undefined &&
    ctx.actor.grants.every((grant) =>
      !names(grant, action, map.objectType) || names(grant, "view", map.objectType)
    );
  return areViewed ? rows : and(rows, nameable(ctx, map));
}

/** `view` itself, and actions that create rows, of which none can be hidden. */
const SELECTS_NONE: readonly string[] = ["view", "add", "import"];

/**
 * Returns the condition for the rows that the actor may create by an action: those of its permissions alone;
 * undefined if no permission includes it. Errors: forbidden (as {@link restriction}).
 */
export function newRows(ctx: Acting, action: string, map: FieldMap): Condition | undefined {
  const { actor } = ctx;
  if (actor.isSuperuser) return EVERYTHING;
  const grants = actor.grants.filter((grant) => names(grant, action, map.objectType));
  if (grants.length === 0) return undefined;
  // Constraints can contain custom fields.
  const rows = grantedRows(grants, mapIn(ctx, map));
  if (rows === undefined) throw tooManyComparisons(action, map.objectType);
  return and(rows, parentRows(ctx, action, map));
}

/**
 * Returns the condition for the rows that a request may name: those that the actor may view; all rows for an
 * actor without any permission to view the type, who would otherwise need more permissions than those of the
 * action.
 */
export function nameable(ctx: Acting, map: FieldMap): Condition {
  return restriction(ctx, "view", map) ?? EVERYTHING;
}

/** The actor, and the database whose custom fields constraints can contain. */
type Acting = Pick<Context, "actor" | "database">;

/** Returns the error for an actor above the limit, which permissions that were saved earlier may exceed. */
function tooManyComparisons(action: string, objectType: string): AppError {
  return new AppError(
    "forbidden",
    `Your permissions for "${action}" on ${objectType} have more than ${MAX_ACTOR_COMPARISONS} comparisons in ` +
      "their constraints. Ask an administrator to simplify them.",
  );
}

/**
 * Returns the condition for rows that are part of an object on which the actor may act in this way; all rows
 * if the resource is not part of another.
 */
function parentRows(ctx: Acting, action: string, map: FieldMap): Condition {
  if (map.within === undefined) return EVERYTHING;
  const relation = map.fields[map.within];
  if (relation?.kind !== "reference") throw new Error(`No reference "${map.within}" in ${map.objectType}`);
  const parent = relation.target();
  return across(map.within, action === "view" ? visible(ctx, parent) : nameable(ctx, parent));
}

/** Returns the condition for the rows that the actor may view; none without a permission. */
export function visible(ctx: Acting, map: FieldMap): Condition {
  return restriction(ctx, "view", map) ?? NOTHING;
}

/**
 * Authorizes an action, and returns the condition for the rows on which it is allowed. Errors: forbidden (no
 * permission includes the action, a read-only token is used for anything but `view`, or a limited one for what it
 * cannot limit).
 */
export function authorize(ctx: Context, action: string, map: FieldMap): Condition {
  refuseReadOnlyToken(ctx, action);
  refuseLimitedToken(ctx, action, map.objectType);
  const condition = restriction(ctx, action, map);
  if (condition === undefined) throw forbidden();
  return condition;
}

/**
 * Returns whether a permission of the actor includes the action, so that an interface can offer it. The
 * operation authorizes again.
 */
export function isGranted({ actor }: Context, action: string, objectType: string): boolean {
  if (action !== "view" && !actor.mayWrite) return false;
  return actor.isSuperuser || actor.grants.some((grant) => names(grant, action, objectType));
}

/**
 * Authorizes by any of several actions, and returns the condition for the rows that at least one of them
 * covers. Errors: forbidden.
 */
export function authorizeAny(ctx: Context, actions: readonly string[], map: FieldMap): Condition {
  for (const action of actions) refuseReadOnlyToken(ctx, action);
  const held = actions.map((action) => restriction(ctx, action, map))
    .filter((condition) => condition !== undefined);
  if (held.length === 0) throw forbidden();
  return or(...held);
}

/** Refuses every action except `view` for a read-only token. Errors: forbidden. */
export function refuseReadOnlyToken(ctx: Context, action: string): void {
  if (action === "view" || ctx.actor.mayWrite) return;
  throw new AppError("forbidden", "This token is read-only and may not be used for changes.");
}

/**
 * Object types that give access or send data as long as an object exists, from any address. Tokens do as well,
 * but they have limits themselves, which are inherited.
 */
const UNLIMITED_TYPES: ReadonlySet<string> = new Set([
  "users.user",
  "users.group",
  "users.objectpermission",
  "certmgr.calendarfeed",
  "certmgr.subscription",
  "certmgr.notificationchannel",
  "extras.webhook",
]);

/**
 * Refuses a token that expires or has `allowed_ips`, and an access token of a provider, to create or change what
 * would outlast it or be reached from elsewhere. Errors: forbidden.
 */
function refuseLimitedToken({ actor }: Context, action: string, objectType: string): void {
  if (action === "view" || action === "delete" || !UNLIMITED_TYPES.has(objectType)) return;
  const { expires, allowedIps } = actor.tokenLimits ?? { expires: null, allowedIps: [] };
  if (expires === null && allowedIps.length === 0) return;
  throw new AppError(
    "forbidden",
    `A token that expires or has allowed_ips may not create or change ${objectType}, to which these limits would ` +
      "not apply. Use a token without limits, or the pages.",
  );
}

/** The rows to which a condition applies. */
interface Rows {
  readonly map: FieldMap;
  /** The name of the table in the statement; default: its own. */
  readonly alias?: string;
  readonly search?: CompileContext["search"];
}

/** Compiles a restriction to SQL; undefined if it covers every row. */
export function restrictionSql(
  ctx: Context,
  condition: Condition,
  { map, alias = map.table, search }: Rows,
): SQL | undefined {
  if (isEverything(condition)) return undefined;
  return compileCondition(condition, mapIn(ctx, map), { ...compileContext(ctx, alias), search });
}

/** Returns the condition for the rows that the caller may view; undefined if these are all rows. */
export function visibleSql(ctx: Context, map: FieldMap, alias = map.table): SQL | undefined {
  return restrictionSql(ctx, visible(ctx, map), { map, alias });
}

/** Returns the condition for the rows that a request may name; undefined if these are all rows. */
export function nameableSql(ctx: Context, map: FieldMap, alias = map.table): SQL | undefined {
  return restrictionSql(ctx, nameable(ctx, map), { map, alias });
}

/** Compiles a caller's filter to SQL. Related rows that the caller may not view do not match. */
export function filterSql(ctx: Context, condition: Condition, { map, alias = map.table, search }: Rows): SQL {
  return compileCondition(condition, mapIn(ctx, map), { ...filterContext(ctx, alias), search });
}

/** Returns the context in which a caller's filter is compiled. */
export function filterContext(ctx: Context, alias: string): CompileContext {
  return {
    ...compileContext(ctx, alias),
    visible: (related) => visible(ctx, related),
    shown: viewRestrictions(ctx),
  };
}

/**
 * Returns the caller's restrictions for `view` as SQL, for conditions and orderings that read other tables.
 */
export function viewRestrictions(ctx: Context): ViewRestriction {
  return (target, alias) => {
    const map = typeof target === "string" ? ctx.mapOf(target) : target;
    return visibleSql(ctx, map, alias);
  };
}

/** Returns the remaining budget for regular expressions, which all lists of a request share. */
export const scanBudgetOf: (ctx: Context) => ScanBudget = memoize(() => scanBudget());

function compileContext(ctx: Context, alias: string): CompileContext {
  return {
    alias,
    now: ctx.clock.now(),
    userId: ctx.actor.userId,
    thresholds: { criticalDays: ctx.settings.criticalDays, warningDays: ctx.settings.warningDays },
    rules: ctx.settings.rules,
  };
}

/**
 * Maximum number of comparisons in all permissions of an actor for an action on an object type. All values
 * with which a field is compared for equality count as one. Every request evaluates them: 300 text searches
 * take 0.13 s on 20,000 rows.
 */
export const MAX_ACTOR_COMPARISONS = 300;

/** Returns whether a permission includes the action on the object type. */
export function names(grant: Grant, action: string, objectType: string): boolean {
  return grant.actions.includes(action) && grant.objectTypes.includes(objectType);
}

/**
 * Returns the condition for the rows that any of the permissions covers; undefined above {@link
 * MAX_ACTOR_COMPARISONS}.
 */
export function grantedRows(grants: readonly Grant[], map: FieldMap): Condition | undefined {
  const open = grants.filter(({ constraints }) => isOpen(constraints));
  // A permission without constraints covers the rows of all others, so these are not even parsed.
  const effective = open.length > 0 ? open.slice(0, 1) : grants;
  return mergeAlternatives(conditionsOf(effective, map), { max: MAX_ACTOR_COMPARISONS });
}

/** Returns whether constraints exclude no row. */
export function isOpen(constraints: unknown): boolean {
  if (Array.isArray(constraints)) return constraints.length === 0 || constraints.some(isOpen);
  return Object.keys(constraints ?? {}).length === 0;
}

/** Yields one parsed constraint after another, so that a caller can stop at a limit. */
function* conditionsOf(grants: readonly Grant[], map: FieldMap): Generator<Condition> {
  for (const grant of grants) yield constraintOf(grant)(map);
}

/**
 * Parses a stored constraint. If it is no longer valid, because a later release removed a field or a custom
 * field was deleted, it covers no row. New ones are validated when they are saved. The result is cached as
 * long as the permission, which the actor cache keeps for a while.
 */
const constraintOf = memoize(({ constraints }: Grant) =>
  memoize((map: FieldMap): Condition => {
    const { condition, errors } = parseConstraint(constraints, map);
    return Object.keys(errors).length > 0 ? NOTHING : condition;
  })
);

/**
 * Returns the ids on which the actor may perform `action`. One statement, none for an actor without
 * restrictions.
 */
export async function permittedIds(
  { ctx, reader }: { ctx: Context; reader: Reader },
  { action, map, ids }: { action: string; map: FieldMap; ids: readonly number[] },
): Promise<Set<number>> {
  const test = restrictionSql(ctx, restriction(ctx, action, map) ?? NOTHING, { map });
  if (test === undefined || ids.length === 0) return new Set(ids);
  const table = sql.identifier(map.table);
  const rows = await reader.all<{ id: number }>(
    sql`SELECT ${table}.id FROM ${table} WHERE ${table}.id IN ${idsIn(ids)} AND ${test}`,
  );
  return new Set(rows.map((row) => row.id));
}
