/** Fields that are one column of the resource's table. */

import type { z } from "zod";
import type { Cell, Row } from "../../../db/mod.ts";
import { viewRestrictions } from "../../../auth/mod.ts";
import { columnOf, type FilterField, type ShownAs } from "../../../filters/mod.ts";
import type { Field, ReadCell, ReadField, Selected } from "../field.ts";

export interface FieldOptions {
  description: string;
  required?: boolean;
  readOnly?: boolean;
  writeOnly?: boolean;
  /** False if it is not available in filters, orderings and constraints. */
  filter?: boolean;
}

/** Returns the properties of a field that do not depend on its kind. */
export function fieldBase<const Name extends string>(
  name: Name,
  { description, required = false, readOnly = false, writeOnly = false }: FieldOptions,
): Pick<Field<Name>, "name" | "description" | "required" | "readOnly" | "writeOnly" | "long" | "needs"> {
  return { name, description, required, readOnly, writeOnly, long: false, needs: [] };
}

/** Returns the `read` of a field that decodes one cell of the raw row. */
export function oneCell(cell: ReadCell): ((row: Row) => unknown) & Pick<ReadField, "one"> {
  const { column, decode } = cell;
  const read = decode === undefined
    ? (row: Row): unknown => row[column] ?? null
    : (row: Row): unknown => decode(row[column] ?? null);
  return Object.assign(read, { one: cell });
}

/** Properties of a kind of column. */
export interface ColumnKind<Value, Out> {
  column: string;
  input: z.ZodType<Value>;
  output: z.ZodType<Out>;
  filterField?: FilterField;
  fallback?: Value | undefined;
  /** If absent, the cell is the API's value. */
  decode?: (cell: Cell) => unknown;
  /** A method, because the value is only known to have passed `input`. */
  encode(value: Value): Cell;
}

/** Returns a field that is one column. */
export function columnField<Value, const Name extends string, Out>(
  name: Name,
  options: FieldOptions,
  kind: ColumnKind<Value, Out>,
): Field<Name, Out, Value> {
  const base = fieldBase(name, options);
  const { readOnly, writeOnly } = base;
  const read = oneCell(kind);
  // What is stored has passed `input`.
  const encoder: { encode(value: unknown): Cell } = kind;
  const selected = (alias: string): Selected[] => [[kind.column, columnOf(alias, kind.column)]];
  return {
    ...base,
    ...(readOnly ? {} : { input: kind.input }),
    output: kind.output,
    select: ({ alias }) => writeOnly ? [] : selected(alias),
    read,
    ...(writeOnly ? {} : { record: { read } }),
    columns: (value) => ({ [kind.column]: encoder.encode(value) }),
    ...(kind.fallback === undefined ? {} : { fallback: kind.fallback }),
    filters: kind.filterField === undefined || options.filter === false ? {} : { [name]: kind.filterField },
  };
}

/** Returns a field that the change log leaves out. */
export function unrecorded<Of extends Field>({ record: _, ...field }: Of): Omit<Of, "record"> {
  return field;
}

/** Returns the name under which rows have what a column shows the caller. */
export function shownColumn(column: string): string {
  return `${column}_shown`;
}

/** Restricts a field of one column to what does not follow from hidden rows. Change records have the column itself. */
export function masked<Of extends Field>(field: Of, shownAs: ShownAs): Of {
  const { column, decode } = field.read.one ?? { column: field.name };
  const shown = shownColumn(column);
  return {
    ...field,
    select: ({ alias, ctx }) => [[shown, shownAs(alias, viewRestrictions(ctx)) ?? columnOf(alias, column)]],
    ...(field.record === undefined
      ? {}
      : { record: { ...field.record, select: ({ alias }) => [[column, columnOf(alias, column)]] } }),
    read: oneCell({ column: shown, decode }),
    filters: Object.fromEntries(
      Object.entries(field.filters).map(([name, filter]) => [name, { ...filter, shownAs }]),
    ),
  };
}
