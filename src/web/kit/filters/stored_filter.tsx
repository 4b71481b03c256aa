/** Filters that an object stores as the query of a list: in saved views, calendar feeds and subscriptions. */

import { AppError } from "../../../base/errors.ts";
import { isGranted } from "../../../auth/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import type { Html } from "../components/mod.ts";
import { MAX_FILTER_CHIPS, UNFILTERED } from "./filter_form.tsx";
import { type FilterInWords, type FilterQuery, filtersInWords, orderInWords } from "./filter_words.ts";
import { countRows, PAGE_PARAMETERS } from "../list/read_list.ts";
import type { Defaults } from "../list/list_defaults.ts";
import { countedObjects } from "../../type_label.ts";

/** A query and its list, which is undefined if it no longer exists. */
export interface StoredQuery {
  readonly resource: Resource | undefined;
  readonly query: string;
}

export interface InWords {
  readonly filters_in_words: readonly FilterInWords[];
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
  const words = await inWords(call, rows.map(queryOf));
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
    inWords(call, [{ resource, query }]),
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

async function inWords(
  call: Call,
  queries: readonly StoredQuery[],
): Promise<readonly (readonly FilterInWords[])[]> {
  const parsed = queries.map(({ resource, query }) => {
    const params = [...new URLSearchParams(query)];
    const filters = params.filter(([name]) => name === "q" || !UNFILTERED.includes(name));
    const order = params.find(([name]) => name === "ordering")?.[1];
    return { resource, filters: filters.slice(0, MAX_FILTER_CHIPS), order } satisfies FilterQuery & {
      order: string | undefined;
    };
  });
  const words = await filtersInWords(call, parsed);
  return parsed.map(({ order }, index) => [
    ...words[index] ?? [],
    ...order === undefined ? [] : [{ label: orderInWords(order), encoded: "" }],
  ]);
}

function Chips({ filters }: { filters: readonly FilterInWords[] }): Html {
  if (filters.length === 0) return <span class="faint">No filter</span>;
  return (
    <span class="chips">
      {filters.map(({ label }) => (
        <span class="chip">
          <bdi>{label}</bdi>
        </span>
      ))}
    </span>
  );
}
