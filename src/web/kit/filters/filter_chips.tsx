/** The filters of a list in words: the active ones with links that remove them, and those of a stored query. */

import { numberText } from "../../../base/amounts.ts";
import { AppError } from "../../../base/errors.ts";
import { isGranted } from "../../../auth/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Icon } from "../components/mod.ts";
import { type Filter, MAX_FILTER_CHIPS, UNFILTERED, withFilters } from "./filter_form.tsx";
import { inWords } from "./filter_words.ts";
import { countRows, PAGE_PARAMETERS } from "../list/read_list.ts";
import type { Defaults } from "../list/defaults.ts";
import { countedObjects } from "../../type_label.ts";

/** The active filters of a list, as in a URL; duplicates count once. */
export interface ActiveFilters {
  readonly shown: readonly { readonly label: string; readonly encoded: string }[];
  /** The others: each chip has a link with all of them, so their number is limited. */
  readonly others: readonly string[];
  /** Filters of the tab. */
  readonly kept: readonly string[];
}

/** Returns the active filters of a URL. Reads the names of objects that the form does not have. */
export async function activeFilters(
  call: Call,
  { url, resource, filters, except = [] }: {
    url: URL;
    resource: Resource;
    /** The filters of the form. */
    filters: readonly Filter[];
    /** Names of the filters of the tab. */
    except?: readonly string[];
  },
): Promise<ActiveFilters> {
  const all = new Map<string, readonly [name: string, value: string]>();
  const kept: string[] = [];
  const ids = new Set(url.searchParams.getAll("id"));
  for (const one of url.searchParams) {
    const encoded = String(new URLSearchParams([one]));
    if (except.includes(one[0])) kept.push(encoded);
    else if (one[0] === "id" && ids.size > 1) continue;
    else if (!UNFILTERED.includes(one[0])) all.set(encoded, one);
  }
  const shown = [...all].slice(0, MAX_FILTER_CHIPS);
  // Filters of the tab and those without a chip can have the object types of ids.
  const others = [...url.searchParams].filter(([name]) => name.endsWith("_type"));
  const parameters = [...shown.map(([, one]) => one), ...others];
  const [words = []] = await inWords(call, [{ resource, parameters, known: filters }]);
  // The ids of several objects, such as those of an import, mean nothing to a user.
  const these = ids.size < 2 ? [] : [{
    label: `These ${numberText(ids.size)} ${resource.labelPlural}`,
    encoded: String(new URLSearchParams([...ids].map((id) => ["id", id]))),
  }];
  return {
    shown: [...these, ...shown.map(([encoded], index) => ({ encoded, label: words[index] ?? encoded }))],
    others: [...all.keys()].slice(MAX_FILTER_CHIPS),
    kept,
  };
}

/** Renders the active filters with links that remove them. */
export function FilterChips({ url, active }: { url: URL; active: ActiveFilters }): Html | null {
  const { shown, others, kept } = active;
  if (shown.length === 0) return null;
  const names = shown.map(({ encoded }) => encoded);
  const without = (left: readonly string[]): string => withFilters(url, [...kept, ...left]);
  return (
    <p class="chips">
      {shown.map(({ label, encoded }) => (
        <Chip
          label={label}
          href={without([...names.filter((one) => one !== encoded), ...others])}
        />
      ))}
      {others.length === 0 ? null : <Chip label={`${others.length} more`} href={without(names)} />}
      {shown.length === 1 ? null : <a href={without([])}>Clear all</a>}
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
