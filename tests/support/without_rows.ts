/** A database without some row and everything that cannot exist without it, as if they had never existed. */

import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import { type Database, idsIn } from "../../src/db/mod.ts";
import { resources } from "../../src/domain/registry.ts";
import type { Field, Resource } from "../../src/resource/mod.ts";

/** Ids by object type. */
export type Rows = ReadonlyMap<string, readonly number[]>;

interface Reference {
  readonly resource: Resource;
  readonly field: Field;
}

function* referencesTo(target: Resource): Generator<Reference> {
  for (const resource of resources) {
    for (const field of Object.values(resource.fields)) {
      // An alias, and what only chooses permissions, store nothing themselves.
      const stores = !field.shown?.alias && (field.refers?.foreignKey ?? field.refers?.link) !== undefined;
      const other = !stores || field.refers?.foreignKey?.onDelete === "keep";
      if (!other && (field.refers?.target?.() === target || field.refers?.targets?.includes(target))) {
        yield { resource, field };
      }
    }
  }
}

/** Returns whether a row can exist without the object of this field. */
function isOptional({ resource, field }: Reference): boolean {
  if (field.refers?.link !== undefined) return true;
  const column = Object.values(getTableColumns(resource.table)).find(({ name }) =>
    name === field.refers?.foreignKey?.column
  );
  return field.refers?.targets === undefined && column?.notNull === false;
}

function among(target: Resource, { resource, field }: Reference, ids: readonly number[]): SQL {
  const { column, typeColumn } = field.refers?.foreignKey as { column: string; typeColumn?: string };
  const typed = typeColumn === undefined
    ? sql``
    : sql` AND ${sql.identifier(typeColumn)} = ${target.objectType}`;
  return sql`FROM ${resource.table} WHERE ${sql.identifier(column)} IN ${idsIn(ids)}${typed}`;
}

/** Returns the row with all rows that must refer to it, directly or through others. */
export async function dependentRows(database: Database, resource: Resource, id: number): Promise<Rows> {
  const found = new Map([[resource.objectType, [id]]]);
  const queue: [Resource, number[]][] = [[resource, [id]]];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [target, ids] = next;
    for (const reference of referencesTo(target)) {
      if (isOptional(reference)) continue;
      const { objectType } = reference.resource;
      const known = found.get(objectType) ?? [];
      const rows = await database.all<{ id: number }>(sql`SELECT id ${among(target, reference, ids)}`);
      const fresh = rows.map((row) => row.id).filter((one) => !known.includes(one));
      if (fresh.length === 0) continue;
      found.set(objectType, [...known, ...fresh]);
      queue.push([reference.resource, fresh]);
    }
  }
  return found;
}

/** Removes rows, and every reference to them, without a trace. */
export async function removeTraces(database: Database, rows: Rows): Promise<void> {
  await database.write(async (tx) => {
    for (const [objectType, ids] of [...rows].reverse()) {
      const target = resources.find((one) => one.objectType === objectType) as Resource;
      const list = idsIn(ids);
      for (const { resource, field } of referencesTo(target)) {
        if (field.refers?.link !== undefined) {
          const { table, other } = field.refers?.link;
          await tx.run(sql`DELETE FROM ${sql.identifier(table)} WHERE ${sql.identifier(other)} IN ${list}`);
        } else if (isOptional({ resource, field })) {
          const column = sql.identifier(field.refers?.foreignKey?.column as string);
          await tx.run(sql`UPDATE ${resource.table} SET ${column} = NULL WHERE ${column} IN ${list}`);
        }
      }
      await tx.run(sql`DELETE FROM ${sql.identifier(getTableName(target.table))} WHERE id IN ${list}`);
    }
  });
}
