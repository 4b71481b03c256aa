/** Definitions of custom fields. Their values are in `custom_fields` of the objects' tables, by name. */

import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, stamps } from "./columns.ts";

/** `extras.customfieldchoiceset`. */
export const custom_field_choice_sets = sqliteTable("custom_field_choice_sets", {
  id: key(),
  name: text().notNull(),
  description: label(),
  /** JSON list of `[value, label]`. */
  extra_choices: text().notNull().default("[]"),
  order_alphabetically: flag(0),
  ...stamps(),
});

/** `extras.customfield`. */
export const custom_fields = sqliteTable("custom_fields", {
  id: key(),
  name: text().notNull(),
  label: label(),
  group_name: label(),
  type: text().notNull().default("text"),
  /** JSON list. */
  object_types: text().notNull().default("[]"),
  related_object_type: text(),
  description: label(),
  required: flag(0),
  indexed: flag(0),
  filter_logic: text().notNull().default("loose"),
  /** JSON of the API's `default`. */
  initial: text(),
  weight: integer().notNull().default(100),
  validation_minimum: real(),
  validation_maximum: real(),
  validation_regex: label(),
  choice_set_id: integer(),
  comments: label(),
  ...stamps(),
  unique_values: flag(0),
  ui_visible: text().notNull().default("always"),
  ui_editable: text().notNull().default("yes"),
});
