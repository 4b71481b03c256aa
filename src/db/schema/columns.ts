/** Column shapes that every table group shares. Keys are the wire names, and the column names are the keys. */

import type { HasDefault, IsPrimaryKey, NotNull } from "drizzle-orm";
import {
  integer,
  type SQLiteIntegerBuilderInitial,
  type SQLiteTextBuilderInitial,
  text,
} from "drizzle-orm/sqlite-core";

type Integer = SQLiteIntegerBuilderInitial<"">;
type Text = SQLiteTextBuilderInitial<"", [string, ...string[]], number | undefined>;

/** The key of a table; never reused (AUTOINCREMENT). */
export function key(): IsPrimaryKey<HasDefault<NotNull<Integer>>> {
  return integer().primaryKey({ autoIncrement: true });
}

/** A required text that is empty if it is unknown. */
export function label(): HasDefault<NotNull<Text>> {
  return text().notNull().default("");
}

/** The values of custom fields: a JSON object by the names of the fields. */
export function customValues(): HasDefault<NotNull<Text>> {
  return text().notNull().default("{}");
}

/** A boolean stored as 0 or 1. */
export function flag(initial: 0 | 1): HasDefault<NotNull<Integer>> {
  return integer().notNull().default(initial);
}

/** A required time in milliseconds since the epoch. */
export function timestamp(): NotNull<Integer> {
  return integer().notNull();
}

/** When an object was created and last changed, in milliseconds since the epoch. */
export function stamps(): { created: NotNull<Integer>; last_updated: NotNull<Integer> } {
  return { created: timestamp(), last_updated: timestamp() };
}

/** Columns that users fill in about an object: comments, and the values of custom fields. */
export function notes(): { comments: HasDefault<NotNull<Text>>; custom_fields: HasDefault<NotNull<Text>> } {
  return { comments: label(), custom_fields: customValues() };
}
