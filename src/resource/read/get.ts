/** Reads one object. */

import { getTableName, sql } from "drizzle-orm";
import { authorize, type Context, restrictionSql } from "../../auth/mod.ts";
import { parseDatetime } from "../../base/clock.ts";
import { notFound } from "../../base/errors.ts";
import type { Row } from "../../db/mod.ts";
import type { Resource } from "../model/definition.ts";
import { type Selection, selectList } from "./select.ts";

/** An object and its version. */
export interface Versioned {
  readonly object: Record<string, unknown>;
  /** Weak entity tag, derived from `last_updated`; empty if the resource has no such field. */
  readonly etag: string;
}

/** Reads one object. Errors: forbidden, not_found (also for a hidden object). One statement. */
export async function getObject(
  { ctx, resource, id, selection }: { ctx: Context; resource: Resource; id: number; selection: Selection },
): Promise<Versioned> {
  const allowed = authorize(ctx, "view", resource.map);
  const alias = getTableName(resource.table);
  const test = restrictionSql(ctx, allowed, { map: resource.map, alias });
  const packed = selectList(resource, selection, ctx);
  const rows = await ctx.database.all<Row>(
    sql`SELECT ${packed.list} FROM ${resource.table} WHERE ${resource.table}.id = ${id}${
      test === undefined ? sql`` : sql` AND ${test}`
    }`,
  );
  const [object] = packed.read(rows, ctx);
  if (object === undefined) throw notFound();
  return { object, etag: etagOfObject(object) ?? etagOfRows(packed.unpack(rows)) };
}

/**
 * Returns the tag of an object whose selection does not contain `last_updated`; empty if it has no such
 * field.
 */
function etagOfRows([row]: readonly Row[]): string {
  return row?.last_updated === undefined ? "" : etagOf(row);
}

/** Returns the weak entity tag of a raw row. */
export function etagOf(row: Row): string {
  return `W/"${row.last_updated}"`;
}

/**
 * Returns the weak entity tag of an object in the format of the API; undefined if it has no `last_updated`.
 */
export function etagOfObject(object: Record<string, unknown>): string | undefined {
  const at = typeof object.last_updated === "string" ? parseDatetime(object.last_updated) : undefined;
  return at === undefined ? undefined : etagOf({ last_updated: at });
}
