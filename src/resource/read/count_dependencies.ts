/** Determines which changes cannot affect the count of a list, from the tables that its statement reads. */

import { getTableName } from "drizzle-orm";
import type { Resource } from "../model/definition.ts";
import { allResources } from "../model/registry.ts";

/** A table after FROM or JOIN, and the comma that may precede another one. */
const TABLE = /\b(?:FROM|JOIN)\s+"?(\w+)"?(?:\s+AS\s+"?\w+"?)?(\s*,)?/gi;

/**
 * Returns the object types whose changes (except deletions) cannot affect a count, so that only new rows of
 * its own table matter; undefined if the statement is not understood, or if old rows may begin to match
 * because of new ones. Deletions may change rows that refer to the object.
 */
export function independentTypes(
  { resource }: { resource: Resource },
  statement: string,
): string[] | undefined {
  const resources = allResources();
  const own = getTableName(resource.table);
  const known = new Map(resources.map((each) => [getTableName(each.table) as string, each]));
  const parts = partsOf(resource);
  const read = new Set<string>();
  for (const [, table = "", comma] of statement.matchAll(TABLE)) {
    if (comma !== undefined || (table === own && read.has(own))) return undefined;
    const isUnknown = known.get(table)?.untracked ?? !parts.has(table);
    if (isUnknown && table !== "json_each" && table !== own) return undefined;
    read.add(table);
  }
  if (!read.has(own)) return undefined;
  return resources.filter((each) => !each.changesOthers && !read.has(getTableName(each.table))).map((each) =>
    each.objectType
  );
}

/** Returns whether a statement reads a table of other objects that change without a change record. */
export function readsUntracked({ table: own }: Resource, statement: string): boolean {
  const untracked = allResources().filter((each) => each.untracked && each.table !== own)
    .map(({ table }) => getTableName(table) as string);
  return statement.matchAll(TABLE).some(([, table = ""]) => untracked.includes(table));
}

/** Returns the tables whose rows are each a part of one object, and change only with it. */
function partsOf({ fields, map, setAside }: Resource): Set<string> {
  const tables = new Set<string>();
  for (const { link } of Object.values(fields)) if (link !== undefined) tables.add(link.table);
  for (const filter of Object.values(map.fields)) {
    if ("indexed" in filter && filter.indexed !== undefined) {
      const { table, unindexed = table } = filter.indexed;
      tables.add(table).add(unindexed);
    }
    if (filter.kind === "values" && filter.source !== undefined) tables.add(filter.source.table);
  }
  if (setAside !== undefined) tables.add(setAside.table);
  return tables;
}
