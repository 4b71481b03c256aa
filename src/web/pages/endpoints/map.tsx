/**
 * The map of endpoints: for each certificate the endpoints that serve it, their worst state with what to do about it, and
 * the objects to which it is assigned.
 */

import { numberText } from "../../../base/amounts.ts";
import { type Endpoint, endpoints } from "../../../domain/endpoints/mod.ts";
import type { Call } from "../../call.ts";
import { EmptyState, ErrorSummary, type Html, Pager, Table, withQuery } from "../../kit/components/mod.ts";
import {
  activeFilters,
  countRows,
  FilterChips,
  FilterForm,
  labelsOfFilters,
  type Listing,
  noMatchText,
  PAGE_PARAMETERS,
  PrintNote,
  readListing,
  readRows,
} from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { COLUMNS, type MappedEndpoint, type Served, UNSEEN } from "./map_columns.tsx";
import { NEEDS_ATTENTION, STATE_FIELDS, withServed } from "./state_cell.tsx";

/** Usual number of endpoints on a page. */
const SHOWN = 50;
/** Maximum number of endpoints that are read for the certificates of a page. */
const MOST = 1_000;
const FIELDS = ["id", "display", "severity", "assigned_object", ...STATE_FIELDS] as const;
const PATH = "/endpoints/map/";

/** Renders the map, by certificate. Filters of the list of endpoints apply, as parameters of the URL. */
export async function mapPage(call: Call): Promise<Response> {
  const listing = await readListing(call, endpoints, {
    fields: FIELDS,
    withDefaults: (params) => {
      if (!params.has("limit")) params.set("limit", String(SHOWN));
      // Cursor paging has its own order.
      if (!params.has("ordering") && !params.has("start")) params.set("ordering", "severity");
    },
  });
  const { url, count, limit, offset, errors } = listing;
  const wrong = Object.keys(errors).length > 0;
  const [served, active, parts] = await Promise.all([
    servedOf(call, listing),
    activeFilters(call, { url, resource: endpoints, filters: [], except: Object.keys(NEEDS_ATTENTION) }),
    wrong ? [] : partsOf(call, url),
  ]);
  return page(
    call,
    {
      title: "Endpoints by certificate",
      above: [["Endpoints", listPath(endpoints)]],
      ...(wrong ? { status: 400 } : {}),
    },
    <>
      <ErrorSummary errors={errors} shown={[]} labels={labelsOfFilters(call, endpoints, [])}>
        <a href={PATH}>Show all endpoints</a>
      </ErrorSummary>
      <div class="list-bar">
        <FilterForm url={url} search="endpoints" filters={[]} errors={errors} />
        <Choice url={url} parts={parts} />
        <div class="grow"></div>
        <Pager url={url} count={count} limit={limit} offset={offset} label="Pages, above the list" />
      </div>
      <FilterChips url={url} active={active} />
      <PrintNote call={call} listing={listing} />
      {wrong ? null : listing.rows.length === 0
        ? (
          <EmptyState
            text={url.search === ""
              ? "No endpoints. Add one to see which certificate it serves."
              : noMatchText(endpoints, url)}
          />
        )
        : (
          <>
            <Blocks served={served} complete={count <= limit} />
            <Pager url={url} count={count} limit={limit} offset={offset} />
          </>
        )}
    </>,
  );
}

/** Renders the certificates in three sections, the worst first. */
function Blocks(
  { served, complete }: {
    served: readonly Served[];
    /** Whether there is no other page. */
    complete: boolean;
  },
): Html {
  const needsAttention = ({ endpoints: [worst] }: Served): boolean => worst.step !== undefined;
  const unseen = served.filter(({ endpoints: [worst] }) => worst.certificate === null);
  const seen = served.filter(({ endpoints: [worst] }) => worst.certificate !== null);
  return (
    <>
      <Block
        id="unseen"
        title="Endpoints without a known certificate"
        rows={unseen}
        columns={UNSEEN}
        complete={complete}
      />
      <Block
        id="attention"
        title="Certificates that need attention"
        rows={seen.filter(needsAttention)}
        columns={COLUMNS}
        complete={complete}
      />
      <Block
        id="expected"
        title="Certificates as expected"
        rows={seen.filter((one) => !needsAttention(one))}
        columns={COLUMNS}
        complete={complete}
      />
    </>
  );
}

function Block(
  { id, title, rows, columns, complete }: {
    id: string;
    title: string;
    rows: readonly Served[];
    columns: typeof COLUMNS;
    complete: boolean;
  },
): Html | null {
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby={id} class="titled">
      <h2 id={id}>
        {title} <span class="count">{rows.length}{complete ? null : " on this page"}</span>
      </h2>
      <Table caption={title} dense rows={rows} columns={columns} />
    </section>
  );
}

/**
 * Returns the certificates of a page with all their endpoints that match the filters. A certificate is on the page of its
 * worst endpoint. At most two statements.
 */
async function servedOf(
  call: Call,
  { url, rows, offset }: Listing<MappedEndpoint>,
): Promise<readonly Served[]> {
  const keyOf = ({ certificate }: Pick<Endpoint, "certificate">): number | undefined => certificate?.id;
  const unseen = rows.filter((row) => keyOf(row) === undefined);
  const ids = [...new Set(rows.flatMap((row) => keyOf(row) ?? []))];
  const others = ids.length === 0 ? [] : (await readRows(call.ctx, endpoints, {
    params: { ...filtersOf(url), certificate_id: ids, ordering: "severity", limit: MOST },
    fields: FIELDS,
  })).rows;
  const [first] = rows;
  // Rows with the same severity are in the order of their ids.
  const isEarlier = (row: MappedEndpoint): boolean =>
    offset > 0 && first !== undefined && !url.searchParams.has("ordering") &&
    (row.severity - first.severity || row.id - first.id) < 0;
  const all = await withServed(call, [...unseen, ...others]);
  const groups = Map.groupBy(all, (row) => keyOf(row) ?? `endpoint ${row.id}`);
  return [...groups.values()].flatMap((own): Served[] => {
    const [worst, ...more] = own;
    return worst === undefined || isEarlier(worst)
      ? []
      : [{ id: keyOf(worst) ?? worst.id, endpoints: [worst, ...more] }];
  });
}

/** Parameters of a page that are no filters. */
const PAGING = ["limit", "offset", "ordering", "start", ...PAGE_PARAMETERS];

/** Returns the filters of a URL. */
function filtersOf(url: URL): Readonly<Record<string, readonly string[]>> {
  const names = [...new Set(url.searchParams.keys())].filter((name) => !PAGING.includes(name));
  return Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)]));
}

/** A part of the endpoints, and the number of those that match the other filters. */
interface Part {
  readonly label: string;
  readonly filters: Readonly<Record<string, string | null>>;
  readonly count: number;
}

/** Counts the endpoints that need attention, and all. Two statements. */
async function partsOf(call: Call, url: URL): Promise<readonly Part[]> {
  const params = Object.fromEntries(
    Object.entries(filtersOf(url)).filter(([name]) => !(name in NEEDS_ATTENTION)),
  );
  const [attention, all] = await Promise.all([
    countRows(call, endpoints, { ...params, ...NEEDS_ATTENTION }),
    countRows(call, endpoints, params),
  ]);
  const none = Object.fromEntries(Object.keys(NEEDS_ATTENTION).map((name) => [name, null]));
  return [
    { label: "Needs attention", filters: NEEDS_ATTENTION, count: attention },
    { label: "All", filters: none, count: all },
  ];
}

/** Renders links to the parts, as the list of endpoints has them. */
function Choice({ url, parts }: { url: URL; parts: readonly Part[] }): Html {
  const isShown = ({ filters }: Part): boolean =>
    Object.entries(filters).every(([name, value]) => url.searchParams.get(name) === value);
  return (
    <nav class="choice" aria-label="Endpoints shown">
      {parts.map((part) => (
        <a
          href={withQuery(url, { ...part.filters, offset: null, start: null })}
          aria-current={isShown(part) ? "page" : undefined}
        >
          {part.label} <span class="count">{numberText(part.count)}</span>
        </a>
      ))}
    </nav>
  );
}
