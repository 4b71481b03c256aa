/**
 * The map of endpoints: for each certificate its endpoints, differences from the expected state, and the objects of the
 * endpoints.
 */

import { endpoints, PROBLEMS } from "../../domain/endpoints/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { isGranted } from "../../auth/mod.ts";
import type { Call } from "../call.ts";
import { EmptyState, ErrorSummary, type Html, Pager, Table, withQuery } from "../components/mod.ts";
import {
  activeFilters,
  type ApiObject,
  countRows,
  FilterChips,
  FilterForm,
  labelsOfFilters,
  PrintNote,
  readListing,
  readRows,
} from "../objects/mod.ts";
import { listPath } from "../paths.ts";
import { page } from "../shell/mod.ts";
import { COLUMNS, type Served, UNSEEN } from "./map_columns.tsx";

/** Usual number of endpoints on a page. */
const SHOWN = 50;
const FIELDS = [
  "id",
  "display",
  "state",
  "state_message",
  "severity",
  "certificate",
  "expected_certificate",
  "assigned_object",
];
const PATH = "/endpoints/map/";

/** Renders the map, by certificate. Filters of the list of endpoints apply, as parameters of the URL. */
export async function mapPage(call: Call): Promise<Response> {
  const listing = await readListing(call, endpoints, {
    fields: FIELDS,
    withDefaults: (params) => {
      if (!params.has("limit")) params.set("limit", String(SHOWN));
      if (!params.has("ordering")) params.set("ordering", "severity");
    },
  });
  const { url, rows, count, limit, offset, errors } = listing;
  const wrong = Object.keys(errors).length > 0;
  const [byId, active, parts] = await Promise.all([
    certificatesOf(call, rows),
    activeFilters(call, { url, resource: endpoints, filters: [], except: ["problem"] }),
    wrong ? [] : partsOf(call, url),
  ]);
  const worstFirst = rows.toSorted((a, b) => Number(a.severity) - Number(b.severity));
  const groups = Map.groupBy(worstFirst, ({ certificate }) => (certificate as ApiObject | null)?.id);
  const served = [...groups].flatMap(([id, ones]): Served[] =>
    id === undefined ? [] : [{ id, endpoints: ones, certificate: byId.get(id) }]
  );
  const unseen = (groups.get(undefined) ?? []).map((endpoint): Served => ({
    id: endpoint.id,
    endpoints: [endpoint],
    certificate: undefined,
  }));
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
      {wrong ? null : rows.length === 0
        ? (
          <EmptyState
            text={url.search === ""
              ? "No endpoints. Add one to see which certificate it serves."
              : "No endpoints match these filters."}
          />
        )
        : (
          <>
            {served.length === 0 ? null : (
              <Table
                caption="Served certificates"
                dense
                rows={served}
                columns={COLUMNS}
              />
            )}
            {unseen.length === 0 ? null : (
              <section aria-labelledby="unseen" class="titled">
                <h2 id="unseen">
                  No certificate of the inventory seen <span class="count">{unseen.length}</span>
                </h2>
                <Table caption="No certificate of the inventory seen" dense rows={unseen} columns={UNSEEN} />
              </section>
            )}
            <Pager url={url} count={count} limit={limit} offset={offset} />
          </>
        )}
    </>,
  );
}

/** A part of the endpoints, and the number of those that match the other filters. */
interface Part {
  readonly label: string;
  /** Value of the filter `problem`; undefined for all. */
  readonly problem: string | undefined;
  readonly count: number;
}

const PART_LABELS: Readonly<Record<typeof PROBLEMS[number], string>> = {
  wrong: "Wrong",
  unknown: "Unknown",
  expiring: "Expiring",
};

/** Counts the endpoints with each kind of problem, with one statement for each kind. */
async function partsOf(call: Call, url: URL): Promise<readonly Part[]> {
  const params = Object.fromEntries(
    [...url.searchParams.keys()].filter((name) => !["problem", "limit", "offset", "ordering"].includes(name))
      .map((name) => [name, url.searchParams.getAll(name)]),
  );
  const count = (problem?: string): Promise<number> =>
    countRows(call, endpoints, problem === undefined ? params : { ...params, problem });
  const labelled = Object.entries(PART_LABELS);
  const [all = 0, ...counts] = await Promise.all([count(), ...labelled.map(([problem]) => count(problem))]);
  return [
    { label: "All", problem: undefined, count: all },
    ...labelled.map(([problem, label], index) => ({ label, problem, count: counts[index] ?? 0 })),
  ];
}

/** Renders links to all endpoints and to those with each kind of problem. */
function Choice({ url, parts }: { url: URL; parts: readonly Part[] }): Html {
  const current = url.searchParams.getAll("problem").join();
  return (
    <nav class="choice" aria-label="Endpoints shown">
      {parts.map(({ label, problem, count }) => (
        <a
          href={withQuery(url, { problem: problem ?? null, offset: null })}
          aria-current={current === (problem ?? "") ? "page" : undefined}
        >
          {label} <span class="count">{count.toLocaleString("en")}</span>
        </a>
      ))}
    </nav>
  );
}

/** Reads the certificates that endpoints served; one statement for the page. */
async function certificatesOf(
  call: Call,
  rows: readonly ApiObject[],
): Promise<ReadonlyMap<unknown, ApiObject>> {
  const ids = rows.flatMap(({ certificate }) => certificate === null ? [] : (certificate as ApiObject).id);
  if (ids.length === 0 || !isGranted(call.ctx, "view", certificates.objectType)) return new Map();
  const found = await readRows(call, certificates, {
    params: { id: [...new Set(ids)], archived: "any", limit: ids.length },
    fields: ["id", "display", "common_name", "valid_to", "days_remaining", "expiry_status"],
  });
  return new Map(found.rows.map((row) => [row.id, row]));
}
