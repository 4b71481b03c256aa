/** Renders Drizzle statements to SQL text and values. */

import type { SQLWrapper } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { storableNumber, storableText } from "./values.ts";

/** A bound value. Integers are bigint, because both clients bind numbers as REAL. */
export type Argument = string | number | bigint | null;

/** A rendered statement. */
export interface Statement {
  readonly sql: string;
  readonly args: Argument[];
}

const dialect = new SQLiteAsyncDialect();

/**
 * Renders a statement. Throws a TypeError for a value that cannot be stored, and an `invalid` {@link AppError} for text
 * with a null character.
 */
export function render(query: SQLWrapper): Statement {
  const { sql, params } = dialect.sqlToQuery(query.getSQL());
  return { sql, args: params.map(toArgument) };
}

function toArgument(value: unknown): Argument {
  if (typeof value === "string") return storableText(value);
  if (typeof value === "number") {
    return Number.isInteger(value) ? BigInt(storableNumber(value)) : storableNumber(value);
  }
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "bigint" || value === null) return value;
  throw new TypeError(`Expected text, a number, a boolean or null, not a value of type "${typeof value}"`);
}
