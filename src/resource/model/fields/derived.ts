/** Computed read-only fields, and other names of references for clients of NetBox. */

import type { SQL } from "drizzle-orm";
import type { z } from "zod";
import type { Context } from "../../../auth/mod.ts";
import type { Cell, Row } from "../../../db/mod.ts";
import type { FilterField } from "../../../filters/mod.ts";
import type { Resource } from "../definition.ts";
import type { Field, SelectContext } from "../field.ts";
import type { Brief } from "../objects.ts";
import { fieldBase, oneCell } from "./column.ts";
import { BRIEF, referenceSchema } from "./reference.ts";

/** Defines a read-only value that is computed from the columns of the fields in `needs`. */
export function derived<const Name extends string, Out>(
  name: Name,
  options: {
    description: string;
    output: z.ZodType<Out>;
    needs: readonly string[];
    /** A method, so that it can name the columns that it reads. */
    read(row: Row, ctx: Context): unknown;
    filters?: Record<string, FilterField>;
  },
): Field<Name, Out, never> {
  return {
    ...fieldBase(name, { description: options.description, readOnly: true }),
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
): Field<Name, Out, never> {
  const { decode } = options;
  return {
    ...derived(name, { ...options, needs: [], read: oneCell({ column: name, decode }) }),
    select: (context) => [[name, options.sql(context)]],
  };
}

/**
 * Returns a field that returns another field under a second name, and accepts references to `target`. The
 * resource's `prepare` moves its input to the stored field, and removes it.
 * @param of The other field; `read` may restrict what is returned.
 */
export function aliasOf<const Name extends string>(
  name: Name,
  { description, target, keys, needs, of, read = (given) => given }: {
    description: string;
    target: Resource;
    keys: readonly string[];
    needs: readonly string[];
    of: Field;
    read?: (read: Field["read"]) => Field["read"];
  },
): Field<Name, Brief | null, number | null> {
  return {
    ...derived(name, { description, output: BRIEF.nullable(), needs, read: read(of.read) }),
    readOnly: false,
    input: referenceSchema(keys).nullable(),
    refers: { target: () => target },
    shown: { alias: true },
  };
}
