/** Kinds of columns that all tables share. Keys are the names in the API, and the column names. */

import type { HasDefault, IsPrimaryKey, NotNull } from "drizzle-orm";
import {
  integer,
  type SQLiteIntegerBuilderInitial,
  type SQLiteTextBuilderInitial,
  text,
} from "drizzle-orm/sqlite-core";

type Integer = SQLiteIntegerBuilderInitial<"">;
type Text = SQLiteTextBuilderInitial<"", [string, ...string[]], number | undefined>;

/** Defines the key of a table, whose values are never reused (AUTOINCREMENT). */
export function key(): IsPrimaryKey<HasDefault<NotNull<Integer>>> {
  return integer().primaryKey({ autoIncrement: true });
}

/** Defines a required text that is empty if unknown. */
export function label(): HasDefault<NotNull<Text>> {
  return text().notNull().default("");
}

/** Defines the values of custom fields: a JSON object by the names of the fields. */
export function customValues(): HasDefault<NotNull<Text>> {
  return text().notNull().default("{}");
}

/** Defines a boolean that is stored as 0 or 1. */
export function flag(initial: 0 | 1): HasDefault<NotNull<Integer>> {
  return integer().notNull().default(initial);
}

/** Defines a required time in milliseconds since the epoch. */
export function timestamp(): NotNull<Integer> {
  return integer().notNull();
}

/** Defines the times at which an object was created and last changed, in milliseconds since the epoch. */
export function stamps(): { created: NotNull<Integer>; last_updated: NotNull<Integer> } {
  return { created: timestamp(), last_updated: timestamp() };
}

/** Defines the columns with notes of users about an object: comments, and values of custom fields. */
export function notes(): { comments: HasDefault<NotNull<Text>>; custom_fields: HasDefault<NotNull<Text>> } {
  return { comments: label(), custom_fields: customValues() };
}

/** Defines the columns of an object with a name. */
export function named():
  & { id: ReturnType<typeof key>; name: NotNull<Text>; description: HasDefault<NotNull<Text>> }
  & ReturnType<typeof stamps> {
  return { id: key(), name: text().notNull(), description: label(), ...stamps() };
}

/** Defines the columns of an object with a name and a slug. */
export function slugged(): ReturnType<typeof named> & { slug: NotNull<Text> } {
  return { ...named(), slug: text().notNull() };
}
