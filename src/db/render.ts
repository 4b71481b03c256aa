/** From Drizzle's statements to SQL text and values. */

import type { SQLWrapper } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { Cell } from "./database.ts";

/** A statement as the clients take it. */
export interface Statement {
  readonly sql: string;
  readonly args: Cell[];
}

const dialect = new SQLiteAsyncDialect();

/** SQL text and bound values of a statement. Throws when a value is none that a column can hold. */
export function render(query: SQLWrapper): Statement {
  const { sql, params } = dialect.sqlToQuery(query.getSQL());
  return { sql, args: params.map(toCell) };
}

function toCell(value: unknown): Cell {
  if (typeof value === "string" || typeof value === "number" || value === null) return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  throw new TypeError(`Value of type "${typeof value}" cannot be bound, want text, number, boolean or null`);
}
