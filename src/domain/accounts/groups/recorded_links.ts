/** Links of an object that only the change log records. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { columnOf, type Field, parseNested } from "../../../resource/mod.ts";

/** A table that joins two resources. */
export interface LinkTable {
  readonly table: string;
  /** Columns with the id of this resource, and of the other one. */
  readonly own: string;
  readonly other: string;
}

/**
 * Defines a field with the ids of linked objects, only for the change log. Such links are edited on the other
 * object. They are deleted with this object, and then only its last change record shows them.
 */
export function recordedLinks<const Name extends string>(
  name: Name,
  options: { description: string; link: LinkTable },
): Field<Name, number[]> {
  const { table, own, other } = options.link;
  const column = `${name}_ids`;
  const [tableName, ownName, otherName] = [table, own, other].map((one) => sql.identifier(one));
  return {
    name,
    description: options.description,
    required: false,
    readOnly: true,
    writeOnly: true,
    long: false,
    output: z.array(z.int()),
    needs: [],
    select: () => [],
    read: () => undefined,
    record: (row) => parseNested(row[column]),
    selectRecord: ({ alias }) => [[
      column,
      // Sorted in a subquery, because a libSQL server ignores ORDER BY inside an aggregate.
      sql`(SELECT json_group_array(other) FROM (SELECT ${otherName} AS other FROM ${tableName} WHERE ${ownName} = ${
        columnOf(alias, "id")
      } ORDER BY 1))`,
    ]],
    filters: {},
  };
}
