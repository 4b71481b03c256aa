/** Filters as rows of a form: a field, a comparison and a value. The text that is stored is made from them. */

import { memoize } from "../../../base/memoize.ts";
import { type DefaultOperator, type FieldMap, type FilterName, isDictionary } from "../../../filters/mod.ts";
import { CUSTOM_PREFIX } from "../../../resource/mod.ts";
import type { SelectOption } from "../components/mod.ts";
import { choicesOf, filterLabel, filtersByName, isKnownId, type Labels } from "./filter_description.ts";
import type { FilterPicker } from "../view.ts";

/** The field and the comparison of a filter. */
interface FilterPlace {
  readonly field: string;
  readonly comparison: string;
}

/** A filter as a row. */
export interface FilterRow extends FilterPlace {
  readonly value: string;
}

/** A row that is not filled in. */
export const NO_ROW: FilterRow = { field: "", comparison: "", value: "" };

/**
 * Name of the buttons that send the form and return it changed: `filter` adds a row to the field with this name,
 * `filter:row:2` removes its third row, `filter:rest:0` a filter that is not shown as a row. Any other value returns the
 * form with what depends on its values.
 */
export const PICK = "pick";

/** Filters of a text: those that rows can show, and others by name. */
export interface FilterParts {
  readonly rows: readonly FilterRow[];
  readonly rest: readonly (readonly [name: string, value: unknown])[];
}

export type Notation = FilterPicker["notation"];

/** Maximum number of rows; further filters are shown in words. */
const MAX_ROWS = 20;

/** Suffixes of filters, their labels, and those for dates. */
const COMPARISONS: readonly (readonly [ending: string, label: string, ofDates?: string])[] = [
  ["", "is"],
  ["ie", "is"],
  ["n", "is not"],
  ["ic", "contains"],
  ["nic", "does not contain"],
  ["isw", "starts with"],
  ["iew", "ends with"],
  ["regex", "matches (RE2)"],
  ["gte", "is at least", "is from"],
  ["gt", "is more than", "is after"],
  ["lte", "is at most", "is up to"],
  ["lt", "is less than", "is before"],
  ["empty", "is empty"],
];
/** What a filter without suffix means unless it is "is", and the suffix with the same meaning. */
const DEFAULTS: Readonly<Record<DefaultOperator, readonly [label: string, same: string]>> = {
  exact: ["is", "ie"],
  iexact: ["is", "ie"],
  contains: ["contains (same case)", ""],
  icontains: ["contains", "ic"],
  lte: ["is up to", ""],
  gte: ["is from", ""],
};
/** Suffixes of filters as lookups of constraints; others have none. */
const LOOKUPS: Readonly<Record<string, string>> = {
  "": "",
  ic: "__icontains",
  isw: "__istartswith",
  iew: "__iendswith",
  gte: "__gte",
  lte: "__lte",
};

/** Filters that are not a condition on a field. */
const NO_FIELDS = ["q", "id"];

/** The names of the fields of a map that rows can have: not the ids of objects of several types. Built once. */
const fieldNames = memoize((map: FieldMap): ReadonlySet<string> =>
  new Set(
    [...filtersByName(map).keys()].filter((name) =>
      !name.includes("__") && !NO_FIELDS.includes(name) &&
      (!name.endsWith("_id") || !Object.hasOwn(map.fields, name) || isKnownId(map, name))
    ),
  )
);

/**
 * Returns the fields of a map with their labels, by label; relations once: by id where objects can be chosen, else by
 * name.
 */
export function fieldsOf(map: FieldMap, notation: Notation, labels?: Labels): readonly SelectOption[] {
  const names = fieldNames(map);
  const byId = notation !== "constraint";
  const shown = [...names].filter((name) =>
    (byId ? !names.has(`${name}_id`) : !name.endsWith("_id")) &&
    (!name.startsWith(CUSTOM_PREFIX) || labels?.has(name.replace(/_id$/, "")))
  );
  return shown.map((name) => [name, filterLabel(name, labels)] as const)
    .toSorted(([, a], [, b]) => a.localeCompare(b, "en"));
}

/** Returns the comparisons of a row; all if its field is not chosen yet. */
export function comparisonsOf(
  map: FieldMap,
  { field, comparison }: FilterPlace,
  notation: Notation,
): readonly SelectOption[] {
  const names = filtersByName(map);
  const definition = Object.hasOwn(map.fields, field) ? map.fields[field] : undefined;
  const operator = definition !== undefined && "defaultOperator" in definition && notation !== "constraint"
    ? definition.defaultOperator
    : undefined;
  const [plain, same] = DEFAULTS[operator ?? "exact"];
  const dated = names.get(field)?.type === "datetime";
  return COMPARISONS.filter(([ending]) =>
    (notation !== "constraint" || Object.hasOwn(LOOKUPS, ending)) &&
    (ending === "" || ending !== same || ending === comparison) &&
    (field === "" ? ending !== "ie" : names.has(nameOfRow({ field, comparison: ending })))
  ).map(([ending, label, ofDates]) => [ending, ending === "" ? plain : dated ? ofDates ?? label : label]);
}

/** Returns the values of a row from which the user chooses; undefined for any text. */
export function valuesOf(map: FieldMap, place: FilterPlace): SelectOption[] | undefined {
  return choicesOf(filterOf(map, place));
}

/** Returns the name of a row's filter in a query: `status__n`. */
export function nameOfRow({ field, comparison }: FilterPlace): string {
  return comparison === "" ? field : `${field}__${comparison}`;
}

function filterOf(map: FieldMap, place: FilterPlace): FilterName | undefined {
  return filtersByName(map).get(nameOfRow(place));
}

/** Returns the rows that a form or a URL has under a name, without the one that its button removes. */
export function readRows(
  data: Pick<URLSearchParams | FormData, "getAll" | "get">,
  name: string,
): readonly FilterRow[] {
  const texts = (part: string): string[] => data.getAll(`${name}.${part}`).map(String);
  const [comparisons, values] = [texts("comparison"), texts("value")];
  const removed = data.get(PICK);
  return texts("field").map((field, index) => ({
    field,
    comparison: comparisons[index] ?? "",
    value: values[index] ?? "",
  })).filter((row, index) => removed !== `${name}:row:${index}` && (row.field !== "" || row.value !== ""));
}

/** Divides a stored text into rows and other filters; undefined for text that cannot be read. */
export function partsOfText(
  map: FieldMap,
  text: string,
  notation: Notation,
): FilterParts | undefined {
  const entries = entriesOf(text, notation);
  if (entries === undefined) return undefined;
  const fields = fieldNames(map);
  const rows: FilterRow[] = [];
  const rest: [string, unknown][] = [];
  for (const [name, value] of entries) {
    const place = placeOf(map, { name, fields, notation });
    const values = [value].flat();
    const isPlain = values.length > 0 &&
      values.every((one) => ["string", "number", "boolean"].includes(typeof one));
    if (place === undefined || !isPlain || rows.length + values.length > MAX_ROWS) rest.push([name, value]);
    else rows.push(...values.map((one) => ({ ...place, value: String(one) })));
  }
  return { rows, rest };
}

function entriesOf(text: string, notation: Notation): [string, unknown][] | undefined {
  if (notation === "query") return [...new URLSearchParams(text)];
  if (text.trim() === "") return [];
  try {
    const read: unknown = JSON.parse(text);
    return isDictionary(read) ? Object.entries(read) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the field and the comparison of a filter by its name. */
function placeOf(
  map: FieldMap,
  { name, fields, notation }: { name: string; fields: ReadonlySet<string>; notation: Notation },
): FilterPlace | undefined {
  for (const [comparison] of COMPARISONS) {
    const suffix = notation === "constraint" ? LOOKUPS[comparison] : nameOfRow({ field: "", comparison });
    if (suffix === undefined || !name.endsWith(suffix)) continue;
    const place = { field: name.slice(0, name.length - suffix.length), comparison };
    if (fields.has(place.field) && filterOf(map, place) !== undefined) return place;
  }
  if (notation !== "constraint") return undefined;
  const [field = "", key = "", ...more] = name.split("__");
  return more.length === 0 && fields.has(field) && keyOf(map, field) === key
    ? { field, comparison: "" }
    : undefined;
}

/** Returns the key by which constraints name an object; undefined for a field without objects. */
function keyOf({ fields }: FieldMap, field: string): string | undefined {
  const definition = Object.hasOwn(fields, field) ? fields[field] : undefined;
  const keys = definition?.kind === "reference" || definition?.kind === "many" ? definition.keys : [];
  return keys.includes("slug") ? "slug" : keys[0];
}

/** A text that was made from rows, or what is wrong with them. */
export interface ComposedText {
  readonly text: string;
  readonly errors: readonly string[];
}

/** Makes the text of rows and other filters. `complete` reports rows that are not filled in; else they are left out. */
export function textOfParts(
  map: FieldMap,
  { rows, rest }: FilterParts,
  { notation, complete }: { notation: Notation; complete: boolean },
): ComposedText {
  const errors: string[] = [];
  const filters: [string, unknown][] = [];
  for (const row of rows) {
    const filter = filterOfRow(map, row, notation);
    if (typeof filter !== "string") filters.push(filter);
    else if (complete || isComplete(row)) errors.push(filter);
  }
  if (notation === "query") {
    const pairs = [...filters, ...rest].map(([name, value]) => [name, String(value)]);
    return { text: String(new URLSearchParams(pairs)), errors };
  }
  const members = new Map<string, unknown>();
  for (const [name, value] of filters) {
    const held = members.get(name);
    members.set(name, held === undefined ? value : [...new Set([held, value].flat())]);
  }
  for (const [name, value] of rest) members.set(name, value);
  const text = members.size === 0 ? "" : JSON.stringify(Object.fromEntries(members), null, 2);
  return { text, errors };
}

function isComplete({ field, value }: FilterRow): boolean {
  return field !== "" && value !== "";
}

/** Returns the filter of a row, or what is wrong with it. */
function filterOfRow(
  map: FieldMap,
  row: FilterRow,
  notation: Notation,
): [name: string, value: unknown] | string {
  const { field, comparison, value: given } = row;
  if (!fieldNames(map).has(field)) return "Choose a field to filter by.";
  const label = filterLabel(field);
  const filter = filterOf(map, row);
  if (filter === undefined) {
    const words = COMPARISONS.find(([one]) => one === comparison)?.[1] ?? "this comparison";
    return `"${label}" cannot be compared with "${words}". Choose another comparison.`;
  }
  const text = given.trim() === "" && comparison === "empty" ? "true" : given.trim();
  if (text === "") return `Enter a value for "${label}".`;
  const options = valuesOf(map, row)?.map(([one]) => one);
  if (options !== undefined && !options.includes(text)) {
    return `Invalid value ${JSON.stringify(text)} for "${label}". Expected one of: ${options.join(", ")}.`;
  }
  if (notation === "query") return [filter.name, text];
  if (notation === "json") return [filter.name, typed(filter, text)];
  const lookup = Object.hasOwn(LOOKUPS, comparison) ? LOOKUPS[comparison] : undefined;
  if (lookup === undefined) {
    return `Constraints cannot compare "${label}" in this way. Choose another comparison.`;
  }
  // Objects that are given by name are compared by name.
  const key = lookup === "" && !/^\d+$/.test(text) ? keyOf(map, field) : undefined;
  return [key === undefined ? `${field}${lookup}` : `${field}__${key}`, typed(filter, text)];
}

function typed({ type }: FilterName, text: string): unknown {
  if (type === "boolean") return text === "true";
  return type === "integer" && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
