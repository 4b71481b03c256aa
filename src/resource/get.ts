/** Reads one object. */

import { getTableName, sql } from "drizzle-orm";
import { authorize, type Context, restrictionSql } from "../access/mod.ts";
import { parseDatetime } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import type { Row } from "../db/mod.ts";
import type { Resource } from "./definition.ts";
import { collect, columnList, rowReader, selectColumns, type Selection } from "./select.ts";
import { fieldOf } from "./brief.ts";

/** An object and its version. */
export interface Versioned {
  readonly object: Record<string, unknown>;
  /** Weak entity tag, made of `last_updated`; empty where the resource keeps none. */
  readonly etag: string;
}

/** Reads one object; what is hidden is the same as what is absent. Errors: forbidden, not_found. One statement. */
export async function getObject(
  { ctx, resource, id, selection }: { ctx: Context; resource: Resource; id: number; selection: Selection },
): Promise<Versioned> {
  const allowed = authorize(ctx, "view", resource.objectType);
  const alias = getTableName(resource.table);
  const versioned = "last_updated" in resource.fields;
  const columns = collect([
    selectColumns(resource, selection, ctx),
    versioned ? fieldOf(resource, "last_updated").select({ alias, ctx }) : [],
  ]);
  const test = restrictionSql(ctx, allowed, resource.objectType, alias);
  const [row] = await ctx.database.all<Row>(
    sql`SELECT ${columnList(columns)} FROM ${resource.table} WHERE ${resource.table}.id = ${id}${
      test === undefined ? sql`` : sql` AND ${test}`
    }`,
  );
  if (row === undefined) throw notFound();
  return { object: rowReader(resource, selection, ctx)(row), etag: versioned ? etagOf(row) : "" };
}

/** The weak entity tag of a raw row. */
export function etagOf(row: Row): string {
  return `W/"${row.last_updated}"`;
}

/** The same tag from an object as it is answered; undefined where the resource keeps no versions. */
export function etagOfObject(object: Record<string, unknown>): string | undefined {
  const at = typeof object.last_updated === "string" ? parseDatetime(object.last_updated) : undefined;
  return at === undefined ? undefined : etagOf({ last_updated: at });
}
