/** Filters as rows of a form: a field, a comparison and a value. The text that is stored is made from them. */

import { memoize } from "../../../base/memoize.ts";
import { type FieldMap, type FilterName, isDictionary } from "../../../filters/mod.ts";
import type { SelectOption } from "../components/mod.ts";
import { choicesOf, filterLabel, filtersByName } from "./filter_description.ts";
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

/** Filters of a text: those that rows can show, and others by name. */
export interface FilterParts {
  readonly rows: readonly FilterRow[];
  readonly rest: readonly (readonly [name: string, value: unknown])[];
}

type Notation = FilterPicker["notation"];

/** Maximum number of rows; further filters are shown in words. */
const MAX_ROWS = 20;

/** Suffixes of filters, and their labels. */
const COMPARISONS: readonly SelectOption[] = [
  ["", "is"],
  ["n", "is not"],
  ["ic", "contains"],
  ["nic", "does not contain"],
  ["isw", "starts with"],
  ["iew", "ends with"],
  ["gte", "is at least, or from"],
  ["lte", "is at most, or up to"],
  ["empty", "is empty"],
];
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

/**
 * Returns the fields of a map with their labels, by label. Several names of one field, and ids of objects, are left
 * out. Built once.
 */
export const fieldsOf = memoize((map: FieldMap): readonly SelectOption[] => {
  const options = [...filtersByName(map).keys()].filter((name) =>
    !name.includes("__") && !NO_FIELDS.includes(name) && !name.endsWith("_id")
  ).map((name) => [name, filterLabel(name)] as const);
  return options.toSorted(([, a], [, b]) => a.localeCompare(b, "en"));
});

/** Returns the comparisons of a field; all if it is not chosen yet. */
export function comparisonsOf(map: FieldMap, field: string, notation: Notation): readonly SelectOption[] {
  const names = filtersByName(map);
  return COMPARISONS.filter(([ending]) =>
    (notation !== "constraint" || Object.hasOwn(LOOKUPS, ending)) &&
    (field === "" || names.has(filterNameOf({ field, comparison: ending })))
  );
}

/** Returns the values of a row from which the user chooses; undefined for any text. */
export function valuesOf(map: FieldMap, place: FilterPlace): SelectOption[] | undefined {
  return choicesOf(filterOf(map, place));
}

/** Returns the name of a row's filter in a query: `status__n`. */
export function filterNameOf({ field, comparison }: FilterPlace): string {
  return comparison === "" ? field : `${field}__${comparison}`;
}

function filterOf(map: FieldMap, place: FilterPlace): FilterName | undefined {
  return filtersByName(map).get(filterNameOf(place));
}

/** Divides a stored text into rows and other filters; undefined for text that cannot be read. */
export function partsOfText(
  map: FieldMap,
  text: string,
  notation: Notation,
): FilterParts | undefined {
  const entries = entriesOf(text, notation);
  if (entries === undefined) return undefined;
  const fields = new Set(fieldsOf(map).map(([name]) => name));
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
    const suffix = notation === "constraint" ? LOOKUPS[comparison] : filterNameOf({ field: "", comparison });
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
  const known = fieldsOf(map).find(([one]) => one === field);
  if (known === undefined) return "Choose a field to filter by.";
  const [, label] = known;
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
