/** Describes the effects of a deletion on other objects before it is performed. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, visible, visibleSql } from "../../auth/mod.ts";
import { idsIn } from "../../db/mod.ts";
import { matchesNothing } from "../../filters/mod.ts";
import { linkersOf, referrersOf, refersTo } from "../model/registry.ts";
import type { Resource } from "../model/definition.ts";

/**
 * Effect on objects that refer to a deleted one: they prevent the deletion, are deleted as well, or lose the
 * reference.
 */
export type DeletionEffect = "restrict" | "delete" | "clear";

/** Objects of a resource that refer to an object through a field. */
export interface Dependent {
  readonly resource: Resource;
  /** The referring field. */
  readonly field: string;
  readonly effect: DeletionEffect;
  /** Returns the condition for the rows of `resource` that refer to one of `ids`. */
  readonly among: (ids: SQL) => SQL;
}

/** Dependents, and the number of those that the caller may view. */
export interface CountedDependent extends Dependent {
  readonly count: number;
}

const EFFECTS = {
  restrict: "restrict",
  cascade: "delete",
  drop: "delete",
  clear: "clear",
  detach: "clear",
} as const;

/** Returns all kinds of objects that a deletion in `resource` affects, or that prevent it. */
export function dependentsOf(resource: Resource): Dependent[] {
  const references = referrersOf(resource).flatMap((referrer): Dependent[] => {
    const { onDelete, field } = referrer;
    if (onDelete === "keep") return [];
    const among = (ids: SQL): SQL => refersTo(referrer, ids);
    return [{ resource: referrer.resource, field: field.name, effect: EFFECTS[onDelete], among }];
  });
  const linking = linkersOf(resource).map(({ resource: owner, field, link }): Dependent => {
    const [table, own, other] = [link.table, link.own, link.other].map((name) => sql.identifier(name));
    const typed = link.type === undefined ? sql`` : sql` AND object_type = ${link.type}`;
    const among = (ids: SQL): SQL =>
      sql`id IN (SELECT ${own} FROM ${table} WHERE ${other} IN ${ids}${typed})`;
    return { resource: owner, field: field.name, effect: "clear", among };
  });
  return [...references, ...linking];
}

/**
 * Counts the dependents of objects that the caller may view, without kinds that have none. One statement,
 * none if nothing can refer to the resource.
 */
export async function countDependents(
  ctx: Context,
  resource: Resource,
  ids: readonly number[],
): Promise<CountedDependent[]> {
  const kinds = dependentsOf(resource).filter(({ resource: { map } }) => !matchesNothing(visible(ctx, map)));
  if (kinds.length === 0 || ids.length === 0) return [];
  const counts = kinds.map(({ resource: { table, map, objectType }, among }, index) => {
    const seen = visibleSql(ctx, map);
    const others = objectType === resource.objectType ? sql` AND id NOT IN ${idsIn(ids)}` : sql``;
    return sql`(SELECT count(*) FROM ${table} WHERE ${among(idsIn(ids))}${others}${
      seen === undefined ? sql`` : sql` AND ${seen}`
    }) AS ${sql.identifier(`n${index}`)}`;
  });
  const [row] = await ctx.database.all<Record<string, number>>(sql`SELECT ${sql.join(counts, sql`, `)}`);
  return kinds.map((kind, index) => ({ ...kind, count: row?.[`n${index}`] ?? 0 })).filter(({ count }) =>
    count > 0
  );
}

/** Describes the dependents in sentences for the API document; empty if nothing can refer to the resource. */
export function describeDependents(resource: Resource): string {
  const list = new Intl.ListFormat("en");
  const named = (effect: DeletionEffect): string =>
    list.format(
      new Set(
        dependentsOf(resource).filter((one) => one.effect === effect).map((one) =>
          effect === "clear" ? `\`${one.field}\` of ${one.resource.labelPlural}` : one.resource.labelPlural
        ),
      ),
    );
  const [restricting, deleted, cleared] = [named("restrict"), named("delete"), named("clear")];
  return [
    ...(restricting === "" ? [] : [`Refused (409) while ${restricting} refer to it.`]),
    ...(deleted === "" ? [] : [`Also deletes its ${deleted}.`]),
    ...(cleared === "" ? [] : [`Clears the reference in ${cleared}.`]),
  ].join(" ");
}
