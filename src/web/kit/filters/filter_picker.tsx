/** The rows of filters in a form. They work without scripts: a button sends the form, and its response has the new rows. */

import { numberText } from "../../../base/amounts.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import type { FieldMap } from "../../../filters/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import type { Content, Html, SelectOption } from "../components/mod.ts";
import { textOf, textsOf } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import {
  comparisonsOf,
  fieldsOf,
  filterNameOf,
  type FilterParts,
  type FilterRow,
  partsOfText,
  textOfParts,
  valuesOf,
} from "./filter_rows.ts";
import { filterLabel } from "./filter_description.ts";
import { conditionsText, inWords } from "./filter_words.ts";
import { countMatches } from "./filter_chips.tsx";
import type { FilterPicker, FormState, View } from "../view.ts";
import { countedObjects, pluralOf } from "../../type_label.ts";

/**
 * Name of the buttons that send the form and return it changed: `filter` adds a row to the field with this name,
 * `filter:row:2` removes its third row, `filter:rest:0` a filter that is not shown as a row. Any other value returns the
 * form with what depends on its values.
 */
export const PICK = "pick";

/** Returns the filters that a form with rows has posted, without those that its button removes; undefined for text that was edited. */
function postedParts(
  { form }: Call,
  { name, map, picker }: { name: string; map: FieldMap; picker: FilterPicker },
): { parts: FilterParts; changed: boolean } | undefined {
  const shown = textOf(form, `${name}.shown`);
  if (!form.has(`${name}.shown`) || textOf(form, name) !== shown) return undefined;
  const before = partsOfText(map, shown, picker.notation);
  if (before === undefined) return undefined;
  const [fields, comparisons, values] = [
    textsOf(form, `${name}.field`),
    textsOf(form, `${name}.comparison`),
    textsOf(form, `${name}.value`),
  ];
  const removed = textOf(form, PICK);
  const rows = fields.map((field, index): FilterRow => ({
    field,
    comparison: comparisons[index] ?? "",
    value: values[index] ?? "",
  })).filter((row, index) => removed !== `${name}:row:${index}` && (row.field !== "" || row.value !== ""));
  const rest = before.rest.filter((_, index) => removed !== `${name}:rest:${index}`);
  const changed = JSON.stringify([rows, rest]) !== JSON.stringify([before.rows, before.rest]);
  return { parts: { rows, rest }, changed };
}

/** Returns the posted values with the texts that the rows make, and the errors of rows. */
export function withFilterRows(
  call: Call,
  { fields = {} }: View,
  state: FormState,
): { state: FormState; errors: FieldErrors } {
  const errors: Record<string, string[]> = {};
  const texts: Record<string, string> = {};
  for (const [name, { picker }] of Object.entries(fields)) {
    if (picker === undefined) continue;
    const map = picker.map(call, state);
    const posted = map && postedParts(call, { name, map, picker });
    if (map === undefined || posted === undefined || !posted.changed) continue;
    const complete = !call.form.has(PICK);
    const composed = textOfParts(map, posted.parts, { notation: picker.notation, complete });
    if (composed.errors.length > 0) errors[name] = [...composed.errors];
    else texts[name] = composed.text;
  }
  return { state: { ...state, ...texts }, errors };
}

/** Renders the rows of a field, the number of matches, and the text and other controls in a collapsed box. */
export async function FilterRows(
  { call, view, state, errors, name, picker, advanced }: {
    call: Call;
    view: View;
    state: FormState;
    errors: FieldErrors;
    /** Name of the field with the text. */
    name: string;
    picker: FilterPicker;
    /** The control of the text, and more controls that are collapsed with it. */
    advanced: Content;
  },
): Promise<Html> {
  const map = picker.map(call, state);
  const text = String(state[name] ?? "");
  const posted = map && postedParts(call, { name, map, picker })?.parts;
  const parts = map && (posted ?? partsOfText(map, text, picker.notation));
  const adding = textOf(call.form, PICK) === name;
  const rows = parts === undefined || (parts.rows.length + parts.rest.length > 0 && !adding)
    ? parts?.rows ?? []
    : [...parts.rows, { field: "", comparison: "", value: "" }];
  const wrong = [name, ...picker.also ?? []].some((one) => one in errors);
  const label = view.resource.fields[name]?.label ?? labelOf(name);
  const words = picker.notation === "query" ? "as the query of a list" : "as JSON";
  return (
    <div class="field filter-rows" id={`${name}-rows`} data-in-place={picker.dependsOn?.join(" ") ?? ""}>
      {map === undefined || parts === undefined ? null : (
        <fieldset class="rows">
          <legend class="label">{picker.label ?? label}</legend>
          {rows.map((row, index) => (
            <Row name={name} map={map} row={row} picker={picker} index={index} before={rows[index - 1]} />
          ))}
          <Rest name={name} words={await restInWords(call, { picker, state, rest: parts.rest })} />
          <button type="submit" name={PICK} value={name} formnovalidate class="secondary small">
            Add filter
          </button>
          <Matches words={await matchesText(call, { picker, state, text, parts })} />
        </fieldset>
      )}
      <input type="hidden" name={`${name}.shown`} value={text} />
      <details class="advanced" open={wrong || (map !== undefined && parts === undefined)}>
        <summary>Advanced: {words}</summary>
        {advanced}
      </details>
      <script type="module" src={assetPath("in_place.js")}></script>
    </div>
  );
}

function Row(
  { name, map, row, picker, index, before }: {
    name: string;
    map: FieldMap;
    row: FilterRow;
    picker: FilterPicker;
    index: number;
    before: FilterRow | undefined;
  },
): Html {
  const fields = fieldsOf(map);
  const known = row.field === "" || fields.some(([one]) => one === row.field);
  const values = valuesOf(map, row);
  const number = index + 1;
  return (
    <div class="filter-row">
      <span class="joint">{index === 0 ? "Where" : joint(row, before)}</span>
      <Choice
        name={`${name}.field`}
        label={`Field ${number}`}
        value={row.field}
        options={[
          ["", "Choose a field"],
          ...known ? [] : [[row.field, filterLabel(row.field)] as const],
          ...fields,
        ]}
      />
      <Choice
        name={`${name}.comparison`}
        label={`Comparison ${number}`}
        value={row.comparison}
        options={comparisonsOf(map, known ? row.field : "", picker.notation)}
      />
      {values === undefined
        ? (
          <input
            type="text"
            name={`${name}.value`}
            value={row.value}
            aria-label={`Value ${number}`}
            placeholder="Value"
            autocomplete="off"
          />
        )
        : (
          <Choice
            name={`${name}.value`}
            label={`Value ${number}`}
            value={row.value}
            options={[
              ...values.some(([one]) => one === row.value) ? [] : [["", "Choose a value"] as const],
              ...values,
            ]}
          />
        )}
      <button
        type="submit"
        name={PICK}
        value={`${name}:row:${index}`}
        formnovalidate
        class="plain"
        aria-label={`Remove filter ${number}`}
        title="Remove"
      >
        ×
      </button>
    </div>
  );
}

/** Returns how a row is combined with the one before: values of the same field are alternatives. */
function joint(row: FilterRow, before: FilterRow | undefined): string {
  const isSame = row.field !== "" && row.field === before?.field && row.comparison === before.comparison;
  return isSame && !row.comparison.startsWith("n") ? "or" : "and";
}

function Choice(
  { name, label, value, options }: {
    name: string;
    label: string;
    value: string;
    options: readonly SelectOption[];
  },
): Html {
  return (
    <select name={name} aria-label={label}>
      {options.map(([one, text]) => <option value={one} selected={one === value}>{text}</option>)}
    </select>
  );
}

/** Renders what is not shown as rows, in words. */
function Rest({ name, words }: { name: string; words: readonly string[] }): Html | null {
  if (words.length === 0) return null;
  return (
    <p class="chips">
      {words.map((text, index) => (
        <span class="chip">
          <bdi>{text}</bdi>
          <button
            type="submit"
            name={PICK}
            value={`${name}:rest:${index}`}
            formnovalidate
            class="plain"
            aria-label={`Remove ${text}`}
          >
            ×
          </button>
        </span>
      ))}
    </p>
  );
}

/** Returns the filters that are not rows in words; those of a query with the names of objects. */
async function restInWords(
  call: Call,
  { picker, state, rest }: { picker: FilterPicker; state: FormState; rest: FilterParts["rest"] },
): Promise<string[]> {
  if (picker.notation === "query") {
    const parameters = rest.map(([name, value]) => [name, String(value)] as const);
    const labels = picker.columnLabels?.(call, state);
    const [words = []] = await inWords(call, [{ resource: picker.list?.(state), parameters, labels }]);
    return [...words];
  }
  return rest.map(([filter, value]) =>
    ["AND", "OR", "NOT"].includes(filter)
      ? `${filter} (${conditionsText(value)})`
      : conditionsText({ [filter]: value })
  );
}

function Matches({ words }: { words: string | undefined }): Html | null {
  return words === undefined ? null : <p class="matches" role="status">{words}</p>;
}

/** Returns how many objects the filters match; undefined if they are not counted. At most two statements. */
async function matchesText(
  call: Call,
  { picker, state, text, parts: { rows, rest } }: {
    picker: FilterPicker;
    state: FormState;
    text: string;
    parts: FilterParts;
  },
): Promise<string | undefined> {
  const resource = picker.list?.(state);
  if (resource === undefined || (picker.notation === "json" && rest.length > 0)) return undefined;
  const query = picker.notation === "query" ? text : String(
    new URLSearchParams(
      rows.filter(({ field, value }) => field !== "" && value !== "").map((
        row,
      ) => [filterNameOf(row), row.value]),
    ),
  );
  const count = await countMatches(call, resource, {
    query,
    withDefaults: picker.withDefaults?.(state),
  });
  if (count === undefined) return undefined;
  return query === "" && picker.withDefaults === undefined
    ? `All ${pluralOf(resource)}: ${numberText(count)}`
    : `Matches ${countedObjects(resource, count)}`;
}
