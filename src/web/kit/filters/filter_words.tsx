/** Queries of lists in words: "Tenant is not Acme" for `tenant_id__n=2`; and conditions, which are JSON. */

import { isDictionary, mapIn, resolveName } from "../../../filters/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, type SelectOption, truncate } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";
import { namesBy } from "../reference/choices.ts";
import {
  customLabels,
  filterLabel,
  type FilterTarget,
  filterTarget,
  filterWords,
  type Labels,
  typedTarget,
} from "./filter_description.ts";
import { AppError } from "../../../base/errors.ts";
import { isGranted } from "../../../auth/mod.ts";
import { countRows, PAGE_PARAMETERS } from "../list/read_list.ts";
import type { Defaults } from "../list/tabs.tsx";
import { countedObjects } from "../../type_label.ts";

/**
 * Maximum number of names that are read for the filters of a page, for each object type; further objects are shown by
 * their ids.
 */
const MAX_NAMED = 100;

/** Maximum characters of the columns of a list; a saved view may have any number. */
const MAX_COLUMNS_CHARS = 300;

/** Active filters that a list page shows individually; each has a link with all the others. */
export const MAX_FILTER_CHIPS = 20;

/** Parameters that are not filters. */
export const UNFILTERED = ["q", "limit", "offset", "ordering", "columns", "show", "scope", "group_by"];

/** A filter of the form of a list, with the values that it offers. */
interface Filter {
  readonly name: string;
  readonly label: string;
  readonly options: readonly SelectOption[];
}

/** A query of a list. */
export interface ListQuery {
  /** Undefined if the list no longer exists. */
  readonly resource: Resource | undefined;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Filters of the form of the list, for whose options nothing has to be read. */
  readonly known?: readonly Filter[];
  /** Labels of columns whose names do not make them; default: those of custom fields. */
  readonly labels?: Labels | undefined;
}

/**
 * Returns the parameters of several queries in words, each at its index: filters, order, columns and page size. One
 * statement for each object type to whose ids they refer, and one for each to whose slugs.
 */
export async function inWords(
  call: Call,
  queries: readonly ListQuery[],
): Promise<readonly (readonly string[])[]> {
  const read = queries.map(({ resource, parameters, known = [], labels = labelsOf(call, resource) }) =>
    parameters.map(([name, value]) => {
      const { label = filterLabel(name, labels), options } = known.find((one) => one.name === name) ?? {};
      const shown = parameterInWords([name, value], labels) ?? options?.find(([one]) => one === value)?.[1];
      const target = resource === undefined || shown !== undefined
        ? undefined
        : targetOf(call, resource, { name, value, parameters });
      return { resource, name, value, label, shown, target };
    })
  );
  const groups = Map.groupBy(
    read.flat().filter(({ target }) => target !== undefined),
    ({ target }) => keyOf(target),
  );
  const names = new Map(
    await Promise.all([...groups].map(async ([key, [first, ...others]]) => {
      const values = [first, ...others].flatMap((one) => one?.value ?? []);
      const target = first?.target;
      return [key, target && await namesBy(call, target, [...new Set(values)].slice(0, MAX_NAMED))] as const;
    })),
  );
  return read.map((parameters) =>
    parameters.map(({ resource, name, value, label, shown, target }) => {
      if (Object.hasOwn(PARAMETERS, name)) return shown ?? name;
      const named = names.get(keyOf(target))?.get(value) ?? (target?.by === "id" ? `ID ${value}` : undefined);
      return filterWords(
        name,
        truncate(shown ?? named ?? valueInWords(call, { resource, name, value })),
        label,
      );
    })
  );
}

function keyOf(target: FilterTarget | undefined): string {
  return `${target?.by} ${target?.target.objectType}`;
}

function labelsOf(call: Call, resource: Resource | undefined): Labels {
  return resource === undefined ? new Map() : customLabels(call, resource);
}

/** Returns the objects to which a filter refers; undefined for a value that is none of theirs. */
function targetOf(
  call: Call,
  resource: Resource,
  { name, value, parameters }: { name: string; value: string; parameters: ListQuery["parameters"] },
): FilterTarget | undefined {
  const found = filterTarget(call, resource, name) ?? typedTarget(resource, name, parameters);
  return found?.by === "id" && !/^\d{1,15}$/.test(value) ? undefined : found;
}

/** Parameters that are not filters, in words. */
const PARAMETERS: Readonly<Record<string, (value: string, labels: Labels) => string>> = {
  ordering: orderInWords,
  columns: (value, labels) => {
    const columns = value.split(",").map((one) => labels.get(one) ?? labelOf(one));
    return `Columns: ${truncate(columns.join(", "), MAX_COLUMNS_CHARS)}`;
  },
  limit: (value) => `Rows per page: ${truncate(value)}`,
};

function parameterInWords([name, value]: readonly [string, string], labels: Labels): string | undefined {
  return Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name]?.(value, labels) : undefined;
}

/** Returns the order of a list in words: "Sorted by Valid to, descending". */
function orderInWords(ordering: string, labels: Labels): string {
  const parts = ordering.split(",").map((name) => {
    const field = name.replace(/^-/, "");
    const label = labels.get(field) ?? filterLabel(field);
    return name === field ? label : `${label}, descending`;
  });
  return truncate(`Sorted by ${parts.join("; ")}`);
}

function valueInWords(
  { ctx }: Call,
  { resource, name, value }: { resource: Resource | undefined; name: string; value: string },
): string {
  if (value === "null") return "none";
  const field = resource === undefined ? undefined : resolveName(mapIn(ctx, resource.map), name)?.field;
  const type = field?.kind === "predicate" ? field.type : field?.kind;
  if (type === "boolean") return value === "true" ? "yes" : value === "false" ? "no" : value;
  return type === "choice" ? value.replaceAll("_", " ") : value;
}

/** Returns conditions as a text: "Status: active and Common name ends with .example.com"; alternatives are joined by "or". */
export function conditionsText(conditions: unknown): string {
  const alternatives = [conditions].flat().filter(isDictionary).map(allOf).filter((text) => text !== "");
  return alternatives.join(", or ");
}

function allOf(condition: Readonly<Record<string, unknown>>): string {
  return Object.entries(condition).map(([name, value]) =>
    filterWords(name, [value].flat().map((one) => one === null ? "none" : String(one)).join(" or "))
  ).join(" and ");
}

/** A query and its list, which is undefined if it no longer exists. */
export interface StoredQuery {
  readonly resource: Resource | undefined;
  readonly query: string;
}

export interface InWords {
  readonly filters_in_words: readonly string[];
}

/**
 * Adds the filters of the rows in words, for {@link StoredFilters}. One or two statements for each object type to which
 * they refer.
 */
export async function withFiltersInWords<Of>(
  call: Call,
  rows: readonly Of[],
  queryOf: (row: Of) => StoredQuery,
): Promise<readonly (Of & InWords)[]> {
  const words = await filtersInWords(call, rows.map(queryOf));
  return rows.map((row, index) => ({ ...row, filters_in_words: words[index] ?? [] }));
}

/** Renders the filters of a row as chips. */
export function StoredFilters({ row: { filters_in_words = [] } }: { row: object & Partial<InWords> }): Html {
  return <Chips filters={filters_in_words} />;
}

/** Renders a stored filter in words, and the number of matching objects as a link to the list. */
export async function storedFilterSection(
  call: Call,
  { resource, query, path, withDefaults }: StoredQuery & {
    /** Path of the list with this filter. */
    path: string;
    /** Adds the default filters of the list. */
    withDefaults?: Defaults | undefined;
  },
): Promise<Html> {
  const [[filters = []], count] = await Promise.all([
    filtersInWords(call, [{ resource, query }]),
    resource === undefined ? undefined : countMatches(call, resource, { query, withDefaults }),
  ]);
  return (
    <section class="card stored-filter" aria-label="Filter">
      <Chips filters={filters} />
      <p>
        {resource === undefined || count === undefined ? <a href={path}>Open the list</a> : (
          <a href={path}>
            Matches {countedObjects(resource, count)}
          </a>
        )}
      </p>
    </section>
  );
}

/** Counts the objects of a list; undefined if the user may not view them, or if a filter is no longer valid. */
export async function countMatches(
  call: Call,
  resource: Resource,
  { query, withDefaults }: { query: string; withDefaults: Defaults | undefined },
): Promise<number | undefined> {
  if (!isGranted(call.ctx, "view", resource.objectType)) return undefined;
  const params = new URLSearchParams(query);
  withDefaults?.(params);
  for (const name of [...PAGE_PARAMETERS, "limit", "offset", "ordering"]) params.delete(name);
  try {
    return await countRows(
      call,
      resource,
      Object.fromEntries([...params.keys()].map((name) => [name, params.getAll(name)])),
    );
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return undefined;
  }
}

/** Returns the filters of stored queries in words, and then their order. */
async function filtersInWords(
  call: Call,
  queries: readonly StoredQuery[],
): Promise<readonly (readonly string[])[]> {
  return await inWords(
    call,
    queries.map(({ resource, query }) => {
      const all = [...new URLSearchParams(query)];
      const filters = all.filter(([name]) => name === "q" || !UNFILTERED.includes(name));
      const order = all.filter(([name]) => name === "ordering").slice(0, 1);
      return { resource, parameters: [...filters.slice(0, MAX_FILTER_CHIPS), ...order] };
    }),
  );
}

function Chips({ filters }: { filters: readonly string[] }): Html {
  if (filters.length === 0) return <span class="faint">No filter</span>;
  return (
    <span class="chips">
      {filters.map((label) => (
        <span class="chip">
          <bdi>{label}</bdi>
        </span>
      ))}
    </span>
  );
}
