/**
 * The definitions of custom fields, cached per database for a few seconds, because filters, forms and writes
 * need them without waiting. A change on another node takes effect here within that time, a change in this
 * process at once.
 */

import { asc, eq } from "drizzle-orm";
import type { Clock, Millis } from "../../base/clock.ts";
import { memoize } from "../../base/memoize.ts";
import { type Database, perDatabase, type Reader, select } from "../../db/mod.ts";
import { custom_field_choice_sets, custom_fields } from "../../db/schema/mod.ts";

/** Types of custom fields, with NetBox's labels. */
export const CUSTOM_TYPES = {
  text: "Text",
  longtext: "Text (long)",
  integer: "Integer",
  decimal: "Decimal",
  boolean: "Boolean (true/false)",
  date: "Date",
  datetime: "Date & time",
  url: "URL",
  json: "JSON",
  select: "Selection",
  multiselect: "Multiple selection",
  object: "Object",
} as const;
export type CustomType = keyof typeof CUSTOM_TYPES;

export interface CustomField {
  readonly name: string;
  readonly label: string;
  /** Heading on pages; empty without one. */
  readonly group: string;
  readonly type: CustomType;
  readonly objectTypes: readonly string[];
  /** The type of the objects to which a field of the type `object` refers. */
  readonly relatedType: string | null;
  readonly description: string;
  readonly required: boolean;
  /** Whether no two objects of a type have the same value. */
  readonly unique: boolean;
  readonly visible: "always" | "if-set" | "hidden";
  readonly editable: "yes" | "no" | "hidden";
  readonly filterLogic: "disabled" | "loose" | "exact";
  /** The default value as it is stored; null if there is none. */
  readonly initial: unknown;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly regex: string;
  /** Values and labels; null for other types. */
  readonly choices: readonly (readonly [value: string, label: string])[] | null;
}

interface CachedDefinitions {
  readonly fields: readonly CustomField[];
  readonly loadedAt: Millis;
  /** The version of the database before the definitions were loaded, if other workers write as well. */
  readonly version: number | undefined;
}

/** Time for which definitions are used without checking for changes. */
const FRESH_MS = 4_000;
const NONE: readonly CustomField[] = [];
const cacheOf = perDatabase((): { held?: CachedDefinitions } => ({}));

/** Returns all definitions, by weight and name. The result is the same object until they change. */
export function allCustomFields(database: Database): readonly CustomField[] {
  return cacheOf(database).held?.fields ?? NONE;
}

const byType = memoize((_: readonly CustomField[]) => new Map<string, readonly CustomField[]>());

/** Returns the definitions for an object type, by weight and name. */
export function customFieldsOf(database: Database, objectType: string): readonly CustomField[] {
  const all = allCustomFields(database);
  const known = byType(all);
  const found = known.get(objectType) ?? all.filter((field) => field.objectTypes.includes(objectType));
  known.set(objectType, found);
  return found;
}

/** Makes the next request load the definitions again. */
export function forgetCustomFields(database: Database): void {
  // The definitions themselves are kept, because requests that are running continue with them.
  cacheOf(database).held = { fields: allCustomFields(database), loadedAt: -Infinity, version: undefined };
}

/**
 * Loads the definitions if they are not fresh. At most one statement, unless they change in the meantime.
 * Requests, jobs, commands and writes begin with this.
 */
export async function refreshCustomFields(
  { database, clock }: { database: Database; clock: Clock },
  reader: Reader = database,
): Promise<void> {
  const cache = cacheOf(database);
  for (;;) {
    const { held } = cache;
    const now = clock.now();
    const version = database.outsideVersion;
    const isFresh = held !== undefined && now >= held.loadedAt && now - held.loadedAt < FRESH_MS;
    if (isFresh && held.version === version) return;
    const fields = await readCustomFields(reader);
    // Invalidated in the meantime, so the rows may be from before the change.
    if (cache.held !== held) continue;
    const same = held !== undefined && JSON.stringify(held.fields) === JSON.stringify(fields);
    cache.held = { fields: same ? held.fields : fields, loadedAt: now, version };
    return;
  }
}

async function readCustomFields(reader: Reader): Promise<CustomField[]> {
  const rows = await reader.all(
    select({
      name: custom_fields.name,
      label: custom_fields.label,
      group_name: custom_fields.group_name,
      type: custom_fields.type,
      object_types: custom_fields.object_types,
      related_object_type: custom_fields.related_object_type,
      description: custom_fields.description,
      required: custom_fields.required,
      unique_values: custom_fields.unique_values,
      ui_visible: custom_fields.ui_visible,
      ui_editable: custom_fields.ui_editable,
      filter_logic: custom_fields.filter_logic,
      initial: custom_fields.initial,
      validation_minimum: custom_fields.validation_minimum,
      validation_maximum: custom_fields.validation_maximum,
      validation_regex: custom_fields.validation_regex,
      extra_choices: custom_field_choice_sets.extra_choices,
      sorted: custom_field_choice_sets.order_alphabetically,
    }).from(custom_fields)
      .leftJoin(custom_field_choice_sets, eq(custom_field_choice_sets.id, custom_fields.choice_set_id))
      .orderBy(asc(custom_fields.weight), asc(custom_fields.name)),
  );
  return rows.map((row): CustomField => ({
    name: row.name,
    label: row.label === "" ? labelOf(row.name) : row.label,
    group: row.group_name,
    type: row.type as CustomType,
    objectTypes: JSON.parse(row.object_types),
    relatedType: row.related_object_type,
    description: row.description,
    required: row.required === 1,
    unique: row.unique_values === 1,
    visible: row.ui_visible,
    editable: row.ui_editable,
    filterLogic: row.filter_logic,
    initial: row.initial === null ? null : JSON.parse(row.initial),
    minimum: row.validation_minimum,
    maximum: row.validation_maximum,
    regex: row.validation_regex,
    choices: row.extra_choices === null ? null : choicesOf(row.extra_choices, row.sorted === 1),
  }));
}

function labelOf(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;
}

function choicesOf(json: string, sorted: boolean): [string, string][] {
  const choices: [string, string][] = JSON.parse(json);
  return sorted ? choices.sort(([, a], [, b]) => a.localeCompare(b, "en")) : choices;
}
