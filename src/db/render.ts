/** From Drizzle's statements to SQL text and values. */

import type { SQLWrapper } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { storableNumber, storableText } from "./values.ts";

/** One value as the clients take it: whole numbers as bigint, for both would bind a number as REAL. */
export type Argument = string | number | bigint | null;

/** A statement as the clients take it. */
export interface Statement {
  readonly sql: string;
  readonly args: Argument[];
}

const dialect = new SQLiteAsyncDialect();

/**
 * SQL text and bound values of a statement. Throws a TypeError when a value is none that a column can hold, and an
 * `invalid` {@link AppError} for text with a null character.
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
  throw new TypeError(`Value of type "${typeof value}" cannot be bound, want text, number, boolean or null`);
}
