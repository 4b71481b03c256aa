/** Computed read-only fields. */

import type { SQL } from "drizzle-orm";
import type { z } from "zod";
import type { Cell } from "../../../db/mod.ts";
import type { FilterField } from "../../../filters/mod.ts";
import type { Field, ReadField, SelectContext } from "../definition.ts";
import { oneCell } from "./column.ts";

/** Defines a read-only value that is computed from the columns of the fields in `needs`. */
export function derived<const Name extends string, Out>(
  name: Name,
  options: {
    description: string;
    output: z.ZodType<Out>;
    needs: readonly string[];
    read: ReadField;
    filters?: Record<string, FilterField>;
  },
): Field<Name, Out> {
  return {
    name,
    description: options.description,
    required: false,
    readOnly: true,
    writeOnly: false,
    long: false,
    output: options.output,
    needs: options.needs,
    select: () => [],
    read: options.read,
    filters: options.filters ?? {},
  };
}

/** Defines a read-only value that is computed by an SQL expression. */
export function expression<const Name extends string, Out>(
  name: Name,
  options: {
    description: string;
    output: z.ZodType<Out>;
    sql: (context: SelectContext) => SQL;
    decode?: (cell: Cell) => unknown;
    filters?: Record<string, FilterField>;
  },
): Field<Name, Out> {
  const { decode } = options;
  return {
    ...derived(name, { ...options, needs: [], read: oneCell({ column: name, decode }) }),
    select: (context) => [[name, options.sql(context)]],
  };
}
