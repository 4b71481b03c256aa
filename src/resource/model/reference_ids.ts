/** Fields without the objects that they refer to: where these are read by statements of their own. */

import type { Field } from "./definition.ts";
import { columnOf } from "./fields/column.ts";

/**
 * A field that reads as what it points with: an id, `{type, id}` for a generic reference, nothing for a list of
 * references (which is found from the id of the row). Fields that point to nothing stay as they are.
 */
export function withReferenceId(field: Field): Field {
  const { foreignKey, shows } = field;
  if (shows !== undefined) {
    return { ...field, read: (row, ctx) => (field.read(row, ctx) as { id: number } | null)?.id ?? null };
  }
  if (field.many) return { ...field, select: () => [], read: () => undefined };
  if (foreignKey === undefined) return field;
  const { column, typeColumn } = foreignKey;
  if (typeColumn !== undefined) {
    // Type and id are fields of their own, which this one needs.
    const read: Field["read"] = (row) =>
      row[column] === null ? null : { type: row[typeColumn], id: row[column] };
    return { ...field, select: () => [], read };
  }
  return {
    ...field,
    select: ({ alias }) => [[column, columnOf(alias, column)]],
    read: (row) => row[column] ?? null,
  };
}
