/** The rows of filters in a form. They work without scripts: a button sends the form, and its response has the new rows. */

import { numberText } from "../../../base/amounts.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import { type FieldMap, resolveName } from "../../../filters/mod.ts";
import { visibleMembersOf } from "../../../resource/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import { ComboboxScript, type Content, FieldError, type Html, type SelectOption } from "../components/mod.ts";
import { textOf } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import {
  comparisonsOf,
  fieldsOf,
  type FilterParts,
  type FilterRow,
  nameOfRow,
  NO_ROW,
  type Notation,
  partsOfText,
  PICK,
  readRows,
  textOfParts,
} from "./filter_rows.ts";
import { customLabels, filterLabel } from "./filter_description.ts";
import { type LoadedRow, loadRows, type RowsOf, ValueControl, withIds } from "./filter_values.tsx";
import { conditionsText, countMatches, inWords } from "./filter_words.tsx";
import type { FilterPicker, FormState, View } from "../view.ts";
import { countedObjects, pluralOf } from "../../type_label.ts";

/** Returns the filters that a form with rows has posted, without those that its button removes; undefined for text that was edited. */
function postedParts(
  { form }: Call,
  { name, map, picker }: { name: string; map: FieldMap; picker: FilterPicker },
): { parts: FilterParts; changed: boolean } | undefined {
  const shown = textOf(form, `${name}.shown`);
  if (!form.has(`${name}.shown`) || textOf(form, name) !== shown) return undefined;
  const before = partsOfText(map, shown, picker.notation);
  if (before === undefined) return undefined;
  const rows = readRows(form, name);
  const removed = textOf(form, PICK);
  const rest = before.rest.filter((_, index) => removed !== `${name}:rest:${index}`);
  const changed = JSON.stringify([rows, rest]) !== JSON.stringify([before.rows, before.rest]);
  return { parts: { rows, rest }, changed };
}

/** Returns the posted values with the texts that the rows make, and the errors of rows. */
export async function withFilterRows(
  call: Call,
  { fields = {} }: View,
  state: FormState,
): Promise<{ state: FormState; errors: FieldErrors }> {
  const errors: Record<string, string[]> = {};
  const texts: Record<string, string> = {};
  for (const [name, { picker }] of Object.entries(fields)) {
    if (picker === undefined) continue;
    const map = picker.map(call, state);
    const posted = map && postedParts(call, { name, map, picker });
    if (map === undefined || posted === undefined || !posted.changed) continue;
    const complete = !call.form.has(PICK);
    const resource = picker.list?.(state);
    const rows = await withIds(call, { resource, map }, posted.parts.rows);
    const composed = textOfParts(map, { ...posted.parts, rows }, { notation: picker.notation, complete });
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
  const resource = picker.list?.(state);
  const rows = parts?.rows ?? [];
  const adding = parts !== undefined && rows.length + parts.rest.length === 0 ||
    textOf(call.form, PICK) === name;
  const of = map && { map, resource, notation: picker.notation };
  const wrong = [name, ...picker.also ?? []].some((one) => one in errors);
  const label = view.resource.fields[name]?.shown?.label ?? labelOf(name);
  const words = picker.notation === "query" ? "as the query of a list" : "as JSON";
  return (
    <div class="field filter-rows" id={`${name}-rows`} data-in-place={picker.dependsOn?.join(" ") ?? ""}>
      {of === undefined || parts === undefined ? null : (
        <RowList
          call={call}
          name={name}
          of={of}
          rows={await loadRows(call, of, adding ? [...rows, NO_ROW] : rows)}
          legend={picker.label ?? label}
          rest={await restInWords(call, { picker, state, rest: parts.rest })}
          matches={await matchesText(call, { picker, state, text, parts })}
        />
      )}
      <input type="hidden" name={`${name}.shown`} value={text} />
      <details class="advanced" open={wrong || (map !== undefined && parts === undefined)}>
        <summary>Advanced: {words}</summary>
        {advanced}
      </details>
    </div>
  );
}

/** Renders the rows of a form, filters that are not shown as rows, and the button that adds a row. */
export function RowList(
  { call, name, of, rows, legend, errors = {}, usual = [], rest = [], matches }: {
    call: Call;
    /** Prefix of the names of controls. */
    name: string;
    of: RowsOf & { readonly notation: Notation };
    rows: readonly LoadedRow[];
    legend: string;
    /** Errors by the names of filters. */
    errors?: FieldErrors;
    /** Names of filters whose fields come first. */
    usual?: readonly string[];
    /** Other filters in words. */
    rest?: readonly string[];
    /** How many objects match. */
    matches?: string | undefined;
  },
): Html {
  const { map, resource, notation } = of;
  const labels = resource && customLabels(call, resource, visibleMembersOf);
  const fields = fieldsOf(map, notation, labels);
  const first = [...new Set(usual.map((one) => one.split("__")[0] ?? ""))]
    .map((one) => fields.find(([field]) => field === one)).filter((one) => one !== undefined);
  return (
    <fieldset class="rows">
      <legend class="label">{legend}</legend>
      {rows.map((loaded, index) => {
        const { row } = loaded;
        const number = index + 1;
        const known = row.field === "" || fields.some(([one]) => one === row.field);
        const choices = <Options options={fields} value={row.field} />;
        return (
          <div class="filter-row">
            <span class="joint">{index === 0 ? "Where" : joint(map, row, rows[index - 1]?.row)}</span>
            <select name={`${name}.field`} aria-label={`Field ${number}`}>
              <option value="" selected={row.field === ""}>Choose a field</option>
              {known ? null : <option value={row.field} selected>{filterLabel(row.field, labels)}</option>}
              {first.length === 0 ? choices : (
                <>
                  <optgroup label="Usual">
                    <Options options={first} value={row.field} />
                  </optgroup>
                  <optgroup label="All">
                    <Options options={fields.filter((one) => !first.includes(one))} value={row.field} />
                  </optgroup>
                </>
              )}
            </select>
            <select name={`${name}.comparison`} aria-label={`Comparison ${number}`}>
              <Options options={comparisonsOf(map, row, notation)} value={row.comparison} />
            </select>
            <ValueControl loaded={loaded} name={`${name}.value`} label={`Value ${number}`} errors={errors} />
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
            <FieldError name={loaded.name} errors={errors} />
          </div>
        );
      })}
      <Rest name={name} words={rest} />
      <button type="submit" name={PICK} value={name} formnovalidate class="secondary small">
        Add filter
      </button>
      {matches === undefined ? null : <p class="matches" role="status">{matches}</p>}
      <script type="module" src={assetPath("in_place.js")}></script>
      <ComboboxScript />
    </fieldset>
  );
}

function Options({ options, value }: { options: readonly SelectOption[]; value: string }): Html {
  return <>{options.map(([one, text]) => <option value={one} selected={one === value}>{text}</option>)}</>;
}

/** Returns how a row is combined with the one before: values of the same field are alternatives, except tags. */
function joint(map: FieldMap, row: FilterRow, before: FilterRow | undefined): string {
  const isSame = row.field !== "" && row.field === before?.field && row.comparison === before.comparison;
  const field = resolveName(map, row.field)?.field;
  const isEach = field?.kind === "many" && !field.anyOf;
  return isSame && !isEach && !row.comparison.startsWith("n") ? "or" : "and";
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
      rows.filter(({ field, value }) => field !== "" && value !== "")
        .map((row) => [nameOfRow(row), row.value]),
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
