/** The filters of a list: a form, and a chip for each active filter. */

import type { FieldErrors } from "../../../base/errors.ts";
import { mapIn } from "../../../filters/mod.ts";
import { type CustomMember, type Resource, visibleMembersOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import {
  CheckboxList,
  type Content,
  type Html,
  Select,
  type SelectOption,
  TextField,
} from "../components/mod.ts";
import { chosenOf, type LoadedReference, loadReference } from "../reference/choices.ts";
import { shownText } from "../reference/reference.tsx";
import { suggestPath } from "../reference/suggest.ts";
import { choicesOf, customLabels, filterLabel, filtersByName, filterTarget } from "./filter_description.ts";
import type { View } from "../view.ts";

/** Active filters that a list page shows individually; each has a link with all the others. */
export const MAX_FILTER_CHIPS = 20;

/** Parameters that are not filters. */
export const UNFILTERED = ["q", "limit", "offset", "ordering", "columns", "show", "scope"];

/** A filter of the form. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** Choices; undefined for text. */
  readonly options: readonly SelectOption[] | undefined;
  /** The objects, if there are too many to list; `options` are the active ones then. */
  readonly reference?: LoadedReference;
  /** Whether the value is a date. */
  readonly day?: boolean;
  /** Label of the empty choice; default `Any`. */
  readonly unset?: string;
}

/** Maximum number of custom fields in a form; filters on further ones work in the URL. */
const MAX_CUSTOM_FIELDS = 30;

/** Types of objects that filters search and never list: there are many, and each list would cost a statement. */
const MANY: ReadonlySet<string> = new Set([
  "certmgr.certificate",
  "dcim.device",
  "virtualization.virtualmachine",
  "ipam.service",
]);

/** Loads the choices of filters and of those on custom fields; one statement or two for each reference. */
export async function loadFilters(
  call: Call,
  { resource, filters, fields = {} }: Pick<View, "resource" | "filters" | "fields">,
): Promise<Filter[]> {
  const labels = customLabels(call, resource);
  const known = filtersByName(mapIn(call.ctx, resource.map));
  const members = visibleMembersOf(call.ctx.database, resource.objectType)
    .filter(({ custom }) => custom.filterLogic !== "disabled" && custom.type !== "json")
    .slice(0, MAX_CUSTOM_FIELDS);
  const optionsOf = async (name: string): Promise<Pick<Filter, "options" | "reference">> => {
    const own = fields[name]?.choices?.() ??
      Object.entries(members.find((one) => one.name === name)?.labels ?? {});
    const target = own.length === 0 ? filterTarget(call, resource, name) : undefined;
    if (target?.by !== "id") return { options: own.length > 0 ? own : choicesOf(known.get(name)) };
    const [targets, values] = [[target.target], call.url.searchParams.getAll(name)];
    const reference = MANY.has(target.target.objectType)
      ? { targets, chosen: await chosenOf(call, targets, values), detailed: false }
      : await loadReference(call, targets, { name, values });
    if (reference.options !== undefined) return { options: reference.options };
    return { options: [...reference.chosen].map(([value, choice]) => [value, choice.name]), reference };
  };
  const days = members.filter(({ custom }) => custom.type.startsWith("date")).flatMap(customNames);
  return await Promise.all([...filters, ...members.flatMap(customNames)].map(async (name) => ({
    name,
    label: filterLabel(name, labels),
    day: days.includes(name) || known.get(name)?.type === "datetime",
    ...await optionsOf(name),
  })));
}

/** Returns the names of the filters for the type of a custom field, such as "from" and "up to" for dates. */
function customNames({ name, custom, target }: CustomMember): string[] {
  if (target !== undefined) return [`${name}_id`];
  const isCompared = ["integer", "decimal", "date", "datetime"].includes(custom.type);
  return isCompared ? [`${name}__gte`, `${name}__lte`] : [name];
}

/** Returns a function that returns the labels of parameters as in the form of the list; others keep their names. */
export function labelsOfFilters(
  call: Call,
  resource: Resource,
  filters: readonly Filter[],
): (name: string) => string {
  const labels = customLabels(call, resource);
  return (name) => filters.find((one) => one.name === name)?.label ?? filterLabel(name, labels);
}

/** Number of filters in the first row of the form; further ones are collapsed. */
const FIRST_FILTERS = 4;

/** Renders search and filters; active filters without a field stay active. `presets` are links to usual filters. */
export function FilterForm(
  { url, search, filters, errors, presets, except = [] }: {
    url: URL;
    /** Names of the filters of the tab, which are not counted. */
    except?: readonly string[];
    /** The text that describes the search; undefined if the list cannot be searched. */
    search?: string | undefined;
    filters: readonly Filter[];
    errors: FieldErrors;
    presets?: Content;
  },
): Html {
  const asked = filters.map(({ name }) => name);
  const kept = [...url.searchParams].filter(([name]) =>
    !asked.includes(name) && name !== "q" && name !== "offset"
  );
  return (
    <form method="get" action={url.pathname} class="filter-form">
      {kept.map(([name, value]) => <input type="hidden" name={name} value={value} />)}
      {search === undefined ? null : (
        <input
          type="search"
          name="q"
          value={url.searchParams.get("q") ?? ""}
          placeholder={`Search ${search}`}
          aria-label="Search"
        />
      )}
      {filters.length === 0
        ? null
        : <FilterPanel url={url} filters={filters} errors={errors} presets={presets} except={except} />}
    </form>
  );
}

/** Renders the button with the number of active filters, and the panel that it opens. */
function FilterPanel(
  { url, filters, errors, presets, except }: {
    url: URL;
    filters: readonly Filter[];
    errors: FieldErrors;
    presets: Content;
    except: readonly string[];
  },
): Html {
  const [first, further] = [filters.slice(0, FIRST_FILTERS), filters.slice(FIRST_FILTERS)];
  const wrong = (some: readonly Filter[]): boolean => some.some(({ name }) => Object.hasOwn(errors, name));
  const names = [...url.searchParams.keys()].filter((name) =>
    !UNFILTERED.includes(name) && !except.includes(name)
  );
  // The ids of several objects have one chip.
  const active = names.filter((name, index) => name !== "id" || names.indexOf(name) === index);
  const fields = (some: readonly Filter[]): Html => (
    <div class="filters">
      {some.map((filter) => <FilterField filter={filter} url={url} errors={errors} />)}
    </div>
  );
  // Active filters are shown as chips, so the panel is expanded only if it has errors.
  return (
    <details class="filter-box" open={wrong(filters)}>
      <summary role="button" class="secondary">
        Filters{active.length === 0 ? null : <span class="count">{active.length}</span>}
      </summary>
      <div class="filter-panel">
        <h2>Filters</h2>
        {presets}
        {fields(first)}
        {further.length === 0 ? null : (
          <details open={wrong(further)}>
            <summary>More filters</summary>
            {fields(further)}
          </details>
        )}
        <div class="form-actions">
          <button type="submit">Apply filters</button>
          {active.length === 0 ? null : <a href={withFilters(url, [])}>Clear</a>}
        </div>
      </div>
    </details>
  );
}

/** Returns the URL of the first page with these filters instead of the current ones, each encoded as in a URL. */
export function withFilters(url: URL, filters: readonly string[]): string {
  const kept = [...url.searchParams].filter(([name]) => UNFILTERED.includes(name) && name !== "offset");
  const query = [...filters, String(new URLSearchParams(kept))].filter((part) => part !== "").join("&");
  return query === "" ? url.pathname : `${url.pathname}?${query}`;
}

function FilterField(
  { filter, url, errors }: { filter: Filter; url: URL; errors: FieldErrors },
): Html {
  const { name, label, options, reference, day, unset } = filter;
  const values = url.searchParams.getAll(name);
  const value = values[0] ?? "";
  if (reference !== undefined) {
    return (
      <div>
        <TextField
          name={name}
          label={label}
          value={shownText(reference, value)}
          suggest={suggestPath(reference.targets)}
          errors={errors}
        />
        {/* The field shows the first value; the others stay active. */}
        {values.slice(1).map((other) => <input type="hidden" name={name} value={other} />)}
      </div>
    );
  }
  if (options === undefined) {
    // A datetime in the URL would lose its time in a date field.
    const type = day && /^(\d{4}-\d\d-\d\d)?$/.test(value) ? "date" : "text";
    return <TextField name={name} label={label} value={value} type={type} errors={errors} />;
  }
  // A filter with a default, or with a single possible value, cannot have several values.
  if (unset !== undefined || options.length < 3) {
    return (
      <Select
        name={name}
        label={label}
        value={value}
        options={[["", unset ?? "Any"], ...options]}
        errors={errors}
      />
    );
  }
  return <CheckboxList name={name} label={label} values={values} options={options} errors={errors} />;
}
