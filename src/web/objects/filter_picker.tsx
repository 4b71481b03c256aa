/** Writes filters for users: a field, a comparison and a value become a part of the text, which stays editable. */

import type { FieldErrors } from "../../base/errors.ts";
import { type FieldMap, type FilterName, filterNames, isDictionary } from "../../filters/mod.ts";
import type { Call } from "../call.ts";
import { type Html, Select, type SelectOption, TextField } from "../components/mod.ts";
import { textOf } from "../forms.ts";
import { filterLabel } from "./filter_words.ts";
import type { FilterPicker, FormState, View } from "./view.ts";

/** Name of the button that adds a filter; its value is the name of a field. */
export const PICK = "pick";

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

/** Filters that are not a condition on a field. */
const NO_FIELDS = ["q", "id"];

/** Renders the controls, and the button that sends the form and returns it with the filter in the field. */
export function FilterPickerControls(
  { call, view, state, name, picker }: {
    call: Call;
    view: View;
    state: FormState;
    /** Name of the field with the text. */
    name: string;
    picker: FilterPicker;
  },
): Html | null {
  const map = picker.map(call, state);
  if (map === undefined) return null;
  const given = (part: string): string => call.form.has(PICK) ? textOf(call.form, part) : "";
  const failed = picked(call, view, state).errors[name] !== undefined;
  const keep = (part: string): string => failed ? given(part) : "";
  return (
    <fieldset class="picker">
      <legend>Add a filter</legend>
      <Select
        name="pick_field"
        label="Field"
        value={keep("pick_field")}
        options={[["", "–"], ...fieldsOf(map)]}
      />
      <Select
        name="pick_comparison"
        label="Comparison"
        value={keep("pick_comparison")}
        options={COMPARISONS}
      />
      <TextField name="pick_value" label="Value" value={keep("pick_value")} />
      <button type="submit" name={PICK} value={name} formnovalidate class="secondary">Add filter</button>
    </fieldset>
  );
}

/** Returns the fields of a map with their labels, by label. Several names of one field, and ids of objects, are left out. */
function fieldsOf(map: FieldMap): SelectOption[] {
  const options = namesOf(map).filter(({ name }) =>
    !name.includes("__") && !NO_FIELDS.includes(name) && !name.endsWith("_id")
  ).map(({ name }) => [name, filterLabel(name)] as const);
  return options.toSorted(([, a], [, b]) => a.localeCompare(b, "en"));
}

function namesOf(map: FieldMap): FilterName[] {
  return [...filterNames(map)];
}

/** Returns the form with the filter that the user adds, or the errors of its field. */
export function picked(call: Call, view: View, state: FormState): { state: FormState; errors: FieldErrors } {
  const name = textOf(call.form, PICK);
  const picker = Object.hasOwn(view.pickers ?? {}, name) ? view.pickers?.[name] : undefined;
  const map = picker?.map(call, state);
  if (picker === undefined || map === undefined) return { state, errors: {} };
  const refuse = (message: string): { state: FormState; errors: FieldErrors } => ({
    state,
    errors: { [name]: [message] },
  });
  const [field, ending, value] = ["pick_field", "pick_comparison", "pick_value"].map((part) =>
    textOf(call.form, part).trim()
  ) as [string, string, string];
  const known = fieldsOf(map).find(([one]) => one === field);
  if (known === undefined) return refuse("Choose a field to filter by.");
  const filter = namesOf(map).find((one) => one.name === (ending === "" ? field : `${field}__${ending}`));
  if (filter === undefined) {
    const comparison = COMPARISONS.find(([one]) => one === ending)?.[1] ?? "this comparison";
    return refuse(`"${known[1]}" cannot be compared with "${comparison}". Choose another comparison.`);
  }
  const text = value === "" && ending === "empty" ? "true" : value;
  if (text === "") return refuse(`Enter a value for "${known[1]}".`);
  const options = filter.choices?.filter(Boolean) ??
    (filter.type === "boolean" ? ["true", "false"] : undefined);
  if (options !== undefined && !options.includes(text)) {
    return refuse(
      `Invalid value ${JSON.stringify(text)} for "${known[1]}". Expected one of: ${options.join(", ")}.`,
    );
  }
  const before = String(state[name] ?? "").trim();
  const lookup = picker.notation === "constraint"
    ? lookupFor(map, { field, ending, value: text })
    : filter.name;
  if (lookup === undefined) {
    return refuse(`Constraints cannot compare "${known[1]}" in this way. Choose another comparison.`);
  }
  const added = picker.notation === "query"
    ? `${before}${before === "" ? "" : "&"}${new URLSearchParams([[filter.name, text]])}`
    : withMember(before, { ...filter, name: lookup }, text);
  if (added === undefined) return refuse("Expected JSON. Correct the text before you add a filter.");
  return { state: { ...state, [name]: added }, errors: {} };
}

/** Suffixes of filters as lookups of constraints; others have none. */
const LOOKUPS: Readonly<Record<string, string>> = {
  "": "",
  ic: "__icontains",
  isw: "__istartswith",
  iew: "__iendswith",
  gte: "__gte",
  lte: "__lte",
};

/** Returns the lookup of constraints for a filter; objects that are given by name are compared by name. */
function lookupFor(
  { fields }: FieldMap,
  { field, ending, value }: { field: string; ending: string; value: string },
): string | undefined {
  const lookup = Object.hasOwn(LOOKUPS, ending) ? LOOKUPS[ending] : undefined;
  const definition = fields[field];
  const keys = definition?.kind === "reference" || definition?.kind === "many" ? definition.keys : [];
  if (lookup !== "" || keys.length === 0 || /^\d+$/.test(value)) {
    return lookup === undefined ? undefined : `${field}${lookup}`;
  }
  return `${field}__${keys.includes("slug") ? "slug" : keys[0]}`;
}

/**
 * Returns JSON text with a further filter, or with a new value of an existing one. Undefined for text that is not an
 * object.
 */
function withMember(before: string, { name, type }: FilterName, text: string): string | undefined {
  let conditions: unknown;
  try {
    conditions = before === "" ? {} : JSON.parse(before);
  } catch {
    return undefined;
  }
  if (!isDictionary(conditions)) return undefined;
  const value = type === "boolean"
    ? text === "true"
    : type === "integer" && /^-?\d{1,15}$/.test(text)
    ? Number(text)
    : text;
  const held = Object.hasOwn(conditions, name) ? [conditions[name]].flat() : [];
  const member = held.length === 0 ? value : [...held, value];
  return JSON.stringify({ ...conditions, [name]: member }, null, 2);
}
