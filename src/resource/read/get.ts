/** Reads one object. */

import { getTableName, sql } from "drizzle-orm";
import { authorize, type Context, isGranted, restrictionSql, visibleSql } from "../../auth/mod.ts";
import { parseDatetime } from "../../base/clock.ts";
import { notFound } from "../../base/errors.ts";
import type { Reader, Row } from "../../db/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { Answer, Identity, Out } from "../model/objects.ts";
import { ALL_FIELDS, type Selection, selectList } from "./select.ts";

/** An object and its version. */
export interface Versioned<Of = Out> {
  readonly object: Of;
  /** Weak entity tag, derived from `last_updated`; empty if the resource has no such field. */
  readonly etag: string;
}

/** Reads one object. Errors: forbidden, not_found (also for a hidden object). One statement. */
export async function getObject<Of extends Identity>(
  { ctx, resource, id, selection }: {
    ctx: Context;
    resource: Resource<Of>;
    id: number;
    selection: Selection;
  },
): Promise<Versioned<Of>> {
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
 * Returns what the response to a change shows of an existing object: everything; to a caller without any
 * permission to view its type only its identity and the fields that were sent.
 */
export function answerOf<Of extends Identity>(
  ctx: Context,
  { objectType }: Resource<Of>,
  object: Of,
  sent: readonly string[] = [],
): Answer<Of> {
  return isGranted(ctx, "view", objectType) ? object : identityOf(object, sent);
}

/** Reads an object for the response to an action on it. Shows only its identity if it is hidden. One statement. */
export async function readAnswer<Of extends Identity>(
  { ctx, reader, resource }: { ctx: Context; reader: Reader; resource: Resource<Of> },
  id: number,
): Promise<Answer<Of>> {
  const packed = selectList(resource, ALL_FIELDS, ctx);
  const seen = visibleSql(ctx, resource.map, getTableName(resource.table)) ?? sql`1`;
  const rows = await reader.all<Row>(
    sql`SELECT ${packed.list}, (${seen}) IS TRUE AS seen FROM ${resource.table} WHERE ${resource.table}.id = ${id}`,
  );
  const [object] = packed.read(rows, ctx);
  if (object === undefined) throw notFound();
  return rows[0]?.seen === 1 ? object : identityOf(object);
}

function identityOf<Of extends Identity>(object: Of, sent: readonly string[] = []): Answer<Of> {
  const shown = ["id", "url", "display", ...sent];
  return Object.fromEntries(Object.entries(object).filter(([name]) => shown.includes(name))) as Answer<Of>;
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
export function etagOfObject(object: object & { readonly last_updated?: unknown }): string | undefined {
  const at = typeof object.last_updated === "string" ? parseDatetime(object.last_updated) : undefined;
  return at === undefined ? undefined : etagOf({ last_updated: at });
}
