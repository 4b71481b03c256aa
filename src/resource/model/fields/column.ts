/** Fields that are one column of the resource's table. */

import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Cell, Row } from "../../../db/mod.ts";
import type { FilterField } from "../../../filters/mod.ts";
import type { Field, Selected } from "../definition.ts";

/** Settings of any field. */
export interface FieldOptions {
  description: string;
  required?: boolean;
  readOnly?: boolean;
  writeOnly?: boolean;
  /** False: not available in filters, orderings and constraints. */
  filter?: boolean;
}

/** `"alias"."column"`. */
export function columnOf(alias: string, column: string): SQL {
  return sql`${sql.identifier(alias)}.${sql.identifier(column)}`;
}

/** The type of `Field.columns`. */
type Columns = NonNullable<Field["columns"]>;
/** The column of such a function and its encoding, so that bulk writes need not create an object per value. */
export interface SingleColumn {
  readonly column: string;
  readonly encode: (value: unknown) => Cell;
}

const ones = new WeakMap<Columns, SingleColumn>();

/** Returns the `columns` of a field that is stored in one column. */
export function oneColumn(column: string, encode: SingleColumn["encode"]): Columns {
  const columns: Columns = (value) => ({ [column]: encode(value) });
  ones.set(columns, { column, encode });
  return columns;
}

/** Returns the arguments of {@link oneColumn}; undefined for other functions. */
export function oneColumnOf(columns: Columns): SingleColumn | undefined {
  return ones.get(columns);
}

/** Properties of a kind of column. */
export interface ColumnKind<Value> {
  column: string;
  input: z.ZodType<Value>;
  output: z.ZodType;
  filterField?: FilterField;
  fallback?: Value | undefined;
  decode: (cell: Cell) => unknown;
  encode: (value: Value) => Cell;
}

/** Returns a field that is one column. */
export function columnField<Value>(name: string, options: FieldOptions, kind: ColumnKind<Value>): Field {
  const readOnly = options.readOnly ?? false;
  const writeOnly = options.writeOnly ?? false;
  const selected = (alias: string): Selected[] => [[kind.column, columnOf(alias, kind.column)]];
  return {
    name,
    description: options.description,
    required: options.required ?? false,
    readOnly,
    writeOnly,
    long: false,
    ...(readOnly ? {} : { input: kind.input }),
    output: kind.output,
    needs: [],
    select: ({ alias }) => writeOnly ? [] : selected(alias),
    read: (row: Row) => kind.decode(row[kind.column] ?? null),
    ...(writeOnly ? {} : { record: (row: Row): unknown => kind.decode(row[kind.column] ?? null) }),
    columns: oneColumn(kind.column, kind.encode as SingleColumn["encode"]),
    ...(kind.fallback === undefined ? {} : { fallback: kind.fallback }),
    filters: kind.filterField === undefined || options.filter === false ? {} : { [name]: kind.filterField },
  };
}
