/** Reference fields that read as ids, for callers that load the referenced objects with separate statements. */

import type { Field } from "./definition.ts";
import { columnOf } from "./fields/column.ts";

/**
 * Returns a field that reads as an id, or `{type, id}` for a generic reference; a list of references reads as nothing
 * (its rows are found by the id of the object). Other fields are returned unchanged.
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
    // Type and id are separate fields, which this one needs.
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
