/** Definitions of custom fields. Their values are in `custom_fields` of the objects' tables, by name. */

import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, label, named } from "./columns.ts";

/** `extras.customfieldchoiceset`. */
export const custom_field_choice_sets = sqliteTable("custom_field_choice_sets", {
  ...named(),
  /** JSON list of `[value, label]`. */
  extra_choices: text().notNull().default("[]"),
  order_alphabetically: flag(0),
});

/** `extras.customfield`. */
export const custom_fields = sqliteTable("custom_fields", {
  ...named(),
  label: label(),
  group_name: label(),
  type: text().notNull().default("text"),
  /** JSON list. */
  object_types: text().notNull().default("[]"),
  related_object_type: text(),
  required: flag(0),
  indexed: flag(0),
  filter_logic: text({ enum: ["disabled", "loose", "exact"] }).notNull().default("loose"),
  /** JSON of the API's `default`. */
  initial: text(),
  weight: integer().notNull().default(100),
  validation_minimum: real(),
  validation_maximum: real(),
  validation_regex: label(),
  choice_set_id: integer(),
  comments: label(),
  unique_values: flag(0),
  ui_visible: text({ enum: ["always", "if-set", "hidden"] }).notNull().default("always"),
  ui_editable: text({ enum: ["yes", "no", "hidden"] }).notNull().default("yes"),
});
