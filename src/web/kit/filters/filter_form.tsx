/** The filters of a list: a form with a row for each, and a chip for each active filter. */

import type { FieldErrors } from "../../../base/errors.ts";
import { type FieldMap, mapIn } from "../../../filters/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { FieldError, type Html, Icon } from "../components/mod.ts";
import { numberText } from "../../../base/amounts.ts";
import { seeOther } from "../../responses.ts";
import { FirstButton } from "../form/actions.tsx";
import { customLabels, filterLabel, type Labels } from "./filter_description.ts";
import { RowList } from "./filter_picker.tsx";
import {
  type FilterParts,
  type FilterRow,
  NO_ROW,
  type Notation,
  partsOfText,
  PICK,
  readRows,
  textOfParts,
} from "./filter_rows.ts";
import { byIdOrName, type LoadedRow, loadRows, type RowsOf, withIds } from "./filter_values.tsx";
import type { View } from "../view.ts";
import { inWords, MAX_FILTER_CHIPS, UNFILTERED } from "./filter_words.tsx";

/** Prefix of the parameters with which a form sends rows. */
const ROWS = "where";

/** The URL of a list without what only forms send. */
export interface CleanUrl {
  readonly url: URL;
  /** The rows of a form that is being filled in, or that has errors. */
  readonly draft?: { readonly rows: readonly FilterRow[]; readonly errors: readonly string[] };
}

/**
 * Redirects a URL with parameters that only forms send to a canonical one: without empty parameters, with rows as filters,
 * and with the id of a suggestion or a name. A form whose button changes its rows is not redirected. At most two
 * statements for each filter with a suggestion.
 */
export async function cleanListUrl(
  call: Call,
  resource: Resource,
  map = mapIn(call.ctx, resource.map),
): Promise<Response | CleanUrl> {
  const { searchParams: sent, search } = call.url;
  const picked = sent.get(PICK);
  const isForm = picked !== null || sent.has(`${ROWS}.field`);
  const given = [...sent].filter(([name, value]) =>
    value !== "" && name !== PICK && !name.startsWith(`${ROWS}.`)
  );
  const [params, rows] = await Promise.all([
    Promise.all(given.map((one) => byIdOrName(call, resource, one))),
    withIds(call, { resource, map }, readRows(sent, ROWS)),
  ]);
  const composed = textOfParts(map, { rows, rest: [] }, { notation: "query", complete: false });
  const url = new URL(call.url);
  // Only if something changes, because a URL can be written in several ways.
  const isSame = !isForm && given.length === sent.size &&
    params.every(([name, value], index) => name === given[index]?.[0] && value === given[index]?.[1]);
  if (!isSame) {
    url.search = String(
      new URLSearchParams(
        [...params, ...new URLSearchParams(composed.text)].map(([name, value]) => [name, value]),
      ),
    );
  }
  if (picked !== null || composed.errors.length > 0) {
    return { url, draft: { rows: picked === ROWS ? [...rows, NO_ROW] : rows, errors: composed.errors } };
  }
  return url.search === search ? { url } : seeOther(call, `${url.pathname}${url.search}`);
}

/** The filters of a list as its form shows them. */
export interface ListFilters {
  readonly of: RowsOf & { readonly notation: Notation };
  readonly rows: readonly LoadedRow[];
  /** Filters that are not shown as rows. */
  readonly rest: FilterParts["rest"];
  readonly labels: Labels;
  readonly draft: CleanUrl["draft"];
}

/** Loads the rows of a list's filters. */
export async function loadFilters(
  call: Call,
  { resource, map = mapIn(call.ctx, resource.map), fields, clean: { url, draft }, except = [] }: {
    resource: Resource;
    map?: FieldMap;
    fields?: View["fields"];
    clean: CleanUrl;
    /** Names of the filters of the tab. */
    except?: readonly string[];
  },
): Promise<ListFilters> {
  const filters = [...url.searchParams].filter(([name]) =>
    !UNFILTERED.includes(name) && !except.includes(name)
  );
  const { rows = [], rest = [] } = partsOfText(map, String(new URLSearchParams(filters)), "query") ?? {};
  const of = { resource, map, fields, notation: "query" } as const;
  const shown = draft?.rows ?? rows;
  return {
    of,
    rest,
    draft,
    labels: customLabels(call, resource),
    rows: await loadRows(call, of, shown.length === 0 ? [NO_ROW] : shown),
  };
}

/** Returns a function that returns the labels of parameters as in the form of the list. */
export function labelsOfFilters({ labels }: ListFilters): (name: string) => string {
  return (name) => filterLabel(name, labels);
}

/** Renders search and filters; active filters that are no rows stay active. */
export function FilterForm(
  { call, url, search, filters, errors, except = [], usual, matches }: {
    call: Call;
    url: URL;
    /** Names of the filters of the tab, which are not counted. */
    except?: readonly string[];
    /** The text that describes the search; undefined if the list cannot be searched. */
    search?: string | undefined;
    filters: ListFilters;
    /** Errors by the names of filters. */
    errors: FieldErrors;
    /** Filters whose fields are offered first; without any, the list has no filters. */
    usual: readonly string[];
    /** How many objects match. */
    matches?: string | undefined;
  },
): Html {
  const { of, rows, rest, draft } = filters;
  const names = [...url.searchParams.keys()].filter((name) =>
    !UNFILTERED.includes(name) && !except.includes(name)
  );
  // The ids of several objects have one chip.
  const active = names.filter((name, index) => name !== "id" || names.indexOf(name) === index);
  const isKept = (name: string): boolean =>
    UNFILTERED.includes(name) || except.includes(name) || usual.length === 0;
  const kept = [
    ...[...url.searchParams].filter(([name]) => name !== "q" && name !== "offset" && isKept(name)),
    ...usual.length === 0 ? [] : rest,
  ];
  const wrong = rows.some(({ name }) => Object.hasOwn(errors, name));
  return (
    <form method="get" action={url.pathname} class="filter-form">
      <FirstButton />
      {kept.map(([name, value]) => <input type="hidden" name={name} value={String(value)} />)}
      {search === undefined ? null : (
        <input
          type="search"
          name="q"
          value={url.searchParams.get("q") ?? ""}
          placeholder={`Search ${search}`}
          aria-label="Search"
        />
      )}
      {usual.length === 0 ? null : (
        // Active filters are shown as chips, so the panel is expanded only while it is filled in, or has errors.
        <details class="filter-box" open={draft !== undefined || wrong}>
          <summary role="button" class="secondary">
            Filters{active.length === 0 ? null : <span class="count">{active.length}</span>}
          </summary>
          <div class="filter-panel">
            <h2>Filters</h2>
            <div class="filter-rows" id={`${ROWS}-rows`} data-in-place="">
              <RowList
                call={call}
                name={ROWS}
                of={of}
                rows={rows}
                legend="Filters"
                errors={errors}
                usual={usual}
                matches={matches}
              />
              <FieldError name={ROWS} errors={{ [ROWS]: [...draft?.errors ?? []] }} />
            </div>
            <div class="form-actions">
              <button type="submit">Apply filters</button>
              {active.length === 0 ? null : <a href={withFilters(url, [])}>Clear</a>}
            </div>
          </div>
        </details>
      )}
    </form>
  );
}

/** Returns the URL of the first page with these filters instead of the current ones, each encoded as in a URL. */
function withFilters(url: URL, filters: readonly string[]): string {
  const kept = [...url.searchParams].filter(([name]) => UNFILTERED.includes(name) && name !== "offset");
  const query = [...filters, String(new URLSearchParams(kept))].filter((part) => part !== "").join("&");
  return query === "" ? url.pathname : `${url.pathname}?${query}`;
}

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
    filters: ListFilters;
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
  const known = filters.rows.flatMap(({ row, name, options, reference }) => {
    const chosen = [...reference?.chosen ?? []].map(([value, choice]) => [value, choice.name] as const);
    return row.comparison === "empty" || options === undefined && reference === undefined
      ? []
      : [{ name, label: filterLabel(name, filters.labels), options: options ?? chosen }];
  });
  const [words = []] = await inWords(call, [{ resource, parameters, known }]);
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
