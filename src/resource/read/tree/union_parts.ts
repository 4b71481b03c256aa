/**
 * The statements of a level: each relation is a part of one UNION, whose rows contain their part and their
 * parent.
 */

import { getTableName, type SQL, sql } from "drizzle-orm";
import {
  type Context,
  filterContext,
  filterSql,
  restrictionSql,
  scanBudgetOf,
  viewRestrictions,
  visible,
} from "../../../auth/mod.ts";
import { andAll, idsIn, where } from "../../../db/mod.ts";
import {
  columnOf,
  compileOrdering,
  type Condition,
  isEverything,
  mapIn,
  matchesNothing,
  resolveRegexes,
} from "../../../filters/mod.ts";
import type { Resource } from "../../model/definition.ts";
import { selectList } from "../select.ts";
import { type ListRelation, type ObjectQuery, selectionOf, type Slice } from "./object_query.ts";

/**
 * Returns a part of the UNION with the columns `part`, `parent`, `position` and those of `list`, by default
 * `packed`.
 */
export type UnionPart = (part: number, list?: SQL) => SQL;

/** Selects the rows of an object query by id; undefined if the caller may view none. */
export function rowsPart(
  ctx: Context,
  { query, ids }: { query: ObjectQuery; ids: readonly number[] },
): UnionPart | undefined {
  const { resource } = query;
  const { map, table } = resource;
  const seen = visible(ctx, map);
  if (matchesNothing(seen) || ids.length === 0) return undefined;
  const alias = getTableName(table);
  const packed = selectList(resource, selectionOf(query), ctx).list;
  const condition = andAll(
    sql`${columnOf(alias, "id")} IN ${idsIn(ids)}`,
    restrictionSql(ctx, seen, { map, alias }),
  );
  return (part, list = packed) =>
    sql`SELECT ${sql.raw(String(part))} AS part, ${
      columnOf(alias, "id")
    } AS parent, 0 AS position, ${list} FROM ${table}${where(condition)}`;
}

/**
 * Selects the list of each parent: first the ids, ordered and limited per parent, then the rows by id. The
 * ids pass through a JSON list, because SQLite may scan the table for each parent with `id IN (SELECT …)`.
 * Undefined if the caller may view none.
 */
export async function listPart(
  ctx: Context,
  { relation, query, slice, parents }: {
    relation: ListRelation;
    query: ObjectQuery;
    slice: Slice;
    parents: readonly number[];
  },
): Promise<UnionPart | undefined> {
  const found = await foundSql(ctx, { relation, filter: slice.filter });
  if (found === undefined || parents.length === 0) return undefined;
  const { resource } = query;
  const alias = getTableName(resource.table);
  const id = columnOf(alias, "id");
  const byId = slice.start !== undefined;
  const order = byId
    ? id
    : compileOrdering(slice.order, { map: mapIn(ctx, resource.map), alias, shown: viewRestrictions(ctx) });
  const from = byId ? sql` AND ${id} >= ${slice.start}` : sql``;
  const packed = selectList(resource, selectionOf(query), ctx).list;
  return (part, list = packed) =>
    sql`SELECT ${sql.raw(String(part))} AS part, parents.value AS parent, found.key AS position, ${list}
      FROM json_each(${JSON.stringify(parents)}) AS parents
      CROSS JOIN json_each((SELECT json_group_array(found_id) FROM (
        SELECT ${id} AS found_id ${found}${from} ORDER BY ${order} LIMIT ${slice.limit} OFFSET ${slice.offset}
      ))) AS found CROSS JOIN ${resource.table} ON ${id} = found.value`;
}

/** Selects the number of rows in each parent's list, as `position`. Undefined if the caller may view none. */
export async function totalPart(
  ctx: Context,
  { relation, filter, parents }: { relation: ListRelation; filter: Condition; parents: readonly number[] },
): Promise<UnionPart | undefined> {
  const found = await foundSql(ctx, { relation, filter });
  if (found === undefined || parents.length === 0) return undefined;
  return (part) =>
    sql`SELECT ${
      sql.raw(String(part))
    } AS part, parents.value AS parent, (SELECT count(*) ${found}) AS position,
      NULL AS packed FROM json_each(${JSON.stringify(parents)}) AS parents`;
}

/** Returns `FROM … WHERE …` for the visible rows of `parents.value` that match the filter. */
async function foundSql(
  ctx: Context,
  { relation, filter }: { relation: ListRelation; filter: Condition },
): Promise<SQL | undefined> {
  const { target } = relation;
  const seen = visible(ctx, target.map);
  if (matchesNothing(seen)) return undefined;
  const alias = getTableName(target.table);
  const resolved = await resolveRegexes(filter, mapIn(ctx, target.map), {
    ...filterContext(ctx, alias),
    reader: ctx.database,
    budget: scanBudgetOf(ctx),
  });
  const { from, on } = joined(relation, target);
  const condition = andAll(
    on,
    restrictionSql(ctx, seen, { map: target.map, alias }),
    isEverything(resolved) ? undefined : filterSql(ctx, resolved, { map: target.map, alias }),
  );
  return sql`FROM ${from}${where(condition)}`;
}

/**
 * Returns the tables and the condition of a relation. CROSS JOIN forces SQLite to start with the few links of
 * a parent instead of the table of the targets.
 */
function joined(relation: ListRelation, target: Resource): { from: SQL; on: SQL } {
  const alias = getTableName(target.table);
  const parent = sql`parents.value`;
  if (relation.kind === "back") {
    const { column, type } = relation;
    const typed = type === undefined ? sql`` : sql`${columnOf(alias, type.column)} = ${type.value} AND `;
    return { from: sql`${target.table}`, on: sql`${typed}${columnOf(alias, column)} = ${parent}` };
  }
  const { table, own, other, type } = relation.link;
  const typed = type === undefined ? sql`` : sql` AND ${columnOf("links", "object_type")} = ${type}`;
  return {
    from: sql`${sql.identifier(table)} AS links CROSS JOIN ${target.table} ON ${columnOf(alias, "id")} = ${
      columnOf("links", other)
    }`,
    on: sql`${columnOf("links", own)} = ${parent}${typed}`,
  };
}
