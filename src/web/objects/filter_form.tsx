/** The filters of a list: a form for the usual ones, and a chip for each that is on. */

import type { FieldErrors } from "../../base/errors.ts";
import { MAX_FILTER_CHIPS } from "../../base/limits.ts";
import { type FilterName, filterNames } from "../../filters/mod.ts";
import { type Field, fieldMap, type Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { type Html, Icon, Select, type SelectOption, TextField } from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import { choicesFor, targetOf } from "./choices.ts";
import type { View } from "./view.ts";

/** Parameters that are no filters. */
const UNFILTERED = ["q", "limit", "offset", "ordering", "columns"];

/** A filter of the form. */
export interface Filter {
  readonly name: string;
  /** Undefined where one types. */
  readonly options: readonly SelectOption[] | undefined;
  /** Whether days are asked for. */
  readonly day?: boolean;
  /** What holds while the filter is not set; `Any` (default). */
  readonly unset?: string;
}

/** What each filter of the form may be set to; one statement or two for each reference. */
export async function loadFilters(
  call: Call,
  { resource, filters, options = {} }: Pick<View, "resource" | "filters" | "options">,
): Promise<Filter[]> {
  return await Promise.all(filters.map(async (name) => ({
    name,
    options: options[name]?.() ?? await optionsOf(call, resource, name),
    day: namesOf(resource).get(name)?.type === "datetime",
  })));
}

async function optionsOf(
  call: Call,
  resource: Resource,
  name: string,
): Promise<readonly SelectOption[] | undefined> {
  const field = fieldBehind(resource, name);
  const target = field === undefined ? undefined : targetOf(field);
  if (target !== undefined) return await choicesFor(call, target);
  const known = namesOf(resource).get(name);
  if (known?.type === "boolean") return [["true", "yes"], ["false", "no"]];
  return known?.choices?.filter(Boolean).map((one) => [one, one.replaceAll("_", " ")] as const);
}

const names = new WeakMap<Resource, ReadonlyMap<string, FilterName>>();

/** All parameters of a resource's list. */
function namesOf(resource: Resource): ReadonlyMap<string, FilterName> {
  const known = names.get(resource) ??
    new Map([...filterNames(fieldMap(resource))].map((one) => [one.name, one]));
  names.set(resource, known);
  return known;
}

/** The field that a filter looks at: `tenant_id` is the tenant's. */
function fieldBehind(resource: Resource, name: string): Field | undefined {
  return Object.values(resource.fields).find((field) =>
    Object.keys(field.filters).some((filter) => name === `${filter}_id`)
  );
}

/** Search and filters of a list; what is on and has no field here is kept. */
export function FilterForm(
  { url, searchable, filters, errors }: {
    url: URL;
    searchable: boolean;
    filters: readonly Filter[];
    errors: FieldErrors;
  },
): Html {
  const asked = filters.map(({ name }) => name);
  const kept = [...url.searchParams].filter(([name]) =>
    !asked.includes(name) && name !== "q" && name !== "offset"
  );
  const on = filters.some(({ name }) => url.searchParams.has(name));
  return (
    <form method="get" action={url.pathname} class="filter-form">
      {kept.map(([name, value]) => <input type="hidden" name={name} value={value} />)}
      {searchable
        ? (
          <div class="toolbar">
            <div class="grow">
              <input
                type="search"
                name="q"
                value={url.searchParams.get("q") ?? ""}
                placeholder="Search"
                aria-label="Search"
              />
            </div>
            <button type="submit" class="secondary">
              <Icon name="search" />Search
            </button>
          </div>
        )
        : null}
      {filters.length === 0 ? null : (
        <details class="box" open={on}>
          <summary>Filters</summary>
          <div class="filters">
            {filters.map((filter) => <FilterField filter={filter} url={url} errors={errors} />)}
          </div>
          <button type="submit" class="secondary">Apply</button>
        </details>
      )}
      <Chips url={url} />
    </form>
  );
}

function FilterField(
  { filter, url, errors }: { filter: Filter; url: URL; errors: FieldErrors },
): Html {
  const { name, options, day, unset } = filter;
  const value = url.searchParams.get(name) ?? "";
  const label = filterLabel(name);
  if (options === undefined) {
    // A moment, which an address may name, would be lost in a field for days.
    const type = day && /^(\d{4}-\d\d-\d\d)?$/.test(value) ? "date" : "text";
    return <TextField name={name} label={label} value={value} type={type} errors={errors} />;
  }
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

const ENDINGS: Readonly<Record<string, string>> = {
  gte: "from",
  gt: "after",
  lte: "up to",
  lt: "before",
  n: "is not",
  ic: "contains",
  nic: "does not contain",
  isw: "starts with",
  iew: "ends with",
  empty: "is empty",
};

/** A filter's name for people: `valid_to__lte` is "Valid to up to". */
function filterLabel(name: string): string {
  const [field = "", ...path] = name.split("__");
  const ending = path.at(-1) ?? "";
  const words = [field.replace(/_id$/, ""), ...path.slice(0, -1)].map((one) => labelOf(one)).join(" › ");
  return path.length === 0 ? words : `${words} ${ENDINGS[ending] ?? labelOf(ending).toLowerCase()}`;
}

/** A parameter that narrows the list; one that is there twice counts once. */
interface ActiveFilter {
  readonly label: string;
  /** As it stands in an address. */
  readonly encoded: string;
}

function activeFilters(url: URL): ActiveFilter[] {
  const found = new Map<string, ActiveFilter>();
  for (const [name, value] of url.searchParams) {
    if (UNFILTERED.includes(name)) continue;
    const encoded = String(new URLSearchParams([[name, value]]));
    if (!found.has(encoded)) found.set(encoded, { label: `${filterLabel(name)}: ${value}`, encoded });
  }
  return [...found.values()];
}

/** What the list is narrowed to, each with a way to take it off. Each way holds all the others: only some are shown. */
function Chips({ url }: { url: URL }): Html | null {
  const on = activeFilters(url);
  if (on.length === 0) return null;
  const kept = [...url.searchParams].filter(([name]) => UNFILTERED.includes(name) && name !== "offset");
  const others = String(new URLSearchParams(kept));
  const without = (left: readonly ActiveFilter[]): string => {
    const query = [...left.map(({ encoded }) => encoded), others].filter((part) => part !== "").join("&");
    return query === "" ? url.pathname : `${url.pathname}?${query}`;
  };
  const shown = on.length > MAX_FILTER_CHIPS ? on.slice(0, MAX_FILTER_CHIPS) : on;
  return (
    <p class="chips">
      {shown.map((one) => <Chip label={one.label} href={without(on.filter((other) => other !== one))} />)}
      {shown.length === on.length
        ? null
        : <Chip label={`${on.length - shown.length} more`} href={without(shown)} />}
    </p>
  );
}

function Chip({ label, href }: { label: string; href: string }): Html {
  return (
    <a class="chip" href={href} aria-label={`Remove filter ${label}`}>
      <bdi>{label}</bdi>
      <Icon name="cross" />
    </a>
  );
}
